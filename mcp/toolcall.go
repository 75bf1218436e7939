// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"context"
	"log/slog"
)

// callTool starts a tools/call; the answer comes when the call ends. Without an
// id the tool runs all the same and its outcome is dropped.
func (s *Server) callTool(c *client, m *message) {
	if !isString(m.at[slotName]) {
		s.fail(c, m.id, errNoToolName)
		return
	}
	name := string(appendText(nil, m.at[slotName], maxMethod))
	t := s.tools.find(c.profile, name)
	if t == nil {
		s.fail(c, m.id, c.profile.unknownTool(name))
		return
	}
	arguments := m.at[slotArguments]
	switch {
	case arguments == nil || isNull(arguments):
		arguments = emptyObject
	case !isObject(arguments):
		s.fail(c, m.id, errArguments)
		return
	}
	if len(c.flight()) >= maxInFlight {
		s.failTool(c, m.id, errTooManyCalls)
		return
	}
	if s.debug() {
		s.log.Debug("tools/call", "client", c.name, "tool", name, "arguments", sizes(arguments))
	}
	arguments = bytes.Clone(arguments)
	call := &call{
		client:   c,
		of:       t,
		tool:     name,
		id:       bytes.Clone(m.id),
		size:     len(arguments),
		wait:     c.profile.wait(t, arguments),
		progress: newProgressState(member(m.at[slotMeta], "progressToken")),
	}
	if r := c.profile.rules[t.Name]; r.atStop != nil {
		call.rejected = r.atStop(arguments)
	}
	s.enter(call, t)
	s.tellTurns(call, arguments)
	s.check(call, arguments)
}

// check has a call go on whose arguments, completed, are what its tool accepts.
func (s *Server) check(c *call, arguments []byte) {
	accepts := c.of.made.accepts
	if !c.client.profile.checked || accepts == nil {
		s.submit(c, c.of, arguments)
		return
	}
	var completed []byte
	var err error
	check := func(visits int) error {
		completed, err = accepts.complete(arguments, visits)
		return err
	}
	then := func() {
		switch {
		case s.calls[c.token] == nil: // it ended meanwhile
		case err != nil:
			s.refuseCall(c, ToolError("invalid arguments for "+c.tool+": "+err.Error()))
		case c.of.Name == restTool:
			s.readOn(c, completed)
		default:
			s.submit(c, c.of, completed)
		}
	}
	if !s.aside.measured(len(arguments), check, then) {
		s.refuseCall(c, errChecks)
	}
}

func (s *Server) refuseCall(c *call, e *Error) {
	s.change(c.token, event{kind: finished, outcome: Outcome{Err: e}})
}

// answer sends what came of a call to its caller, if it still waits.
func (s *Server) answer(c *call, out Outcome) {
	if out.Err != nil {
		s.answerError(c, out.Err.wire())
		return
	}
	if s.debug() {
		s.log.Debug("tools/call done", "client", c.client.name, "tool", c.tool,
			"took", s.clock.Now().Sub(c.began), "result", sizes(out.Result))
	}
	if c.id == nil {
		return
	}
	b, ok := c.client.profile.appendResult(s.start(c.id, len(out.Result)), out.Result)
	if !ok {
		s.answerError(c, errNoResult)
		return
	}
	s.end(c.client, c.id, append(b, '}'), nil)
}

func (s *Server) answerError(c *call, e *Error) {
	if s.debug() {
		s.log.Debug("tools/call failed", "client", c.client.name, "tool", c.tool,
			// What a tool says may quote content.
			"took", s.clock.Now().Sub(c.began), "code", e.Code, "message_bytes", len(e.Message))
	}
	s.failTool(c.client, c.id, e)
}

// failTool answers a call that failed the way the client's profile does.
func (s *Server) failTool(c *client, id []byte, e *Error) {
	if id == nil {
		return
	}
	if c.profile.appendFailure != nil {
		if b, ok := c.profile.appendFailure(s.start(id, len(e.Message)+len(e.Data)), e); ok {
			s.end(c, id, append(b, '}'), nil)
			return
		}
	}
	s.fail(c, id, e)
}

// debug spares the work of describing a call that nobody logs.
func (s *Server) debug() bool { return s.log.Enabled(context.Background(), slog.LevelDebug) }
