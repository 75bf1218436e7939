// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// maxCounted is how many tools' calls are counted: tools can be registered under ever
// new names.
const maxCounted = 1024

// CallInfo describes a call in flight.
type CallInfo struct {
	Tool  string
	Began time.Time
	// Waits is what Waiting last said of it.
	Waits string
}

// InFlight lists a client's calls in flight, oldest first. Loop goroutine.
func (s *Server) InFlight(id uint64) []CallInfo {
	c := s.clients[id]
	if c == nil {
		return nil
	}
	return s.describe(c.calls)
}

func (s *Server) describe(tokens []uint64) []CallInfo {
	infos := make([]CallInfo, 0, len(tokens))
	for _, token := range tokens {
		call := s.calls[token]
		infos = append(infos, CallInfo{call.tool, call.began, call.waits})
	}
	return infos
}

// Guest is a client of HTTP that is there: one that has a session or a stream of its own,
// waits for an answer, or had one in the last five minutes.
type Guest struct {
	// Client is the caller's id, and Name what it calls itself, which may be empty.
	Client, Name string
	// Revision of the protocol is what both speak.
	Revision string
	// Began is when it came, and Heard when it last asked for something.
	Began, Heard time.Time
	// Calls are those in flight, oldest first.
	Calls []CallInfo
}

// prefixStateless begins the ids of callers without a session: the rest is the number of
// their connection.
const prefixStateless = "http_"

// guestFor is how long a caller without a session counts as there after its last call.
const guestFor = 5 * time.Minute

// Guests lists the clients of HTTP, those with sessions first. Loop goroutine.
func (s *Server) Guests() (all []Guest) {
	for _, g := range s.sessions.all {
		if g.unlessIdle(s.clock.Now()) != nil {
			all = append(all, Guest{g.name, g.says, g.revision.name, g.began, g.used, s.describe(g.flight())})
		}
	}
	for _, p := range s.pipes {
		all = append(all, Guest{p.name, p.says(), p.speaks, p.began, p.heard, s.describe(p.calls)})
	}
	known := len(all)
	for _, token := range slices.Sorted(maps.Keys(s.calls)) {
		c := s.calls[token]
		if c.client.profile != &stateless {
			continue
		}
		i := slices.IndexFunc(all[known:], func(g Guest) bool { return g.Client == c.client.name })
		if i < 0 {
			i = len(all) - known
			all = append(all, Guest{Client: c.client.name, Name: c.client.says(), Revision: revisionStateless, Began: c.began})
		}
		g := &all[known+i]
		g.Heard = c.began
		g.Calls = append(g.Calls, s.describe([]uint64{token})...)
	}
	return s.addCallers(all)
}

// addCallers adds those without a session whose last call ended not long ago.
func (s *Server) addCallers(all []Guest) []Guest {
	for _, r := range s.recent.list() { // the newest first
		ended := r.Began.Add(r.Took)
		if !strings.HasPrefix(r.Client, prefixStateless) || s.clock.Now().Sub(ended) > guestFor ||
			slices.ContainsFunc(all, func(g Guest) bool { return g.Client == r.Client }) {
			continue
		}
		all = append(all, Guest{Client: r.Client, Name: r.Name, Revision: revisionStateless, Began: r.Began, Heard: r.Began})
	}
	return all
}

func (s *Server) count(tool string) {
	if _, known := s.called[tool]; known || len(s.called) < maxCounted {
		s.called[tool]++
	}
}

// Called is how often each tool was called, by its registered name, since the server was
// made. Loop goroutine; the map is the caller's.
func (s *Server) Called() map[string]int { return maps.Clone(s.called) }
