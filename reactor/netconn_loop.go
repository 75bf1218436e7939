// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"sync"
	"time"
)

// maxSettle is how long the loop's end waits for the writers.
const maxSettle = 10 * time.Millisecond

// netLoop is the Loop over package net. Goroutines wait for the sockets and
// report to the one loop goroutine; what they reported is what a poll finds.
type netLoop struct {
	core
	wakes     chan struct{}
	alarm     *time.Timer // one runtime timer for the whole wheel
	alarmAt   time.Time   // zero: not armed
	listeners map[*netListener]bool
	watches   map[*exitWatch]bool
	granted   []*netConn // their reader may go on once the turn's bytes are free
	writing   int        // connections that have a writer
	workers   sync.WaitGroup

	reports batch[func()] // guarded by core.mu
}

// NewNetConn returns a Loop over package net, for systems whose poller gnet does
// not serve or has not been tried on.
func NewNetConn(o Options) (Loop, error) {
	l := &netLoop{
		wakes:     make(chan struct{}, 1),
		listeners: map[*netListener]bool{},
		watches:   map[*exitWatch]bool{},
	}
	l.core.init(o, l.kick)
	return l, nil
}

func (l *netLoop) kick() {
	select {
	case l.wakes <- struct{}{}:
	default:
	}
}

// report queues what a worker found for the next poll.
func (l *netLoop) report(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reports.add(f)
	l.wakeLocked()
}

// spawn runs a worker that the loop's end waits for.
func (l *netLoop) spawn(worker func()) { l.workers.Go(worker) }

// Run implements Loop.
func (l *netLoop) Run() error {
	l.wake()
	for range l.wakes {
		l.turn(l.poll, l.recycle)
		l.rearm()
		if !l.idle() {
			l.wake()
		}
		if l.stopped() {
			break
		}
	}
	l.shutdown(l.settle, l.release)
	if l.alarm != nil {
		l.alarm.Stop()
	}
	return nil
}

// rearm sets the runtime timer for the wheel's next timer; an empty wheel has none.
func (l *netLoop) rearm() {
	next, ok := l.wheel.Next()
	rung := !l.alarmAt.After(l.Now()) // or is about to
	switch {
	case !ok && !l.alarmAt.IsZero():
		l.alarm.Stop()
		l.alarmAt = time.Time{}
	case ok && (rung || !next.Equal(l.alarmAt)):
		l.alarmAt = next
		if l.alarm == nil {
			l.alarm = time.AfterFunc(time.Until(next), l.wake)
		} else {
			l.alarm.Reset(time.Until(next))
		}
	}
}

func (l *netLoop) poll() {
	l.mu.Lock()
	reports := l.reports.take()
	l.mu.Unlock()
	for _, f := range reports {
		f()
	}
	l.mu.Lock()
	l.reports.give(reports)
	l.mu.Unlock()
}

func (l *netLoop) recycle() {
	for i, c := range l.granted {
		l.granted[i] = nil
		c.grant()
	}
	l.granted = l.granted[:0]
}

// settle gives the writers the moment in which a kernel would take a last frame.
func (l *netLoop) settle() {
	over := time.After(maxSettle)
	for l.writing > 0 {
		select {
		case <-l.wakes:
			l.mu.Lock()
			l.woken = false
			l.mu.Unlock()
			l.poll()
			l.runWrites()
		case <-over:
			return
		}
	}
}

// release ends the workers. Their last reports end the writes they had.
func (l *netLoop) release() {
	for ln := range l.listeners {
		ln.Close()
	}
	for w := range l.watches {
		w.stop()
	}
	l.workers.Wait()
	l.poll()
}
