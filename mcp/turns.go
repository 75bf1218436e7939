// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "time"

const (
	// holdAnnounced is how long the answer to a client that is about to write a file may be
	// held until the bytes before are known. Claude waits 500 ms for it.
	holdAnnounced = 300 * time.Millisecond
	// holdSampled is how long one may be held that asks after it wrote, for which Claude
	// waits 2 s.
	holdSampled = time.Second
	// maxURI is how many bytes the URI of a file may have: no path is as long.
	maxURI = 128 << 10
)

// Turns hears what clients of the IDE socket do to files, from prompt to prompt. Claude
// tells by tools that it calls by itself: closeAllDiffTabs when a prompt is sent,
// getDiagnostics with a file just before it writes that, and without one when it goes on.
// Its methods run on the loop goroutine and never wait; done is called once, on the loop
// goroutine, maybe at once.
type Turns interface {
	// Began says that a client, which calls itself name, sends a prompt.
	Began(client uint64, name string)
	// Announced says that it is about to write the file of a URI, for which it waits until
	// done.
	Announced(client uint64, name, uri string, done func())
	// Sampled says that it goes on after what it wrote, for which it waits until done.
	Sampled(client uint64, done func())
	// Left says that it is gone.
	Left(client uint64)
}

// delay keeps the answer of a call back for a time.
type delay struct {
	stopTimer func()
	end       *event // what ends the call, if that came
}

// tellTurns tells what a call says of files. The call itself goes on.
func (s *Server) tellTurns(c *call, arguments []byte) {
	if tell := c.client.profile.rules[c.of.Name].turn; tell != nil && s.turns != nil {
		tell(s, c, arguments)
	}
}

func (s *Server) turnBegins(c *call, _ []byte) { s.turns.Began(c.client.id, c.client.info.Name) }

// turnGoesOn holds the answer that the client waits for before it writes, or goes on.
func (s *Server) turnGoesOn(c *call, arguments []byte) {
	client, name := c.client.id, c.client.info.Name
	switch uri := member(arguments, "uri"); {
	case isString(uri) && len(uri) <= maxURI:
		text := string(appendText(nil, uri, len(uri)))
		s.hold(c, holdAnnounced, func(done func()) { s.turns.Announced(client, name, text, done) })
	case uri == nil || isNull(uri):
		s.hold(c, holdSampled, func(done func()) { s.turns.Sampled(client, done) })
	}
}

// hold keeps the answer of a call back until what begin starts is done, for at most most.
func (s *Server) hold(c *call, most time.Duration, begin func(done func())) {
	d := &delay{}
	c.delay = d
	d.stopTimer = s.clock.AfterFunc(most, func() { s.letGo(c, d) })
	begin(func() { s.letGo(c, d) })
}

// letGo has a call end that could have ended.
func (s *Server) letGo(c *call, d *delay) {
	d.stopTimer()
	if c.delay != d {
		return
	}
	c.delay = nil
	if d.end != nil {
		s.change(c.token, *d.end)
	}
}

// due reports what ends a call now, if an event does: not while its answer is kept back,
// unless nobody waits for that any more. It ends as it would have then.
func (c *call) due(e event) (event, bool) {
	waits := steps[e.kind].answer != nil && e.kind != serverStop
	switch {
	case c.delay == nil:
		return e, true
	case c.delay.end != nil:
		return *c.delay.end, !waits
	case waits:
		c.delay.end = &e
	}
	return e, !waits
}
