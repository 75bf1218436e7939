// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"fmt"
	"io"
	"testing"
	"time"

	"claudecoded/reactor"
	"claudecoded/session"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// door is a connection of the daemon's loop whose data runs the test's functions, which
// so run, and block, among the reads and writes of a poll. One byte is one function.
type door chan func()

func (d door) Data(p []byte) {
	for range p {
		(<-d)()
	}
}
func (door) EOF()         {}
func (door) Closed(error) {}

// inIO returns how to have a function run in the I/O of the loop's next poll.
func inIO(t *testing.T, d *rig.Daemon) func(f func()) {
	t.Helper()
	funcs, port := make(door, 1), 0
	d.Do(t, func() {
		l, err := d.Loop.Listen(reactor.PortRange{}, func(reactor.Conn) reactor.Events { return funcs })
		if err != nil {
			t.Error(err)
			return
		}
		port = l.Port()
	})
	knock := wire.Dial(t, port)
	return func(f func()) {
		funcs <- f
		if _, err := knock.TCP.Write([]byte{0}); err != nil {
			t.Error(err)
		}
	}
}

// readUntil reads for the client, on the loop, which is blocked meanwhile.
func readUntil(c *wire.Conn, end time.Time) {
	_ = c.TCP.SetReadDeadline(end)
	_, _ = io.Copy(io.Discard, c.TCP)
}

// confirmation is a daemon whose first client stalls and answers, just before the tick
// that asks for its confirmation, in the poll that follows.
type confirmation struct {
	*rig.Daemon
	c    *wire.Conn
	inIO func(func())
	due  time.Time // of the tick, or a little later
}

// ahead runs f on the loop right ahead of the tick, which no poll parts from it, and
// returns once the confirmation has run.
func (s *confirmation) ahead(t *testing.T, f func()) {
	t.Helper()
	s.Do(t, func() {
		time.Sleep(time.Until(s.due)) // this is the blocked loop, not a test that waits
		f()
	})
	s.over(t)
}

// over waits for the turn after the one that is in progress.
func (s *confirmation) over(t *testing.T) {
	t.Helper()
	for range 2 {
		s.Do(t, func() {})
	}
}

// outcome is what became of the client: how it left, and the lines about that.
func (s *confirmation) outcome() string {
	return fmt.Sprint(s.Departures(1), " ", len(s.Lines("level=INFO", "Closed client_1: not reading for ")))
}

// Whatever happens around the poll in which a stall is confirmed, over real sockets.
func TestPatterns_OfConfirmations(t *testing.T) {
	t.Parallel()
	const stays, stalls = "[] 0", "[{1006 Write queue stalled}] 1"
	for name, c := range map[string]struct {
		run  func(t *testing.T, s *confirmation)
		want string
	}{
		"a client that does not read is dropped": {func(t *testing.T, s *confirmation) {
			s.ahead(t, func() {})
		}, stalls},
		"a block inside the poll ahead of the tick keeps who read meanwhile": {func(t *testing.T, s *confirmation) {
			s.inIO(func() { readUntil(s.c, s.due) })
			s.over(t)
		}, stays},
		"a block between the tick's poll and the tick keeps who read meanwhile": {func(t *testing.T, s *confirmation) {
			s.ahead(t, func() { readUntil(s.c, time.Now().Add(beat/4)) })
		}, stays},
		"what is read during a block inside the confirmation's poll is not seen": {func(t *testing.T, s *confirmation) {
			s.ahead(t, func() {
				s.inIO(func() { readUntil(s.c, time.Now().Add(beat/2)) })
			})
		}, stalls},
		"a client that says goodbye meanwhile is skipped": {func(t *testing.T, s *confirmation) {
			s.ahead(t, func() { _, _ = s.c.TCP.Write(wire.Frame(wire.Close, wire.CloseBody(1000, "bye"))) })
		}, "[{1000 bye}] 0"},
		"a client that breaks a rule meanwhile is skipped": {func(t *testing.T, s *confirmation) {
			s.ahead(t, func() { _, _ = s.c.TCP.Write(wire.Frame(0x83, "")) })
		}, "[{1006 Client error: Reserved opcode 0x3}] 0"},
		"a client that resets meanwhile is skipped": {func(t *testing.T, s *confirmation) {
			s.ahead(t, func() { _ = s.c.TCP.SetLinger(0); _ = s.c.TCP.Close() })
		}, "[{1006 Client read error: write: connection reset by peer}] 0"},
		"a stop meanwhile cancels it": {func(t *testing.T, s *confirmation) {
			s.ahead(t, func() { s.inIO(func() { s.Leave(nil) }) })
		}, "[{1001 Server shutting down}] 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			for range 8 { // a machine that is busy elsewhere moves the ticks
				s := confirming(t)
				c.run(t, s)
				if got = s.outcome(); got == c.want {
					return
				}
			}
			t.Errorf("it left, with lines, as %s, want %s", got, c.want)
		})
	}
}

func confirming(t *testing.T) *confirmation {
	t.Helper()
	d := rig.Start(t, rig.Config{Session: session.Config{PingInterval: beat}})
	s := &confirmation{Daemon: d, c: d.Open(t)}
	answering(t, s.c)
	pings := healthy(t, d)
	s.inIO = inIO(t, d)
	more(t, pings, 1)
	full(t, d, 1, backlog) // more than a kernel takes, too little to pause reading
	more(t, pings, 2)      // one that finds progress, one that does not
	s.due = time.Now().Add(beat * 21 / 20)
	return s
}
