// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// maxInFlight is how many calls one client may have in flight.
const maxInFlight = 256

// lastToken makes tokens unique in the process, whatever servers it has.
var lastToken atomic.Uint64

// call is a tool call in flight: it is in Server.calls under its token, and its
// token is in its client's list, from begin until the one event that ends it.
type call struct {
	token     uint64
	client    *client
	tool      string
	id        []byte // nil: nobody wants an answer
	began     time.Time
	wait      time.Duration
	stopTimer func()
	waits     string // what Waiting last said
	// rejected is the result if the server stops first; nil: an error.
	rejected []byte
	progress progressState
}

// event is what can happen to a call in flight.
type event struct {
	kind     eventKind
	outcome  Outcome  // of finished
	progress progress // of progressed
}

type eventKind int

const (
	finished eventKind = iota
	progressed
	callCancelled
	deadlineReached
	clientGone
	serverStop
)

// steps is what each event does: whether it ends the call, whether the editor is
// told to drop it, and what the caller is answered, if anything.
var steps = [...]struct {
	ends, drop bool
	answer     func(*Server, *call, event) Outcome
}{
	finished:        {ends: true, answer: func(_ *Server, _ *call, e event) Outcome { return e.outcome }},
	progressed:      {},
	callCancelled:   {ends: true, drop: true},
	deadlineReached: {ends: true, drop: true, answer: (*Server).late},
	clientGone:      {ends: true, drop: true},
	serverStop:      {ends: true, drop: true, answer: stopping},
}

// change is the only way a call in flight changes. An event for a call that
// ended already is ignored, so a call ends once whatever comes together.
func (s *Server) change(token uint64, e event) {
	c := s.calls[token]
	if c == nil {
		return
	}
	step := steps[e.kind]
	if !step.ends {
		s.report(c, e.progress)
		return
	}
	delete(s.calls, token)
	c.client.calls = slices.DeleteFunc(c.client.calls, func(t uint64) bool { return t == token })
	if c.stopTimer != nil {
		c.stopTimer()
	}
	switch {
	case step.answer != nil:
		s.answer(c, step.answer(s, c, e))
	case c.id != nil:
		c.client.out.unanswered()
	}
	if step.drop {
		s.editor.Cancel(token)
	}
}

// Finish ends a call with what came of it. It is ignored if the call ended
// already: it was cancelled, its deadline passed or its client left. Loop
// goroutine; the outcome's bytes belong to the server from now on.
func (s *Server) Finish(token uint64, out Outcome) {
	s.change(token, event{kind: finished, outcome: out})
}

// begin puts a call in flight and hands it to the editor.
func (s *Server) begin(c *call, t *Tool, arguments []byte) {
	c.token, c.began = lastToken.Add(1), s.clock.Now()
	s.calls[c.token] = c
	s.count(t.Name)
	c.client.calls = append(c.client.calls, c.token)
	var deadline time.Time
	if c.wait > 0 {
		deadline = c.began.Add(c.wait)
		c.stopTimer = s.clock.AfterFunc(c.wait, func() { s.change(c.token, event{kind: deadlineReached}) })
	}
	// An editor that panics has raised in a tool: the caller is told and the
	// connection stays.
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("tool call panicked", "tool", c.tool, "panic", fmt.Sprintf("%T", r)) // a text could quote content
			s.change(c.token, event{kind: finished, outcome: Outcome{Err: errRaised}})
		}
	}()
	s.editor.Call(Call{
		Token:    c.token,
		Tool:     t.Name,
		Args:     arguments,
		Client:   c.client.name,
		Deadline: deadline,
		UI:       t.UI,
	})
}

// Waiting says why a call that opens windows has not begun: what the user is doing,
// for the error at its deadline. An empty reason says that it has. Loop goroutine; it
// is ignored if the call ended.
func (s *Server) Waiting(token uint64, reason string) {
	if c := s.calls[token]; c != nil {
		c.waits = reason
	}
}

// late is the answer of a call whose deadline passed. It says what is known of
// the editor, because that is what the user can act on.
func (s *Server) late(c *call, _ event) Outcome {
	text := fmt.Sprintf("%s: no answer within %v", c.tool, c.wait)
	switch {
	case s.state != "":
		text += ": the editor is " + s.state
		if past := s.clock.Now().Sub(s.since); !s.since.IsZero() && past >= time.Second {
			text += fmt.Sprintf(" for %d s", int(past.Seconds()))
		}
	case c.waits != "":
		text += ": the editor is waiting for a safe moment (" + c.waits + ")"
	}
	return Outcome{Err: ToolError(text)}
}

func stopping(_ *Server, c *call, _ event) Outcome {
	if c.rejected != nil {
		return Outcome{Result: c.rejected}
	}
	return Outcome{Err: errStopping}
}
