// Copyright (c) 2026 the claudecoded authors. MIT license.

package rig

import (
	"slices"
	"strings"
	"sync"
)

// maxLines is how many lines of the log are kept, the first ones.
const maxLines = 1 << 16

// Departure is how a client left.
type Departure struct {
	Code   int
	Reason string
}

// Record is what a daemon did. Any goroutine may read it.
type Record struct {
	mu         sync.Mutex
	opens      int
	departures map[uint64][]Departure
	lines      []string
}

func newRecord() *Record { return &Record{departures: map[uint64][]Departure{}} }

func (r *Record) opened(client uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opens++
	r.departures[client] = []Departure{}
}

func (r *Record) left(client uint64, d Departure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.departures[client] = append(r.departures[client], d)
}

// Write takes a line of the log.
func (r *Record) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.lines) < maxLines {
		r.lines = append(r.lines, string(line))
	}
	return len(line), nil
}

// Opens is how many clients connected.
func (r *Record) Opens() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.opens
}

// Departures is how a client left: empty while it has not, and nil if it never came.
func (r *Record) Departures(client uint64) []Departure {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.departures[client])
}

// Gone reports whether a client that was connected left.
func (r *Record) Gone(client uint64) bool { return len(r.Departures(client)) > 0 }

// Lines are the lines of the log with each of parts in them.
func (r *Record) Lines(parts ...string) (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.lines {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			found = append(found, line)
		}
	}
	return found
}

// Forget drops what was recorded of clients and the log so far.
func (r *Record) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opens, r.lines = 0, nil
	r.departures = map[uint64][]Departure{} // not cleared: that keeps its memory
}

func (r *Record) tail() string {
	const most = 50
	lines := r.Lines()
	return strings.Join(lines[max(0, len(lines)-most):], "")
}
