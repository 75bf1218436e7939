// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"io"
	"sync/atomic"
	"testing"
	"time"

	"claudecoded/session"
	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// beat is the keepalive interval here: one and a half are a sleep of the machine.
const beat = 500 * time.Millisecond

// healthy is a client that reads everything and answers each ping, and how many it did.
func healthy(t *testing.T, d *rig.Daemon) *atomic.Int64 {
	t.Helper()
	c := d.Open(t)
	pings, ended := new(atomic.Int64), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			first, payload, err := wire.ReadFrame(c.TCP, 1<<30)
			if err != nil {
				return
			}
			if first == wire.Ping {
				pings.Add(1)
				_, _ = c.TCP.Write(wire.Frame(wire.Pong, string(payload)))
			}
		}
	}()
	t.Cleanup(func() {
		_ = c.TCP.Close()
		<-ended
	})
	_ = c.TCP.SetDeadline(time.Time{})
	return pings
}

// more waits for n more pings, and so for as many ticks.
func more(t *testing.T, pings *atomic.Int64, n int64) {
	t.Helper()
	want := pings.Load() + n
	nvimtest.Eventually(t, "ticks go on", func() bool { return pings.Load() >= want })
}

// block blocks the loop n times in a row, each time for d, with one turn between two, and
// runs last on the loop when that is over.
func block(loop interface{ Post(func()) bool }, n int, d time.Duration, last func()) {
	loop.Post(func() {
		if n == 0 {
			last()
			return
		}
		time.Sleep(d) // this is the blocked loop, not a test that waits
		block(loop, n-1, d, last)
	})
}

// blocked is block right behind a tick; it returns when the loop is free again.
func blocked(t *testing.T, d *rig.Daemon, pings *atomic.Int64, n int, each time.Duration, last func()) {
	t.Helper()
	more(t, pings, 1)
	free := make(chan struct{})
	block(d.Loop, n, each, func() { defer close(free); last() })
	select {
	case <-free:
	case <-time.After(time.Duration(n)*each + wire.Patience):
		t.Fatal("the loop stays blocked")
	}
}

// full has the daemon send one client more than its kernel takes.
func full(t *testing.T, d *rig.Daemon, client uint64, n int) {
	t.Helper()
	d.Do(t, func() { d.Server.Give(client, make([]byte, n)) })
}

// gone waits until the first client left and checks that it left once, as it should.
func gone(t *testing.T, d *rig.Daemon, reason, line string) {
	t.Helper()
	nvimtest.Eventually(t, "the client is dropped", func() bool { return d.Gone(1) })
	departed(t, d, 1, 1006, reason)
	if lines := d.Lines("level=INFO", "Closed client_1: "+line); len(lines) != 1 {
		t.Errorf("the log says %q", lines)
	}
}

// Every pattern of ticks that a busy machine makes, over real sockets. The stalled client
// is always the first.
func TestPatterns_OfTicks(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(t *testing.T, d *rig.Daemon, began time.Time){
		"a late tick keeps a healthy client": func(t *testing.T, d *rig.Daemon, _ time.Time) {
			stays(t, d, 1, beat*6/5)
		},
		"a wake gap keeps a healthy client": func(t *testing.T, d *rig.Daemon, _ time.Time) {
			stays(t, d, 1, 2*beat)
		},
		"a wake storm keeps a healthy client and drops a stalled one": stormed,
		"a block before the poll keeps who read meanwhile":            readsWhileBlocked,
		"a stalled client with an overdue pong is dropped for that": func(t *testing.T, d *rig.Daemon, _ time.Time) {
			c := wire.Dial(t, d.Port, tiny)
			c.Upgrade(rig.Token)
			full(t, d, 1, backlog) // reading is not paused
			gone(t, d, "Connection timeout", "no reply for ")
		},
		"a stalled client that answers is dropped for that": func(t *testing.T, d *rig.Daemon, _ time.Time) {
			stalled(t, d)
			full(t, d, 1, backlog)
			gone(t, d, "Write queue stalled", "not reading for ")
		},
		"a client that leaves while it is stalled is told once": func(t *testing.T, d *rig.Daemon, _ time.Time) {
			c := stalled(t, d)
			pings := healthy(t, d)
			full(t, d, 1, backlog)
			more(t, pings, 1)
			_ = c.TCP.Close()
			nvimtest.Eventually(t, "the client is gone", func() bool { return d.Gone(1) })
			more(t, pings, 4) // as many ticks as would drop it
			if ways := d.Departures(1); len(ways) != 1 || ways[0].Code != 1006 {
				t.Errorf("it left as %v", ways)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			run(t, rig.Start(t, rig.Config{Session: session.Config{PingInterval: beat}}), began)
		})
	}
}

