// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"slices"
	"time"
)

const (
	// slowAnswer is how long an answer may take before its response becomes a stream:
	// clients give up on a response whose head does not come.
	slowAnswer = 5 * time.Second
	// commentEvery is how often a stream that has nothing to say is kept alive.
	commentEvery = 15 * time.Second
	// maxBatch is how many messages a batch may hold.
	maxBatch = 256
)

const (
	typeJSON   = "application/json"
	typeEvents = "text/event-stream"
	// eventMessage is the name of an event that holds a message.
	eventMessage = "message"
)

// exchange is one POST and the response to it: the client of the engine that its
// messages come from, and the outlet that their answers go to. It is answered with JSON
// at once, or with a stream of events once one takes long or reports progress.
type exchange struct {
	client
	server *Server
	w      HTTPWriter
	header []HeaderField
	takes  accepted
	// status is that of a response of JSON.
	status int
	batch  bool
	// reading says that messages of the request are still to be served.
	reading bool
	// waits is how many requests are not answered yet.
	waits int
	// asked says that the request held one.
	asked   bool
	answers [][]byte
	stream  HTTPStream
	stop    func() // the timer
	over    bool   // the response is complete, or nobody takes it
}

func (s *Server) newExchange(p *profile, w HTTPWriter, takes accepted, name string) *exchange {
	x := &exchange{
		client: client{name: name, profile: p, speaks: revisionStateless},
		server: s, w: w, takes: takes, status: 200, reading: true, stop: func() {},
	}
	x.out = x
	return x
}

// join makes the exchange one of the session's.
func (x *exchange) join(s *session) {
	x.session, x.name, x.speaks = s, s.name, s.revision.name
	s.used = x.server.clock.Now()
	s.exchanges = append(s.exchanges, x)
}

// serve serves one message that was read; fault is what is wrong with it.
func (x *exchange) serve(m *message, fault *Error) {
	if fault != nil || m.id != nil && !m.response {
		x.await()
	}
	switch {
	case fault != nil:
		x.server.fail(&x.client, m.id, fault)
	case m.serves():
		x.server.dispatch(&x.client, m)
	}
}

// serves reports whether a message over HTTP is served: a request, or what is called a
// notification. A request without an id is none, and answers are to nothing we asked.
func (m *message) serves() bool {
	return !m.response && (m.id != nil || bytes.HasPrefix(m.method, []byte("notifications/")))
}

func (x *exchange) await() {
	x.asked = true
	x.waits++
}

// served ends the reading: what is not answered now is waited for.
func (x *exchange) served() {
	x.reading = false
	if x.finish(); x.over || x.stream != nil {
		return
	}
	x.w.OnClose(x.gone)
	if x.takes.events {
		x.stop = x.server.clock.AfterFunc(slowAnswer, func() {
			x.turn()
			x.stream.Comment()
		})
	}
}

// take implements outlet.
func (x *exchange) take(o payload) {
	switch {
	case o.answers:
		x.answer(o)
	case x.over || !x.takes.events:
	default:
		x.turn()
		x.stream.Event(eventMessage, o.text)
	}
}

func (x *exchange) answer(o payload) {
	x.waits--
	x.used += len(o.text)
	switch {
	case x.over:
	case x.stream != nil:
		x.stream.Event(eventMessage, o.text)
	default:
		if x.profile.status != nil && o.failure != nil {
			x.status = x.profile.status(o.failure.Code)
		}
		if !o.given {
			o.text = bytes.Clone(o.text)
		}
		x.answers = append(x.answers, o.text)
	}
	x.finish()
}

// unanswered implements outlet.
func (x *exchange) unanswered() {
	x.waits--
	x.finish()
}

// turn makes the response a stream, which begins with the answers there are.
func (x *exchange) turn() {
	if x.stream != nil {
		return
	}
	x.stop()
	x.stream = x.w.Stream(x.header)
	x.stop = x.server.keepAlive(x.stream, &x.client)
	x.stream.OnClose(x.gone)
	for _, text := range x.answers {
		x.stream.Event(eventMessage, text)
	}
	x.answers = nil
}

// finish completes the response if nothing is waited for.
func (x *exchange) finish() {
	if x.reading || x.waits > 0 {
		return
	}
	if x.session != nil {
		x.session.exchanges = slices.DeleteFunc(x.session.exchanges, func(other *exchange) bool { return other == x })
	}
	if x.over {
		return
	}
	x.stop()
	// A request that was cancelled has no answer, and a stream may end without one.
	if x.takes.events && x.asked && (len(x.answers) == 0 || !x.takes.json) {
		x.turn()
		x.stop()
	}
	x.over = true
	switch {
	case x.stream != nil:
		x.stream.End()
	case len(x.answers) == 0:
		x.w.Respond(202, x.header, nil)
	default:
		x.w.Respond(x.status, append(x.header, HeaderField{"Content-Type", typeJSON}), x.body())
	}
}

// body is the answers as one JSON text.
func (x *exchange) body() []byte {
	if !x.batch {
		return x.answers[0]
	}
	b := append([]byte{'['}, bytes.Join(x.answers, []byte{','})...)
	return append(b, ']')
}

// gone hears that nobody waits for the response any more. Up to 2025-11-25 that cancels
// nothing: the calls go on, and their answers are dropped.
func (x *exchange) gone() {
	if x.over {
		return
	}
	x.over = true
	x.stop()
	x.answers = nil
	if x.session != nil {
		x.session.used = x.server.clock.Now()
		return
	}
	for _, token := range slices.Clone(x.calls) {
		x.server.change(token, event{kind: clientGone})
	}
}
