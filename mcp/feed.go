// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "slices"

// maxFeeds is how many streams of subscriptions there are at once; a new one takes the
// place of the oldest.
const maxFeeds = 64

// feed is a stream that tells a client of changes until one of the two ends it: the GET
// of a session, a subscriptions/listen, or a pipe's.
type feed struct {
	server *Server
	stream HTTPStream
	stop   func()
	// changed is the message that the tools changed; nil if nobody asked for it.
	changed []byte
	// farewell is the message the stream ends with, if any.
	farewell []byte
	// forget takes it out of where it is kept.
	forget func()
}

// open begins the stream with an event or, if name is empty, a comment: clients wait for
// its first byte. c is whose calls are answered on it, if it is more than a feed.
func (f *feed) open(w HTTPWriter, c *client, name, data string) {
	f.stream = w.Stream(nil)
	f.stop = f.server.keepAlive(f.stream, c)
	f.stream.OnClose(func() { f.stop(); f.forget() })
	if name == "" {
		f.stream.Comment()
	} else {
		f.stream.Event(name, []byte(data))
	}
}

// keepAlive has a stream say something every commentEvery until stop, with progress of
// those calls of c that say nothing themselves. c may be nil.
func (s *Server) keepAlive(stream HTTPStream, c *client) (stop func()) {
	var cancel func()
	var tick func()
	tick = func() {
		cancel = s.clock.AfterFunc(commentEvery, tick)
		stream.Comment()
		if c != nil {
			for _, token := range slices.Clone(c.calls) {
				s.stillRuns(token)
			}
		}
	}
	cancel = s.clock.AfterFunc(commentEvery, tick)
	return func() { cancel() }
}

// tell sends that the tools changed.
func (f *feed) tell() {
	if f.changed != nil {
		f.stream.Event(eventMessage, f.changed)
	}
}

// end completes the stream.
func (f *feed) end() {
	f.stop()
	f.forget()
	if f.farewell != nil {
		f.stream.Event(eventMessage, f.farewell)
	}
	f.stream.End()
}

// openFeed gives a session its GET stream. The newer takes over: the older may belong to
// a connection that is dead without either end knowing.
func (s *Server) openFeed(to *session, w HTTPWriter) {
	for to.feed != nil {
		to.feed.end()
	}
	f := &feed{server: s, changed: []byte(listChanged)}
	f.forget = func() {
		if to.feed == f {
			to.feed, to.used = nil, s.clock.Now()
		}
	}
	to.feed = f
	f.open(w, nil, "", "")
	if to.owed {
		to.owed = false
		f.tell()
	}
}

// listen serves subscriptions/listen: a stream that begins with what is honoured of the
// request, each message under the request's id (2026-07-28, "Subscriptions").
func (s *Server) listen(w HTTPWriter, m *message) {
	for len(s.feeds) >= maxFeeds {
		s.feeds[0].end()
	}
	tools := string(member(member(m.at[slotParams], "notifications"), "toolsListChanged")) == "true"
	meta := `"_meta":{"` + metaSubscription + `":` + string(m.id) + `}`
	f := &feed{server: s}
	honoured := "{}"
	if tools {
		honoured = `{"toolsListChanged":true}`
		f.changed = []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + meta + `}}`)
	}
	f.farewell = []byte(`{"jsonrpc":"2.0","id":` + string(m.id) + `,"result":{"resultType":"complete",` + meta + `}}`)
	f.forget = func() { s.feeds = slices.DeleteFunc(s.feeds, func(other *feed) bool { return other == f }) }
	s.feeds = append(s.feeds, f)
	f.open(w, nil, "", "")
	f.stream.Event(eventMessage, []byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+
		meta+`,"notifications":`+honoured+`}}`))
}

// listChanged tells every client that listens for it that the tools changed.
func (s *Server) listChanged() {
	for _, to := range s.sessions.all {
		if to.feed == nil {
			to.owed = true
			continue
		}
		to.feed.tell()
	}
	for _, f := range s.feeds {
		f.tell()
	}
	for _, p := range s.pipes {
		p.feed.tell()
	}
}

// endFeeds ends every stream that would stay open.
func (s *Server) endFeeds() {
	for _, to := range slices.Clone(s.sessions.all) {
		if to.feed != nil {
			to.feed.end()
		}
	}
	for _, f := range slices.Clone(s.feeds) {
		f.end()
	}
	for _, p := range slices.Clone(s.pipes) {
		p.feed.end()
	}
}
