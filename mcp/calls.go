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
	of        *Tool
	tool      string // its name as the caller said it
	id        []byte // nil: nobody wants an answer
	size      int    // bytes of its arguments
	held      *held  // nil if policy let it run at once
	delay     *delay // nil if its answer need not wait
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
	denied
	unanswered
)

// steps is what each event does: whether it ends the call, whether the editor is
// told to drop it, and what the caller is answered, if anything. It is filled by init,
// because what it holds comes back to it.
var steps [unanswered + 1]step

type step struct {
	name       string // for Record.Outcome
	ends, drop bool
	answer     func(*Server, *call, event) Outcome
}

func init() {
	brought := func(_ *Server, _ *call, e event) Outcome { return e.outcome }
	steps = [...]step{
		finished:        {name: "ok", ends: true, answer: brought},
		progressed:      {},
		callCancelled:   {name: "cancelled", ends: true, drop: true},
		deadlineReached: {name: "late", ends: true, drop: true, answer: (*Server).late},
		clientGone:      {name: "gone", ends: true, drop: true},
		serverStop:      {name: "stopped", ends: true, drop: true, answer: stopping},
		denied:          {name: "denied", ends: true, answer: brought},
		unanswered:      {name: "unanswered", ends: true, answer: (*Server).unanswered},
	}
}

// change is the only way a call in flight changes. An event for a call that
// ended already is ignored, so a call ends once whatever comes together.
func (s *Server) change(token uint64, e event) {
	c := s.calls[token]
	if c == nil {
		return
	}
	if !steps[e.kind].ends {
		s.report(c, e.progress)
		return
	}
	awaited := steps[e.kind].answer != nil
	e, now := c.due(e)
	if !now {
		return
	}
	step := steps[e.kind]
	delete(s.calls, token)
	c.client.calls = slices.DeleteFunc(c.client.calls, func(t uint64) bool { return t == token })
	c.stop()
	if e.kind == finished {
		s.catchUp(c)
	}
	c.progress.quiet()
	asked := c.held != nil && s.unask(c)
	var out Outcome
	if step.answer != nil {
		out = step.answer(s, c, e)
	}
	s.record(c, e, out)
	switch {
	case awaited:
		s.answer(c, out)
	case c.id != nil:
		c.client.out.unanswered()
	}
	if step.drop {
		s.editor.Cancel(token)
	}
	if asked {
		s.askNext()
	}
}

// stop stops the timers that would end the call.
func (c *call) stop() {
	if c.stopTimer != nil {
		c.stopTimer()
		c.stopTimer = nil
	}
	if c.delay != nil {
		c.delay.stopTimer()
		c.delay = nil
	}
}

// enter puts a call in flight.
func (s *Server) enter(c *call, t *Tool) {
	c.token, c.began = lastToken.Add(1), s.clock.Now()
	s.calls[c.token] = c
	s.count(t.Name)
	c.client.calls = append(c.client.calls, c.token)
}

// begin has the editor run a call.
func (s *Server) begin(c *call, t *Tool, arguments []byte) {
	s.hand(c, Call{Tool: t.Name, Args: arguments, UI: t.UI})
}

// hand gives the editor a call, or what is to be known before, and limits the time that
// it takes.
func (s *Server) hand(c *call, what Call) {
	what.Token, what.Client = c.token, c.client.name
	if c.held != nil {
		what.Paths = c.held.paths
	}
	if c.wait > 0 {
		what.Deadline = s.clock.Now().Add(c.wait)
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
	s.editor.Call(what)
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
