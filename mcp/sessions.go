// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"crypto/rand"
	"slices"
	"strconv"
	"time"
)

const (
	// maxSessions is how many sessions there are at once. Clients seldom end theirs, so
	// a new one takes the place of the one that is idle longest.
	maxSessions = 64
	// sessionIdle is how long a session may be idle: without a request, with no stream
	// open and nobody waiting for an answer.
	sessionIdle = 24 * time.Hour
)

// session is what a client of Streamable HTTP has from its initialize until its DELETE.
type session struct {
	// id is secret: whoever knows it can cancel the session's calls.
	id       string
	name     string
	says     string // what its client calls itself
	revision *revision
	began    time.Time
	used     time.Time
	// exchanges are its requests that somebody waits for, or whose calls go on.
	exchanges []*exchange
	// feed is its GET stream, if one is open.
	feed *feed
	// owed says that the tools changed while there was none.
	owed bool
}

// sessions is the table of sessions, in the order they began.
type sessions struct {
	all   []*session
	count uint64
	// newID makes an id that nobody can guess, of visible ASCII.
	newID func() string
}

func newSessions() sessions { return sessions{newID: rand.Text} }

// find is the session of that id, or nil if there is none or it was idle too long.
func (t *sessions) find(id string, now time.Time) *session {
	for _, s := range t.all {
		if s.id == id {
			return s.unlessIdle(now)
		}
	}
	return nil
}

func (s *session) unlessIdle(now time.Time) *session {
	if !s.busy() && now.Sub(s.used) > sessionIdle {
		return nil
	}
	return s
}

// add begins a session and returns those that make room for it.
func (t *sessions) add(r *revision, now time.Time) (s *session, out []*session) {
	var oldest *session
	for _, other := range t.all {
		switch {
		case other.unlessIdle(now) == nil:
			out = append(out, other)
		case oldest == nil, other.before(oldest):
			oldest = other
		}
	}
	if len(t.all)-len(out) >= maxSessions {
		out = append(out, oldest)
	}
	t.count++
	s = &session{id: t.newID(), name: "mcp_" + strconv.FormatUint(t.count, 10), revision: r, began: now, used: now}
	t.all = append(t.all, s)
	return s, out
}

// before reports whether s makes room before other does: the idle first.
func (s *session) before(other *session) bool {
	if s.busy() != other.busy() {
		return other.busy()
	}
	return s.used.Before(other.used)
}

func (t *sessions) remove(s *session) {
	t.all = slices.DeleteFunc(t.all, func(other *session) bool { return other == s })
}

// busy reports whether somebody reads what the session says.
func (s *session) busy() bool {
	return s.feed != nil || slices.ContainsFunc(s.exchanges, func(x *exchange) bool { return !x.over })
}

// flight are the tokens of its calls in flight.
func (s *session) flight() (tokens []uint64) {
	for _, x := range s.exchanges {
		tokens = append(tokens, x.calls...)
	}
	return tokens
}

// endSession forgets a session; its calls in flight end without an answer, and its
// streams end.
func (s *Server) endSession(gone *session) {
	s.sessions.remove(gone)
	for _, token := range gone.flight() {
		s.change(token, event{kind: callCancelled})
	}
	s.forgetGrants(gone.name)
	if gone.feed != nil {
		gone.feed.end()
	}
}
