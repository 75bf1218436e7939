// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// maxPipes is how many clients of HTTP with SSE there are at once. Each of them has a
// connection that is alive, so one more is refused.
const maxPipes = 64

const (
	pathPipe = "/sse"
	pathSay  = "/messages"
	// paramPipe is the parameter of pathSay that says which pipe is meant.
	paramPipe = "sessionId"
	// eventEndpoint is the name of the event that holds the address to post to.
	eventEndpoint = "endpoint"
)

var errTooManyPipes = ToolError("too many clients")

// pipe is a client of HTTP with SSE, the transport of 2024-11-05: what it says comes in
// POSTs of their own, and all it is told goes on the one stream it opened. Both end
// together, with the calls in flight.
type pipe struct {
	client
	// id is secret: whoever knows it speaks for the client.
	id   string
	feed *feed
	// began is when it was opened, heard when its client last said something.
	began, heard time.Time
}

// take implements outlet.
func (p *pipe) take(o payload) { p.feed.stream.Event(eventMessage, o.text) }

// unanswered implements outlet.
func (p *pipe) unanswered() {}

func (s *Server) openPipe(r HTTPRequest, w HTTPWriter) {
	switch {
	case !readAccept(r.Header("Accept")).events:
		s.refuse(w, http.StatusNotAcceptable, nil, errAcceptOnly)
		return
	case len(s.pipes) >= maxPipes:
		s.refuse(w, http.StatusServiceUnavailable, nil, errTooManyPipes)
		return
	}
	s.sessions.count++
	p := &pipe{
		client: client{name: "mcp_" + strconv.FormatUint(s.sessions.count, 10), profile: &stateful, speaks: revisions[0].name},
		id:     s.sessions.newID(),
		feed:   &feed{server: s, changed: []byte(listChanged)},
	}
	p.out = p
	p.began = s.clock.Now()
	p.heard = p.began
	p.feed.forget = func() {
		s.pipes = slices.DeleteFunc(s.pipes, func(other *pipe) bool { return other == p })
		for _, token := range slices.Clone(p.calls) {
			s.change(token, event{kind: clientGone})
		}
		s.forgetGrants(p.name)
	}
	s.pipes = append(s.pipes, p)
	p.feed.open(w, &p.client, eventEndpoint, pathSay+"?"+paramPipe+"="+url.QueryEscape(p.id))
}

// say takes one message of a pipe's client; its answer goes on the stream. There is no
// gate before initialize: a client whose stream broke opens another and goes on.
func (s *Server) say(r HTTPRequest, w HTTPWriter) {
	contentType, _ := r.Header("Content-Type")
	query, _ := url.ParseQuery(r.Query)
	at := slices.IndexFunc(s.pipes, func(p *pipe) bool { return p.id == query.Get(paramPipe) })
	text := trimSpace(r.Body)
	switch {
	case !isJSON(contentType):
		s.refuse(w, http.StatusUnsupportedMediaType, nil, errContentType)
		return
	case at < 0:
		s.refuse(w, http.StatusNotFound, nil, errNoSession)
		return
	case !utf8.Valid(text):
		s.refuse(w, http.StatusBadRequest, nil, errParse)
		return
	}
	p, m := s.pipes[at], new(message)
	p.heard = s.clock.Now()
	fault := m.readStrict(text)
	if fault == nil && m.id != nil && s.inFlight(p.calls, m.id) {
		m.id, fault = nil, errIDInUse
	}
	if fault != nil {
		s.refuse(w, http.StatusBadRequest, m.id, fault)
		return
	}
	w.Respond(http.StatusAccepted, nil, nil)
	if m.serves() {
		s.dispatch(&p.client, m)
	}
}