func stays(t *testing.T, d *rig.Daemon, n int, each time.Duration) {
	pings := healthy(t, d)
	blocked(t, d, pings, n, each, func() {})
	more(t, pings, 4) // as many ticks as would drop it
	if d.Gone(1) {
		t.Errorf("it left as %v", d.Departures(1))
	}
}

func stormed(t *testing.T, d *rig.Daemon, _ time.Time) {
	stalled(t, d)
	pings := healthy(t, d)
	full(t, d, 1, backlog)
	var amid bool
	blocked(t, d, pings, 8, beat*17/10, func() { amid = d.Gone(1) })
	if !amid {
		t.Error("the stalled client outlived the storm")
	}
	departed(t, d, 1, 1006, "Write queue stalled")
	more(t, pings, 3)
	if d.Gone(2) {
		t.Errorf("the healthy client left as %v", d.Departures(2))
	}
}

// The loop itself reads for the client, so that no poll comes between that and the tick.
// The first round is due before the third tick, at which the client would be dropped, and
// each other before the second one after the last round. A machine that was so busy that
// a tick may have come first proves nothing.
func readsWhileBlocked(t *testing.T, d *rig.Daemon, began time.Time) {
	c := d.Open(t)
	answering(t, c)
	over := make(chan struct{})
	var read []int64
	var round func()
	late := false
	after := func(wait time.Duration) {
		due := time.Now().Add(wait)
		// A timer's callback would be followed by a poll, a posted closure is by the tick.
		d.Loop.AfterFunc(wait, func() {
			late = late || time.Since(due) > beat/5
			d.Loop.Post(round)
		})
	}
	round = func() {
		if len(read) == 4 {
			close(over)
			return
		}
		_ = c.TCP.SetReadDeadline(time.Now().Add(beat * 8 / 10))
		n, _ := io.Copy(io.Discard, c.TCP)
		read = append(read, n)
		after(beat * 3 / 2)
	}
	d.Do(t, func() {
		d.Server.Give(1, make([]byte, 96<<20))
		after(time.Until(began.Add(beat * 5 / 2)))
	})
	select {
	case <-over:
	case <-time.After(2 * wire.Patience):
		t.Fatal("the rounds do not end")
	}
	if d.Gone(1) && !late {
		t.Errorf("after reads of %d bytes it left as %v", read, d.Departures(1))
	}
}

// stopStalled stops a daemon with a stalled client and returns how long that took.
func stopStalled(t *testing.T) time.Duration {
	d := rig.Start(t, rig.Config{Session: session.Config{PingInterval: beat}})
	stalled(t, d)
	pings := healthy(t, d)
	var reports, written, ends atomic.Int64
	notify(t, d, backlog, func(n int) {
		reports.Add(1)
		written.Store(int64(n))
	})
	more(t, pings, 1)
	took := make(chan time.Duration, 2)
	d.Loop.Post(func() {
		began := time.Now()
		d.Leave(func() {
			ends.Add(1)
			took <- time.Since(began)
		})
	})
	if err := d.Stop(nil); err != nil {
		t.Fatal(err)
	}
	if r, w, e := reports.Load(), written.Load(), ends.Load(); r != 1 || w != 1 || e != 1 {
		t.Errorf("%d reports of %d clients that took it, %d ends", r, w, e)
	}
	departed(t, d, 1, 1001, "Server shutting down")
	departed(t, d, 2, 1001, "Server shutting down")
	return <-took
}

func TestStop_WhileAClientIsStalledIsDoneInTime(t *testing.T) {
	t.Parallel()
	if took := stopStalled(t); took > busy*maxStop {
		t.Errorf("took %v", took)
	}
}
