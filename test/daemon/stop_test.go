// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

const (
	// maxStop is how long the end of a daemon may take.
	maxStop = 500 * time.Millisecond
	// busy is how many times longer that may be on a machine that is busy elsewhere; the fake's
	// clock proves maxStop itself.
	busy = 10
)

const backlog = 7 << 20

var goodbye = wire.Plain(wire.Close, wire.CloseBody(1001, "Server shutting down"))

// withState waits until a connection is in a state, and then runs f on the loop, in the
// turn in which that was seen.
func withState(d *rig.Daemon, state string, f func()) {
	var look func()
	look = func() {
		for _, c := range d.Server.Clients() {
			if c.State == state {
				f()
				return
			}
		}
		d.Loop.Post(look)
	}
	d.Loop.Post(look)
}

// crowd is one client in each state in which a stop can meet it.
type crowd struct {
	silent, half, waiting, idle, midFrame, midMessage, leaving, stalled, upgrading *wire.Conn
}

func gather(t *testing.T, d *rig.Daemon) (c crowd) {
	t.Helper()
	c.stalled = wire.Dial(t, d.Port, tiny)
	c.stalled.Upgrade(rig.Token)
	c.leaving = wire.Dial(t, d.Port, tiny)
	c.leaving.Upgrade(rig.Token)
	// More than the kernel takes for those who do not read, and less than pauses their
	// reading.
	notify(t, d, backlog, nil)
	c.leaving.Send(wire.Frame(0x83, ""))
	nvimtest.Eventually(t, "the rule is broken", func() bool { return d.Gone(2) })

	c.silent, c.half = wire.Dial(t, d.Port), wire.Dial(t, d.Port)
	c.half.Send([]byte("GET / HT"))
	c.idle, c.midFrame, c.midMessage = d.Open(t), d.Open(t), d.Open(t)
	c.midFrame.Send(say(strings.Repeat("x", 1<<20))[:1<<19])
	c.midMessage.Send(wire.Frame(wire.TextPart, `{"jsonrpc":`))
	c.waiting = d.Open(t)
	for id := range 5 {
		c.waiting.Send(say(call(id, "openDiff", `{"tab_name":"a diff"}`)))
	}
	nvimtest.Eventually(t, "five diffs wait", func() (all bool) {
		d.Do(t, func() { all = d.Editor.Open() == 5 && len(d.Server.Clients()) == 7 })
		return all
	})
	return c
}

func (c crowd) check(t *testing.T) {
	t.Helper()
	c.silent.ExpectEnd()
	c.half.Loose = true // what it sent may not have been read
	c.half.ExpectEnd()
	c.upgrading.Expect([]byte(wire.Accepted))
	for id := range 5 {
		c.waiting.Expect(reply(id, `{"content":[{"type":"text","text":"DIFF_REJECTED"},{"type":"text","text":"a diff"}]}`))
	}
	for _, client := range []*wire.Conn{c.upgrading, c.waiting, c.idle, c.midFrame, c.midMessage} {
		client.Expect(goodbye)
		client.Loose = true
		client.ExpectEnd()
	}
	for _, client := range []*wire.Conn{c.stalled, c.leaving} {
		client.Loose = true
		if got := len(client.Read()); got >= backlog {
			t.Errorf("%d bytes were written to a client that did not read", got)
		}
	}
}

// stopAmid stops a daemon amid a crowd and returns how long that took.
func stopAmid(t *testing.T) time.Duration {
	d := rig.Start(t, rig.Config{})
	c := gather(t, d)
	var reports, written, ends atomic.Int64
	took := make(chan time.Duration, 2)
	withState(d, "upgrading", func() {
		d.Protocol.BroadcastNotification("at_mentioned", nil, func(n int) {
			reports.Add(1)
			written.Store(int64(n))
		})
		began := time.Now()
		d.Leave(func() {
			ends.Add(1)
			took <- time.Since(began)
		})
	})
	c.upgrading = wire.Dial(t, d.Port)
	c.upgrading.Send(wire.Request(rig.Token))
	var stop time.Duration
	select {
	case stop = <-took:
	case <-time.After(wire.Patience):
		t.Fatal("the end is not reported")
	}
	if err := d.Stop(nil); err != nil {
		t.Fatal(err)
	}
	note := wire.Plain(wire.Text, `{"jsonrpc":"2.0","method":"at_mentioned","params":{}}`)
	for _, client := range []*wire.Conn{c.waiting, c.idle, c.midFrame, c.midMessage} {
		client.Expect(note)
	}
	c.check(t)

	if n := ends.Load(); n != 1 {
		t.Errorf("the end is reported %d times", n)
	}
	if n, k := reports.Load(), written.Load(); n != 1 || k != 4 {
		t.Errorf("the broadcast is reported %d times, with %d clients that took it", n, k)
	}
	for client := uint64(1); client <= 9; client++ {
		switch ways := d.Departures(client); {
		case client == 3 || client == 4 || client == 9:
			if ways != nil {
				t.Errorf("client %d, which was never connected, left as %v", client, ways)
			}
		case client == 2:
			departed(t, d, client, 1006, "Client error: Reserved opcode 0x3")
		default:
			departed(t, d, client, 1001, "Server shutting down")
		}
	}
	if lines := d.Lines("level=ERROR"); len(lines) > 0 {
		t.Errorf("the log says %q", lines)
	}
	return stop
}

func TestStop_IsDoneInTimeWhateverClientsDo(t *testing.T) {
	t.Parallel()
	if took := stopAmid(t); took > busy*maxStop {
		t.Errorf("took %v", took)
	}
}

// Replies that are queued when the daemon stops still reach a client that reads.
func TestStop_WritesWhatIsQueuedBeforeTheCloseFrame(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := d.Open(t)
	c.Send(say(call(1, "repeat", `{"n":2000000}`)))
	first, payload := c.ReadFrame()
	if first != wire.Text || len(payload) < 2000000 {
		t.Fatalf("frame %X of %d bytes", first, len(payload))
	}
	d.Do(t, func() {
		d.Server.Send(1, []byte(rig.Repeated(64<<10))) // which a kernel takes of a daemon that leaves
		d.Leave(nil)
	})
	c.Expect(wire.Plain(wire.Text, rig.Repeated(64<<10)))
	c.Expect(goodbye)
	c.ExpectEnd()
}

func TestStop_RefusesWhoComesAfterwards(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	if err := d.Stop(nil); err != nil {
		t.Fatal(err)
	}
	if d.Loop.Post(func() {}) {
		t.Error("the loop still takes closures")
	}
	if err := d.Stop(nil); err != nil {
		t.Errorf("stopping twice: %v", err)
	}
}

// A client that leaves as the real one does shows in no line above debug.
func TestStop_OfAClientIsQuiet(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	for range 3 {
		c := d.Open(t)
		c.Send(say(request(1, "ping", "")))
		c.Expect(reply(1, "{}"))
		c.Send(wire.Frame(wire.Close, ""))
		c.Expect(wire.Plain(wire.Close, wire.CloseBody(1000, "")))
		c.ExpectEnd()
	}
	hangs := d.Open(t)
	_ = hangs.TCP.Close()
	nvimtest.Eventually(t, "all are gone", func() bool { return d.Gone(1) && d.Gone(2) && d.Gone(3) && d.Gone(4) })
	departed(t, d, 4, 1006, "EOF")
	for _, level := range []string{"INFO", "WARN", "ERROR"} {
		if lines := d.Lines("level=" + level); len(lines) > 0 {
			t.Errorf("the log says %q", lines)
		}
	}
}
