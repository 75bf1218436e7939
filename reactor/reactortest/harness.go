// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package reactortest is the conformance suite of reactor.Loop: one set of
// promises that every implementation, the fake included, has to keep.
package reactortest

import (
	"testing"

	"claudecoded/reactor"
)

// Harness is what the suite needs of one implementation: a fresh loop, and the
// means to run it. Its methods are called from the test's goroutine and end the
// test if something does not happen within a few seconds.
type Harness interface {
	// Loop is the loop under test. It is not running until Start.
	Loop() reactor.Loop
	// Start begins to run the loop.
	Start()
	// Do runs f in one turn of the loop and returns once f has.
	Do(f func())
	// Until runs turns, letting time pass, until cond, called on the loop
	// goroutine, reports true. what completes "timed out waiting for".
	Until(what string, cond func() bool)
	// Stop stops the loop and returns once Run has.
	Stop()
	// Dial connects a peer to a listener of the loop.
	Dial(port int) Peer
	// Process starts a process and returns its id and what ends it.
	Process() (pid int, kill func())
	// Polls reports that a poll sees everything peers did before it. It does not
	// hold where goroutines carry the news.
	Polls() bool
}

// Peer is the other end of one connection. Its kernel buffers are finite: what
// it does not read stays with the loop sooner or later. Read and Rest must not
// be called on the loop goroutine, the others may.
type Peer interface {
	// Send sends p.
	Send(p []byte)
	// Read reads exactly n bytes.
	Read(n int) []byte
	// Skip reads n bytes that the connection's buffers already hold, or fewer if
	// they hold less, and forgets them. It does not wait.
	Skip(n int)
	// Rest reads until the connection ends, whichever way, and returns it.
	Rest() []byte
	// CloseWrite ends what the peer sends.
	CloseWrite()
	// Reset breaks the connection.
	Reset()
}

// Run runs the suite. fresh returns a harness for one test; it is called in the
// test's goroutine, and whatever it leaves running is ended by t.Cleanup.
func Run(t *testing.T, fresh func(t *testing.T) Harness) {
	for _, group := range []map[string]func(*suite){
		loopCases, timeCases, listenCases, readCases, endCases, writeCases, closeCases, panicCases,
	} {
		for name, run := range group {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run(&suite{T: t, Harness: fresh(t)})
			})
		}
	}
	for name, run := range polledCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if s := (&suite{T: t, Harness: fresh(t)}); s.Polls() {
				run(s)
			}
		})
	}
}
