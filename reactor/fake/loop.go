// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package fake is a reactor.Loop without sockets or a clock of its own: a test
// moves the time, runs the turns and plays the clients, so every late tick and
// every blocked poll can be repeated exactly.
package fake

import (
	"math"
	"sync"
	"syscall"
	"time"

	"claudecoded/reactor"
)

// maxTurns bounds Settle: a loop that is still busy after it never comes to rest.
const maxTurns = 1 << 20

// Loop is a reactor.Loop that runs only when it is told to. All methods but Post
// and Stop belong to the test's goroutine, which plays the loop's.
type Loop struct {
	// ReadSize is the most one call of Events.Data gets, in bytes.
	ReadSize int
	// Panics collects what callbacks panicked with; the loop lives on.
	Panics []any

	now       time.Time
	wheel     *reactor.Wheel
	deferred  []func()
	waiters   []*waiter
	inPoll    []func()
	listeners []*listener
	conns     []*conn // open, in the order they connected
	exits     map[int][]*waiter
	reads     [][]byte // handed out in this turn

	ended bool // Run has returned

	mu      sync.Mutex // guards what Post and Stop touch
	posted  []func()
	stopped bool
	wake    chan struct{}
}

var _ reactor.Loop = (*Loop)(nil)

// waiter is a callback that can be stopped before it runs.
type waiter struct {
	f       func()
	stopped bool
}

func (w *waiter) stop() { w.stopped = true }

func (w *waiter) run() {
	if !w.stopped {
		w.stopped = true
		w.f()
	}
}

// New returns a loop whose clock stands at the start of 2026.
func New() *Loop {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return &Loop{
		ReadSize: 64 << 10,
		now:      now,
		wheel:    reactor.NewWheel(now),
		exits:    map[int][]*waiter{},
		wake:     make(chan struct{}, 1),
	}
}

// Run runs turns until Stop, resting while there is nothing to do, then closes
// what is still open. The clock moves only if a posted closure moves it.
func (l *Loop) Run() error {
	for {
		l.Settle()
		l.mu.Lock()
		if l.stopped && len(l.posted) == 0 {
			l.mu.Unlock()
			l.ended = true
			break
		}
		l.mu.Unlock()
		<-l.wake
	}
	for _, ln := range l.listeners {
		ln.Close()
	}
	for _, c := range l.conns {
		c.fail(reactor.ErrClosed)
	}
	l.runPosted(math.MaxInt)
	return nil
}

// Stop ends Run after the turn in progress.
func (l *Loop) Stop() {
	l.mu.Lock()
	l.stopped = true
	l.mu.Unlock()
	l.signal()
}

// Post queues f for the next turn.
func (l *Loop) Post(f func()) bool {
	l.mu.Lock()
	open := !l.stopped
	if open {
		l.posted = append(l.posted, f)
	}
	l.mu.Unlock()
	if open {
		l.signal()
	}
	return open
}

func (l *Loop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// later queues a callback of the loop itself, which a Stop does not prevent.
func (l *Loop) later(f func()) {
	l.mu.Lock()
	l.posted = append(l.posted, f)
	l.mu.Unlock()
}

// Defer queues f for the end of this turn.
func (l *Loop) Defer(f func()) { l.deferred = append(l.deferred, f) }

// AfterNextPoll runs f after the next poll's reads and writes.
func (l *Loop) AfterNextPoll(f func()) (stop func()) {
	w := &waiter{f: f}
	l.waiters = append(l.waiters, w)
	return w.stop
}

// AfterFunc runs f in the first turn d or more from now.
func (l *Loop) AfterFunc(d time.Duration, f func()) *reactor.Timer {
	return l.wheel.At(l.now.Add(d), func() { l.call(f) })
}

// Now is the manual clock.
func (l *Loop) Now() time.Time { return l.now }

// WatchExit runs f in the turn after Exit(pid).
func (l *Loop) WatchExit(pid int, f func()) (stop func(), err error) {
	if l.ended {
		return nil, reactor.ErrClosed
	}
	w := &waiter{f: f}
	l.exits[pid] = append(l.exits[pid], w)
	return w.stop, nil
}

// Exit ends a process that WatchExit watches.
func (l *Loop) Exit(pid int) {
	for _, w := range l.exits[pid] {
		l.later(w.run)
	}
	delete(l.exits, pid)
}

// Listen takes the first port of the range that no open listener has. {0, 0}
// takes one above 40000.
func (l *Loop) Listen(ports reactor.PortRange, accept func(reactor.Conn) reactor.Events) (reactor.Listener, error) {
	if ports == (reactor.PortRange{}) {
		ports = reactor.PortRange{Min: 40000, Max: 50000}
	}
	if l.ended {
		return nil, reactor.ErrClosed
	}
	var last error
	for port := range ports.All() {
		if l.listening(port) != nil {
			last = syscall.EADDRINUSE
			continue
		}
		ln := &listener{loop: l, port: port, accept: accept}
		l.listeners = append(l.listeners, ln)
		return ln, nil
	}
	return nil, &reactor.PortError{Range: ports, Err: last}
}

func (l *Loop) listening(port int) *listener {
	for _, ln := range l.listeners {
		if ln.port == port && !ln.closed {
			return ln
		}
	}
	return nil
}

type listener struct {
	loop   *Loop
	port   int
	accept func(reactor.Conn) reactor.Events
	closed bool
}

func (ln *listener) Port() int { return ln.port }

// Close refuses those that wait to be accepted, too.
func (ln *listener) Close() {
	ln.closed = true
	for _, c := range ln.loop.conns {
		if c.listener == ln && c.events == nil {
			c.drop(reactor.ErrClosed)
		}
	}
}
