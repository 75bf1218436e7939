// Copyright (c) 2026 the claudecoded authors. MIT license.

package fake

import (
	"slices"
	"time"
)

// The bounds of a turn, as in the real loop.
const (
	maxRead   = 256 << 10 // bytes of one connection
	maxPosted = 1024      // posted closures
)

// Block lets time pass without a turn, as a callback does that takes long.
func (l *Loop) Block(d time.Duration) { l.now = l.now.Add(d) }

// InPoll runs f inside the next turn's poll: after the poll has seen which
// connections are ready and before any of them is served. What peers do in f is
// not seen by that poll; Block in f makes it the long callback of another one.
func (l *Loop) InPoll(f func()) { l.inPoll = append(l.inPoll, f) }

// Advance lets d pass as a loop lives through it that is never late: it runs the
// turns that are due, each at its time, and stops at rest.
func (l *Loop) Advance(d time.Duration) {
	end := l.now.Add(d)
	for {
		l.Settle()
		at, ok := l.wheel.Next()
		if !ok || at.After(end) {
			break
		}
		if at.After(l.now) {
			l.now = at
		}
		l.Turn()
	}
	l.now = end
}

// Settle runs turns until one more would do nothing. Time stands still.
func (l *Loop) Settle() {
	for range maxTurns {
		if !l.busy() {
			return
		}
		l.Turn()
	}
	panic("fake: the loop does not come to rest")
}

// NextTimer is when the next timer is due, and whether there is one.
func (l *Loop) NextTimer() (time.Time, bool) { return l.wheel.Next() }

// busy reports whether a turn would find something to do.
func (l *Loop) busy() bool {
	l.mu.Lock()
	posted := len(l.posted)
	l.mu.Unlock()
	at, timer := l.wheel.Next()
	return posted+len(l.deferred)+len(l.waiters)+len(l.inPoll) > 0 ||
		timer && !at.After(l.now) ||
		slices.ContainsFunc(l.conns, func(c *conn) bool { return c.state() != idle || c.dirty && !c.blocked })
}

// Turn runs one turn: the poll, posted closures, due timers, what Defer
// collected, and the writes.
func (l *Loop) Turn() {
	l.poll()
	l.runPosted(maxPosted)
	l.wheel.Advance(l.now)
	deferred := l.deferred
	l.deferred = nil
	for _, f := range deferred {
		l.call(f)
	}
	l.spoilReads()
	for _, c := range slices.Clone(l.conns) {
		c.flush()
	}
	l.conns = slices.DeleteFunc(l.conns, func(c *conn) bool { return c.closed })
}

func (l *Loop) poll() {
	type event struct {
		conn  *conn
		ready readiness
	}
	waiters := l.waiters
	l.waiters = nil
	var events []event
	for _, c := range l.conns {
		if ready := c.state(); ready != idle {
			events = append(events, event{c, ready})
		}
	}
	during := l.inPoll
	l.inPoll = nil
	for _, f := range during {
		f()
	}
	for _, e := range events {
		e.conn.serve(e.ready)
	}
	for _, w := range waiters {
		l.call(w.run)
	}
}

func (l *Loop) runPosted(most int) {
	l.mu.Lock()
	n := min(most, len(l.posted))
	posted := l.posted[:n]
	l.posted = l.posted[n:]
	l.mu.Unlock()
	for _, f := range posted {
		l.call(f)
	}
}

// call runs a callback and reports whether it did not panic.
func (l *Loop) call(f func()) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			l.Panics = append(l.Panics, p)
		}
	}()
	f()
	return true
}

// spoilReads overwrites the bytes that were handed out in this turn: whoever
// kept them will notice.
func (l *Loop) spoilReads() {
	for _, p := range l.reads {
		for n := copy(p, "spoilt"); n > 0 && n < len(p); n *= 2 {
			copy(p[n:], p[:n])
		}
	}
	l.reads = l.reads[:0]
}
