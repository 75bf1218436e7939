// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package reactor is the event loop: one goroutine that owns the listener, every
// connection, every timer and every posted closure, as libuv's loop does.
//
// A turn of the loop is: poll; read every ready connection once; run posted
// closures and due timers; run what Defer collected; write what the turn queued,
// one writev per connection. No callback ever runs inside a call of one of the
// methods below, so a caller never meets its own state half changed.
package reactor

import (
	"errors"
	"time"
)

// ErrClosed is what a Write's done receives when Conn.Close dropped it, and
// what operations on a closed connection report.
var ErrClosed = errors.New("reactor: connection closed")

// Backlog is the length of the kernel's queue of connections not yet accepted.
const Backlog = 128

// Loop is one event loop. Only Post and Stop may be called from any goroutine;
// before Run, the goroutine that will call Run counts as the loop's.
type Loop interface {
	// Run runs turns on the calling goroutine until Stop, then closes every
	// connection and listener that is still open and returns.
	Run() error
	// Stop ends Run after the turn in progress. Closures posted before it still run.
	Stop()
	// Post queues f for the loop goroutine and wakes it. Order is kept; a turn runs
	// 1024 at most, so that a flood leaves the connections their share. It reports
	// false, and f never runs, once the loop has stopped.
	Post(f func()) bool
	// Defer queues f for the end of this turn, after every ready connection was
	// read once and before queued bytes are written. Called from a deferred f,
	// it queues for the end of the next turn, which then polls without waiting.
	Defer(f func())
	// AfterNextPoll runs f right after a poll that starts later than this call,
	// and after all of that poll's reads and writes. Stopping it prevents f.
	AfterNextPoll(f func()) (stop func())
	// AfterFunc runs f once d has passed. The timer is inert once stopped, even
	// if it was already due.
	AfterFunc(d time.Duration, f func()) *Timer
	// Now is the loop's monotonic clock.
	Now() time.Time
	// Listen binds one port of the range on 127.0.0.1 and accepts on it. For
	// each connection accept returns the receiver of its events.
	Listen(ports PortRange, accept func(Conn) Events) (Listener, error)
	// WatchExit runs f once when the process ends. Stopping it prevents f.
	WatchExit(pid int, f func()) (stop func(), err error)
}

// Listener is a bound, listening socket. Loop goroutine only.
type Listener interface {
	// Port is the port that was bound.
	Port() int
	// Close stops accepting; connections already accepted stay.
	Close()
}

// Conn is one accepted connection. Loop goroutine only. Every method may be
// called after the connection closed and then does nothing harmful: it can
// never reach another connection that got the same descriptor.
type Conn interface {
	// Write queues bufs. Their bytes belong to the connection until done runs, the
	// outer slice stays the caller's. done
	// (it may be nil) runs exactly once: with nil when the kernel took the last
	// byte, or with the error that dropped it. The returned id names the write
	// for Replace.
	Write(bufs [][]byte, done func(error)) WriteID
	// Replace swaps the bytes of a queued write while none of them was written
	// and reports whether it did. The write keeps its place and its done.
	Replace(id WriteID, bufs [][]byte) bool
	// Queued is the number of bytes the kernel has not taken yet.
	Queued() int
	// Written is the number of bytes the kernel took since the accept.
	Written() uint64
	// PauseRead stops reading; ResumeRead starts it again.
	PauseRead()
	ResumeRead()
	// Close closes the socket and drops the queue: each done gets ErrClosed in a
	// later callback. Events.Closed is not called.
	Close()
}

// WriteID names a queued write of one connection.
type WriteID uint64

// Events receives what happens to one connection, on the loop goroutine. A
// method that panics is logged and closes the connection; Closed then gets
// ErrPanic. After Closed, or after Conn.Close, no method is called again.
type Events interface {
	// Data is called once per turn at most for each read (64 KiB at most a call,
	// 256 KiB a turn). p may be changed in place and is valid until what the
	// turn deferred has run.
	Data(p []byte)
	// EOF reports that the peer will send no more. Writing is still possible.
	EOF()
	// Closed reports that the socket is gone for a reason other than
	// Conn.Close: a reset, a read or write error, a panic, or the loop's end.
	Closed(err error)
}

// ErrPanic is what Events.Closed receives when a callback of the connection panicked.
var ErrPanic = errors.New("reactor: callback panicked")

// PortRange is the inclusive range of ports Listen tries, each exactly once,
// from a random offset. {0, 0} lets the kernel choose.
type PortRange struct{ Min, Max int }
