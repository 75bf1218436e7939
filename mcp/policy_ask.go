// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
)

// enqueue puts a call among those that wait for the user.
func (s *Server) enqueue(c *call) {
	g, h := &s.gate, c.held
	switch {
	case g.asker == nil:
		s.deny(c, unattended(c))
		return
	case len(g.asks) >= maxAsks || s.askedBytes()+len(h.arguments) > maxAskBytes:
		s.deny(c, fmt.Sprintf("%s was denied: %d calls wait for the user's permission already", h.name, len(g.asks)))
		return
	}
	g.asks = append(g.asks, c.token)
	h.since, c.waits = s.clock.Now(), waitsForUser
	// What the user takes to think is not the tool's time.
	c.stopTimer = s.clock.AfterFunc(askTimeout, func() { s.change(c.token, event{kind: unanswered}) })
	s.askNext()
}

// askedBytes is how many bytes of arguments the calls have that wait for the user.
func (s *Server) askedBytes() (n int) {
	for _, token := range s.gate.asks {
		n += len(s.calls[token].held.arguments)
	}
	return n
}

// askNext asks about the oldest call that waits, unless the user is being asked.
func (s *Server) askNext() {
	g := &s.gate
	if g.asked != 0 || len(g.asks) == 0 {
		return
	}
	g.asked = g.asks[0]
	c := s.calls[g.asked]
	g.asker.Ask(Question{
		Token: c.token, Tool: c.held.name, Client: c.client.name, Name: c.client.says(),
		Arguments: cut(string(c.held.arguments[:min(len(c.held.arguments), maxShown+4)]), maxShown), Size: len(c.held.arguments),
		Paths: c.held.paths, Rule: c.held.verdict.rule,
	})
}

// Answer is what the user answers about a call, if that is what was asked last. The same
// refusal holds for the same call made again, and a permission for more than once for all
// that it covers. Loop goroutine.
func (s *Server) Answer(token uint64, answer Answer) {
	g := &s.gate
	if token == 0 || token != g.asked {
		return
	}
	c := s.calls[token]
	h := c.held
	h.answer = answer.String()
	g.asked = 0
	s.unask(c)
	switch answer {
	case Once:
		s.release(c)
	case Session:
		s.remember(grant{c.client.name, h.name, h.verdict.rule})
		s.allow(c)
	case Always:
		s.allow(c)
	case Unattended:
		s.deny(c, unattended(c))
	default:
		text := fmt.Sprintf("the user denied %s, who was asked because of %s", h.name, h.verdict.rule)
		same := s.sameAs(c)
		s.deny(c, text)
		for _, other := range same {
			other.held.answer = h.answer
			s.deny(other, text)
		}
	}
	s.review()
}

// allow has a call run that the user allowed as far as one rule goes; another may ask about
// what else it stands for.
func (s *Server) allow(c *call) {
	c.held.allowed = append(c.held.allowed, c.held.verdict.rule)
	if s.needsPaths(c.held) || s.verdict(c).action != Allow {
		s.judge(c)
		return
	}
	s.release(c)
}

func unattended(c *call) string {
	return fmt.Sprintf("%s needs the user's permission because of %s, and there is no user interface to ask in. %s",
		c.held.name, c.held.verdict.rule, remedy(c.held.name))
}

// unanswered is the answer of a call about which the user said nothing.
func (s *Server) unanswered(c *call, _ event) Outcome {
	return Outcome{Err: ToolError(fmt.Sprintf("%s needs the user's permission because of %s, and the user did not answer within %v",
		c.held.name, c.held.verdict.rule, askTimeout))}
}

// sameAs are the other calls that wait and are the same: client, tool and arguments.
func (s *Server) sameAs(c *call) (same []*call) {
	for _, token := range s.gate.asks {
		other := s.calls[token]
		if other != c && other.client.name == c.client.name && other.held.name == c.held.name &&
			bytes.Equal(other.held.arguments, c.held.arguments) {
			same = append(same, other)
		}
	}
	return same
}

// unask takes a call from those that wait for the user, and its question back if it is
// open, which it reports.
func (s *Server) unask(c *call) (open bool) {
	g, h := &s.gate, c.held
	i := slices.Index(g.asks, c.token)
	if i < 0 {
		return false
	}
	g.asks = slices.Delete(g.asks, i, i+1)
	h.waited = s.clock.Now().Sub(h.since)
	c.stop()
	if open = g.asked == c.token; open {
		g.asked = 0
		g.asker.Withdraw(c.token)
	}
	return open
}

// review judges anew the calls that wait for the user: those that need not wait any more
// go on.
func (s *Server) review() {
	for _, token := range slices.Clone(s.gate.asks) {
		c := s.calls[token]
		if c != nil && (s.needsPaths(c.held) || s.verdict(c).action != Ask) {
			s.unask(c)
			s.judge(c)
		}
	}
	s.askNext()
}

// remember keeps a permission. Without room for more one is forgotten, and asked for again.
func (s *Server) remember(permission grant) {
	g := &s.gate
	if g.grants == nil {
		g.grants = make(map[grant]bool)
	}
	if len(g.grants) >= maxGrants {
		for other := range g.grants {
			delete(g.grants, other)
			break
		}
	}
	g.grants[permission] = true
}

// forgetGrants takes from a client that left the permissions it had, and its long results.
func (s *Server) forgetGrants(client string) {
	s.rests.forget(client)
	maps.DeleteFunc(s.gate.grants, func(g grant, _ bool) bool { return g.client == client })
}

// Revoke takes back every permission that was given until a client leaves. Loop goroutine.
func (s *Server) Revoke() { clear(s.gate.grants) }
