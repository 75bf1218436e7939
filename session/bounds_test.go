// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !race

package session_test

import (
	"bytes"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"claudecoded/session"
	"claudecoded/test/nvimtest"
)

// These tests measure the process, so none of them runs in parallel with another.

// heap is the number of bytes on the heap after a collection.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func allocated() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.TotalAlloc)
}

func TestBounds_AnnouncedLengthsCostNothing(t *testing.T) {
	l := startLive(t, time.Minute, nil)
	const clients = 50
	before := heap()
	for range clients {
		for _, header := range []string{
			"\x81\xFF\x00\x00\x00\x00\x06\x40\x00\x00\x00\x00\x00\x00", // 100 MiB: waited for
			"\x82\xFF\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00", // 16 GiB: 1009
		} {
			conn, _ := l.dial()
			if _, err := conn.Write([]byte(header)); err != nil {
				t.Fatal(err)
			}
		}
	}
	l.until(&l.told, "closed 100 1006 Client error: Message over 104857600 bytes")
	l.do(func() {
		if n := len(l.server.Clients()); n != clients {
			t.Errorf("%d clients are waited for", n)
		}
	})
	if cost := heap() - before; cost > 2<<20 {
		t.Errorf("%d connections cost %d bytes", 2*clients, cost)
	}
}

// pour writes a frame's header and n bytes of payload, unmasked.
func pour(t *testing.T, conn net.Conn, first byte, n int) {
	t.Helper()
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	head := []byte{first, 127, 0, 0, 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	if _, err := conn.Write(head); err != nil {
		t.Fatal(err)
	}
	for ; n > 0; n -= min(n, len(chunk)) {
		if _, err := conn.Write(chunk[:min(n, len(chunk))]); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBounds_HugeMessageIsHeldOnceAndGivenBack(t *testing.T) {
	const size = 100 << 20
	for name, c := range map[string]struct {
		send  func(conn net.Conn)
		limit int
	}{
		"one frame": {func(conn net.Conn) { pour(t, conn, 0x81, size) }, size * 13 / 10},
		"fragments": {func(conn net.Conn) {
			pour(t, conn, 0x01, size/100)
			for range 98 {
				pour(t, conn, 0x00, size/100)
			}
			pour(t, conn, 0x80, size/100)
		}, size * 22 / 10},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(chan int, 1)
			l := startLive(t, time.Minute, func(_ *live, _ uint64, text []byte) { got <- len(text) })
			conn, _ := l.dial()
			l.until(&l.told, "open 1")
			base, before := heap(), allocated()
			c.send(conn)
			if n := <-got; n != size {
				t.Errorf("%d bytes arrived", n)
			}
			// All that was ever allocated, so no peak can be missed.
			if n := allocated() - before; n > c.limit {
				t.Errorf("%d bytes were allocated, the limit is %d", n, c.limit)
			}
			l.do(func() {})
			if n := heap() - base; n > size+4<<20 {
				t.Errorf("%d bytes were kept", n)
			}
			nvimtest.Eventually(t, "nothing is kept", func() bool { return heap()-base < 2<<20 })
		})
	}
}

func TestBounds_ClientThatNeverReadsIsHeldAtTheMarks(t *testing.T) {
	reply := bytes.Repeat([]byte("x"), 4<<10)
	l := startLive(t, time.Minute, func(l *live, client uint64, _ []byte) { l.server.Send(client, reply) })
	conn, _ := l.dial()
	l.until(&l.told, "open 1")
	before := heap()
	requests := bytes.Repeat(text("request"), 1000)
	_ = conn.SetWriteDeadline(time.Now().Add(2 * time.Second))
	sent := 0
	for err := error(nil); err == nil; { // until the server has stopped reading
		var n int
		n, err = conn.Write(requests)
		sent += n
	}
	var queued int
	l.do(func() { queued = l.server.Clients()[0].Queued })
	cost := heap() - before
	if queued > session.HighWater+len(reply)+10 || cost > session.HighWater*3/2 {
		t.Errorf("%d bytes are unsent, %d bytes of heap", queued, cost)
	}
	if asked := sent / len(text("request")) * len(reply); asked < 2*cost {
		t.Errorf("only %d bytes were asked for: too few to mean anything", asked)
	}
}

func TestBounds_SmallRepliesToASlowReaderDrainInLinearTime(t *testing.T) {
	l := startLive(t, time.Minute, nil)
	conn, in := l.dial()
	l.until(&l.told, "open 1")
	const replies = 400_000
	reply := []byte(strings.Repeat("r", 48))
	start := time.Now()
	l.do(func() {
		for range replies {
			l.server.Send(1, reply)
		}
	})
	_ = conn.SetDeadline(time.Now().Add(patience))
	if n, err := io.CopyN(io.Discard, in, replies*50); err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

func TestSend_AllocatesNothingForSmallReplies(t *testing.T) {
	b := newBare(t, nil)
	reply := bytes.Repeat([]byte("r"), 200)
	if n := testing.AllocsPerRun(1000, func() { b.server.Send(1, reply) }); n > 0 {
		t.Errorf("%v allocations for each", n)
	}
}

func TestMessages_AllocateNothingForSmallRequestsAndReplies(t *testing.T) {
	b := newBare(t, func(b *bare, text []byte) { b.server.Send(1, text) })
	requests := bytes.Repeat(unmasked(0x81, 100), 50)
	if n := testing.AllocsPerRun(1000, func() { b.turn(requests) }); n > 0 {
		t.Errorf("%v allocations for each turn of 50 messages", n)
	}
}
