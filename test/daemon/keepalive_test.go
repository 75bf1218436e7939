// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"claudecoded/session"
	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// interval is a keepalive interval for tests in real time. A client that is not run for two of
// them is dropped, on a machine that is busy too.
const interval = 500 * time.Millisecond

func quick() rig.Config { return rig.Config{Session: session.Config{PingInterval: interval}} }

// dropped reads what a client is sent until it is closed for its silence, and returns the
// number of pings.
func dropped(t *testing.T, c *wire.Conn) (pings int) {
	t.Helper()
	for end := time.Now().Add(wire.Patience); ; {
		first, payload := c.ReadFrame()
		if time.Now().After(end) {
			t.Fatalf("not dropped after %d pings", pings)
		}
		if first != wire.Ping {
			if got, want := string(payload), wire.CloseBody(1011, "Keepalive timeout"); first != wire.Close || got != want {
				t.Fatalf("frame %X %q instead of a Close frame", first, got)
			}
			c.ExpectEnd()
			return pings
		}
		if string(payload) != "ping" {
			t.Errorf("a ping with %q", payload)
		}
		pings++
	}
}

func TestKeepalive_ClientThatNeverPongsIsDropped(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, quick())
	began := time.Now()
	if pings := dropped(t, d.Open(t)); pings < 2 {
		t.Errorf("dropped after %d pings", pings)
	}
	if took := time.Since(began); took < 2*interval {
		t.Errorf("dropped after %v", took)
	}
	departed(t, d, 1, 1006, "Connection timeout")
	if lines := d.Lines("level=INFO", "Closed client_1: no reply for "); len(lines) != 1 {
		t.Errorf("the log says %q", lines)
	}
}

// Half a frame is waited for, and not for ever: in the middle of one a client cannot pong.
func TestKeepalive_HalfAFrameIsHeldUntilItsClientIsDropped(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, quick())
	for _, half := range [][]byte{{0x81, 0xFE}, wire.Frame(wire.Text, "whole")[:8]} {
		c := d.Open(t)
		c.Send(half)
		if pings := dropped(t, c); pings < 2 {
			t.Errorf("% X: dropped after %d pings", half, pings)
		}
	}
}

// answering answers pings on a goroutine, unread, until the socket is gone.
func answering(t *testing.T, c *wire.Conn) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		pong := wire.Frame(wire.Pong, "ping")
		ticker := time.NewTicker(interval / 2)
		defer ticker.Stop()
		for range ticker.C {
			if _, err := c.TCP.Write(pong); err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = c.TCP.Close()
		<-ended
	})
}

// tiny makes a socket take little.
func tiny(_, _ string, c syscall.RawConn) (err error) {
	if e := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4<<10)
	}); e != nil {
		return e
	}
	return err
}

// stalled is a client with a small window that never reads but answers pings.
func stalled(t *testing.T, d *rig.Daemon) *wire.Conn {
	t.Helper()
	c := wire.Dial(t, d.Port, tiny)
	c.Upgrade(rig.Token)
	answering(t, c)
	return c
}

func TestStall_ClientThatAnswersAndNeverReadsIsDropped(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, quick())
	c := stalled(t, d)
	written := make(chan int, 2)
	notify(t, d, 12<<20, func(n int) { written <- n })
	nvimtest.Eventually(t, "the client is dropped", func() bool { return d.Gone(1) })
	departed(t, d, 1, 1006, "Write queue stalled")
	if lines := d.Lines("level=INFO", "Closed client_1: not reading for ", " KB queued"); len(lines) != 1 {
		t.Errorf("the log says %q", lines)
	}
	// The socket goes, and the queue with it.
	c.Loose = true
	if got := len(c.Read()); got >= 12<<20 {
		t.Errorf("%d bytes were still written", got)
	}
	if n := <-written; n != 0 || len(written) > 0 {
		t.Errorf("the write is reported as %d, %d times more", n, len(written))
	}
}

func TestStall_SlowReaderStays(t *testing.T) {
	t.Parallel()
	message := rig.Repeated(24 << 20)
	payload, want := []byte(message), wire.Plain(wire.Text, message)
	d := rig.Start(t, rig.Config{Session: session.Config{PingInterval: 2 * interval}})
	c := d.Open(t)
	answering(t, c)
	d.Do(t, func() { d.Server.Give(1, payload) }) // before the first ping
	began := time.Now()
	// Two megabytes in half an interval are more than the 1.4 MB that show progress.
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for len(want) > 0 {
		n := min(len(want), 2<<20)
		c.Expect(want[:n])
		want = want[n:]
		<-ticker.C
	}
	if took := time.Since(began); took < 5*2*interval {
		t.Errorf("took %v: too fast to mean anything", took)
	}
	if d.Gone(1) {
		t.Errorf("the reader was dropped: %v", d.Departures(1))
	}
}

// A drop with a thousand writes queued disturbs nobody and logs no error.
func TestStall_DropWithAThousandWritesQueuedDisturbsNobody(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, quick())
	stalled(t, d)
	healthy := d.Open(t)
	answering(t, healthy)
	const writes = 1000
	var reported, succeeded atomic.Int64
	note := wire.Plain(wire.Text, "")
	d.Do(t, func() {
		params := []byte(`{"pad":"` + rig.Repeated(16<<10) + `"}`)
		for range writes {
			d.Protocol.BroadcastNotification("at_mentioned", params, func(n int) {
				reported.Add(1)
				succeeded.Add(int64(n))
			})
		}
		note = wire.Plain(wire.Text, `{"jsonrpc":"2.0","method":"at_mentioned","params":`+string(params)+`}`)
	})
	messages := 0
	for messages < writes {
		switch first, payload := healthy.ReadFrame(); first {
		case wire.Ping:
		case wire.Text:
			if messages++; len(payload) != len(note)-4 {
				t.Fatalf("message %d has %d bytes", messages, len(payload))
			}
		default:
			t.Fatalf("frame %X", first)
		}
	}
	nvimtest.Eventually(t, "the client is dropped", func() bool { return d.Gone(1) })
	nvimtest.Eventually(t, "each write is reported", func() bool { return reported.Load() == writes })
	if n := succeeded.Load(); n < writes || n >= 2*writes {
		t.Errorf("%d writes to two clients succeeded", n)
	}
	if lines := d.Lines("level=ERROR"); len(lines) > 0 || d.Gone(2) {
		t.Errorf("the log says %q, the other left as %v", lines, d.Departures(2))
	}
}
