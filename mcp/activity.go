// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"maps"
	"slices"
	"time"
)

// maxRecent is how many calls that ended are remembered.
const maxRecent = 200

// Record is a call that ended, as the audit log has it: names and sizes, and nothing of
// what its arguments or its result say.
type Record struct {
	Began time.Time
	// Took is how long it was in flight, and Waited how much of that for the user's
	// permission.
	Took, Waited time.Duration
	// Tool is the name by which the client called it.
	Tool string
	// Client is the caller's id, and Name what it calls itself, which may be empty.
	Client, Name string
	// Action is what policy said, by Rule, which is empty if no rule was asked; Answer is
	// the user's, if that was to ask.
	Action Action
	Rule   string
	Answer string
	// In and Out are the bytes of the arguments and of the result or the error's text.
	In, Out int
	// Outcome is ok, failed, denied, unanswered, cancelled, late, gone or stopped.
	Outcome string
}

// Auditor takes what there is to say of each call that ended, on the loop goroutine, and
// does not wait.
type Auditor interface{ Audit(r Record) }

// recent is a ring of the calls that ended last.
type recent struct {
	ring [maxRecent]Record
	next int
	full bool
}

func (r *recent) add(record Record) {
	r.ring[r.next] = record
	r.next++
	if r.next == len(r.ring) {
		r.next, r.full = 0, true
	}
}

// list is the newest first.
func (r *recent) list() []Record {
	n := r.next
	all := make([]Record, 0, len(r.ring))
	for i := range r.ring {
		if i >= n && !r.full {
			break
		}
		all = append(all, r.ring[(n-1-i+len(r.ring))%len(r.ring)])
	}
	return all
}

// record notes that a call ended.
func (s *Server) record(c *call, e event, out Outcome) {
	r := Record{
		Began: c.began, Took: s.clock.Now().Sub(c.began), Tool: c.tool,
		Client: c.client.name, Name: c.client.says(), In: c.size, Out: len(out.Result),
		Outcome: steps[e.kind].name,
	}
	if out.Err != nil {
		r.Out = len(out.Err.Message)
		if e.kind == finished {
			r.Outcome = "failed"
		}
	}
	if h := c.held; h != nil {
		r.Action, r.Rule, r.Answer, r.Waited = h.verdict.action, h.verdict.rule, h.answer, h.waited
	}
	s.recent.add(r)
	if s.auditor != nil {
		s.auditor.Audit(r)
	}
}

// says is what the client calls itself, "" if it did not say.
func (c *client) says() string {
	if c.session != nil {
		return c.session.says
	}
	return c.info.Name
}

// Flight is a call in flight and whose it is.
type Flight struct {
	CallInfo
	Client, Name string
}

// Peer is a client that is there, whether or not it calls.
type Peer struct{ Client, Name string }

// Activity is what clients do now, oldest first, what they did, newest first, and who they
// are. Loop goroutine.
func (s *Server) Activity() (now []Flight, past []Record, peers []Peer) {
	for _, token := range slices.Sorted(maps.Keys(s.calls)) {
		c := s.calls[token]
		now = append(now, Flight{CallInfo{c.tool, c.began, c.waits}, c.client.name, c.client.says()})
	}
	for _, id := range slices.Sorted(maps.Keys(s.clients)) {
		peers = append(peers, Peer{s.clients[id].name, s.clients[id].says()})
	}
	for _, g := range s.Guests() {
		peers = append(peers, Peer{g.Client, g.Name})
	}
	return now, s.recent.list(), peers
}
