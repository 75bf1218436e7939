// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"maps"
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
	infos := make([]CallInfo, 0, len(c.calls))
	for _, token := range c.calls {
		call := s.calls[token]
		infos = append(infos, CallInfo{call.tool, call.began, call.waits})
	}
	return infos
}

func (s *Server) count(tool string) {
	if _, known := s.called[tool]; known || len(s.called) < maxCounted {
		s.called[tool]++
	}
}

// Called is how often each tool was called, by its registered name, since the server was
// made. Loop goroutine; the map is the caller's.
func (s *Server) Called() map[string]int { return maps.Clone(s.called) }
