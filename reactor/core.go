// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"log/slog"
	"sync"
	"time"
)

// core is what every implementation of Loop shares: the turn, posted closures,
// timers and the loop's end. Only the fields below mu may be touched by another
// goroutine than the loop's.
type core struct {
	log      *slog.Logger
	kick     func() // makes the poll in progress, or the next one, return; called with mu held
	wheel    *Wheel
	deferred batch[func()]
	waiters  batch[*pollWaiter]
	dirty    batch[socket]   // to be flushed at the end of the turn
	ended    batch[endedOp]  // writes whose done has to run
	conns    map[socket]bool // to be closed at the loop's end
	taken    []func()        // posted closures, to run in this turn and the next ones
	ran      int             // of taken
	behind   bool            // this turn took none: some may be posted behind taken
	closed   bool            // the loop has ended

	mu       sync.Mutex
	posted   batch[func()]
	woken    bool // kick was called since the last turn began
	stopping bool // no closure is accepted any more
}

// socket is what an implementation adds to a conn.
type socket interface {
	// flush writes what is queued and adapts to what changed during the turn.
	flush()
	// base is the part all implementations share.
	base() *conn
	// release closes the socket and ends the queued writes with err.
	release(err error)
}

type pollWaiter struct{ f func() }

type endedOp struct {
	conn *conn
	done func(error)
	err  error
}

func (l *core) init(o Options, kick func()) {
	// The first timer of a process makes the runtime open descriptors of its own,
	// and a process that cannot give them dies. Later there may be none left.
	time.AfterFunc(time.Hour, func() {}).Stop()
	l.log, l.kick = o.logger(), kick
	l.wheel = NewWheel(time.Now())
	l.conns = map[socket]bool{}
}

// Now implements Loop.
func (l *core) Now() time.Time { return time.Now() }

// Post implements Loop. The queue is as long as its users make it: each of them
// has a bounded number of closures on their way.
func (l *core) Post(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopping {
		return false
	}
	l.posted.add(f)
	l.wakeLocked()
	return true
}

// Stop implements Loop.
func (l *core) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopping {
		l.stopping = true
		l.wakeLocked()
	}
}

func (l *core) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopping {
		l.wakeLocked()
	}
}

func (l *core) wakeLocked() {
	if !l.woken {
		l.woken = true
		l.kick()
	}
}

func (l *core) stopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopping
}

// Defer implements Loop.
func (l *core) Defer(f func()) { l.deferred.add(f) }

// AfterNextPoll implements Loop.
func (l *core) AfterNextPoll(f func()) (stop func()) {
	w := &pollWaiter{f}
	l.waiters.add(w)
	return func() { w.f = nil }
}

// AfterFunc implements Loop.
func (l *core) AfterFunc(d time.Duration, f func()) *Timer {
	return l.wheel.At(l.Now().Add(d), func() { l.call("timer", f) })
}

// turn handles one poll. io handles what the poll found; recycle takes back the
// bytes that io handed out.
func (l *core) turn(io, recycle func()) {
	l.mu.Lock()
	l.woken = false
	l.mu.Unlock()
	waiters := l.waiters.take()
	io()
	l.runEnded()
	for _, w := range waiters {
		if w.f != nil {
			l.call("poll waiter", w.f)
		}
	}
	l.waiters.give(waiters)
	l.runPosted()
	l.runTimers()
	l.runDeferred()
	recycle()
	l.runWrites()
}

// runPosted runs a turn's share of what was posted before it, and reports whether there
// was something.
func (l *core) runPosted() bool {
	l.behind = l.ran < len(l.taken)
	if !l.behind {
		l.mu.Lock()
		l.posted.give(l.taken)
		l.taken, l.ran = l.posted.take(), 0
		l.mu.Unlock()
	}
	for end := min(l.ran+maxPosted, len(l.taken)); l.ran < end; l.ran++ {
		f := l.taken[l.ran]
		l.taken[l.ran] = nil
		l.call("posted closure", f)
	}
	return len(l.taken) > 0
}

func (l *core) runDeferred() {
	l.deferred.drain(func(f func()) { l.call("deferred closure", f) })
}

func (l *core) runWrites() {
	l.dirty.drain(func(s socket) {
		s.flush()
		l.runEnded()
	})
	l.runEnded()
}

func (l *core) runEnded() {
	l.ended.drain(func(op endedOp) { op.conn.written(op.done, op.err) })
}

// idle reports that nothing is waiting for the next turn.
func (l *core) idle() bool {
	return !l.behind && l.ran == len(l.taken) && l.deferred.empty() && l.waiters.empty() && l.dirty.empty() && l.ended.empty()
}

func (l *core) runTimers() { l.wheel.Advance(l.Now()) }

// shutdown ends the loop after its last turn: closures posted before Stop run,
// what is queued is written as far as the kernel takes it at once, every
// connection is closed, and every pending write gets its done. settle waits for
// writes that are under way, release for whatever the implementation runs.
func (l *core) shutdown(settle, release func()) {
	l.mu.Lock()
	l.stopping = true
	l.mu.Unlock()
	for l.runPosted() {
	}
	l.runDeferred()
	l.runWrites()
	settle()
	l.closed = true
	for s := range l.conns {
		s.base().fail(ErrClosed)
	}
	release()
	for range maxLastRounds {
		if l.deferred.empty() && l.ended.empty() {
			break
		}
		l.runDeferred()
		l.runWrites()
	}
}
