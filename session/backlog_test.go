// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"claudecoded/session"
)

const window = 256 << 10 // bytes the kernel holds for a client that reads by hand

// slow is a connected client that reads by hand.
func (w *world) slow() *peer {
	w.t.Helper()
	p := w.connected()
	p.SetWindow(window)
	return p
}

func TestBacklog_ReadingPausesAboveHighWaterAndResumesUnderLowWater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	big := bytes.Repeat([]byte("x"), 1<<20)
	for p.Queued() <= session.HighWater {
		if p.Paused() {
			t.Fatalf("paused with %d bytes unsent", p.Queued())
		}
		w.server.Send(1, big)
	}
	if !p.Paused() {
		t.Fatal("reads on above the high-water mark")
	}
	w.loop.Settle()
	for p.Queued() >= session.LowWater {
		if !p.Paused() {
			t.Fatalf("resumed with %d bytes unsent", p.Queued())
		}
		p.Read(window / 2)
		w.loop.Settle()
	}
	if p.Paused() {
		t.Error("still paused under the low-water mark")
	}
	w.want()
}

func TestBacklog_ReadingResumesOnceFewWritesAreLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	const kernel, each = 100, 2 // bytes; a frame without a payload has two
	p.SetWindow(kernel)
	for range session.HighWrites + kernel {
		w.server.Send(1, nil)
	}
	w.loop.Settle()
	for p.Queued() >= each*session.LowWrites {
		if !p.Paused() {
			t.Fatalf("resumed with %d writes left", p.Queued()/each)
		}
		p.Read(kernel)
		w.loop.Settle()
	}
	if p.Paused() {
		t.Errorf("still paused with %d writes left", p.Queued()/each)
	}
}

func TestBacklog_ListsOfAFloodAreGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	p.SetWindow(0)
	const flood = 100 * session.MaxRun
	p.Send(bytes.Repeat(text("x"), flood))
	for range flood {
		w.server.Broadcast([]byte("y"), func(int) {})
	}
	w.loop.Settle()
	if _, broadcasts := w.server.Listed(1); broadcasts < flood || len(w.events) != flood {
		t.Fatalf("%d broadcasts wait, %d events", broadcasts, len(w.events))
	}
	p.SetWindow(-1)
	w.loop.Settle()
	if messages, broadcasts := w.server.Listed(1); messages > 2*session.MaxRun || broadcasts > 2*session.MaxRun {
		t.Errorf("there is room for %d messages and %d broadcasts", messages, broadcasts)
	}
}

func TestBacklog_OneHugeMessageResumesUnderLowWaterToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 3*session.HighWater))
	w.loop.Settle()
	for p.Paused() && p.Queued() > 0 {
		p.Read(window / 2)
		w.loop.Settle()
	}
	if q := p.Queued(); q >= session.LowWater || q < session.LowWater-2*session.MaxPiece {
		t.Errorf("resumed with %d bytes unsent", q)
	}
}

func TestBacklog_RequestsWaitUntilTheirClientReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	const reply = 3 << 20
	w.onMessage = func(client uint64, s string) {
		w.server.Send(client, bytes.Repeat([]byte(s[:1]), reply))
	}
	for i := range 6 {
		p.Send(text(fmt.Sprint(i)))
	}
	w.loop.Settle()
	if limit := session.HighWater + reply + window; p.Queued() > limit {
		t.Errorf("%d bytes unsent, the limit is %d", p.Queued(), limit)
	}
	if n := len(w.events); n >= 6 {
		t.Fatalf("%d requests ran", n)
	}
	var got []byte
	for range 2 * 6 * reply / window {
		got = append(got, p.Read(window)...)
		w.loop.Settle()
	}
	var order strings.Builder
	for _, f := range frames(t, got) {
		order.WriteByte(f[len(f)-1])
	}
	if order.String() != "012345" {
		t.Errorf("replies %q", order.String())
	}
}

// A client that sends for ever without reading is held at the marks, whatever it is
// owed: many bytes, or many writes of hardly any.
func TestBacklog_FloodOfPingsIsHeldAtTheMarks(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 125} {
		w := newWorld(t)
		p := w.slow()
		ping := frame(0x89, strings.Repeat("p", size))
		flood := bytes.Repeat(ping, 128_000/len(ping))
		for range 150 { // 19 MB
			p.Send(flood)
			w.loop.Settle()
		}
		most := min(session.HighWater, session.HighWrites*(size+2))
		if limit := most + 512<<10; p.Queued() > limit || !p.Paused() {
			t.Errorf("pings of %d bytes: %d bytes unsent, the limit is %d, paused %v", size, p.Queued(), limit, p.Paused())
		}
		for range 10 * most / window {
			p.Read(window)
			w.loop.Settle()
		}
		if p.Queued() == 0 && p.Paused() {
			t.Errorf("pings of %d bytes: reading did not go on", size)
		}
	}
}

func TestBacklog_FramesOfAnySizeArriveWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	var want, got []byte
	for i, size := range []int{0, 1, 125, 126, 4 << 10, 16<<10 - 1, 16 << 10, 65535, 65536, 1<<20 - 5, 1 << 20, 3<<20 + 7} {
		body := bytes.Repeat([]byte{'a' + byte(i)}, size)
		want = append(want, serverFrame(body)...)
		want = append(want, serverFrame(body)...)
		w.server.Send(1, body)
		w.server.Give(1, body)
		w.loop.Turn()
	}
	for range 100 {
		got = append(got, p.Read(window)...)
		w.loop.Settle()
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrived, want %d the same", len(got), len(want))
	}
}

// What waits in the write queue is not overwritten by later frames.
func TestBacklog_ManySmallFramesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	p.SetWindow(3000)
	var want []string
	for i := range 20_000 {
		s := fmt.Sprintf("message %d of many", i)
		want = append(want, "text "+s)
		w.server.Send(1, []byte(s))
		if i%50 == 0 {
			w.loop.Turn()
			p.Read(i % 3000)
		}
	}
	p.SetWindow(-1)
	w.loop.Settle()
	if got := frames(t, p.Take()); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d frames arrived, or not as they were sent", len(got))
	}
}

func serverFrame(body []byte) []byte {
	b := frame(0x81, string(body))
	at := len(b) - len(body) - 4
	head := bytes.Clone(b[:at])
	head[1] &^= 0x80
	return append(head, body...)
}
