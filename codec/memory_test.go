// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !race

package codec

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// These tests measure the process, so none of them runs in parallel with another.

const readSize = 64 << 10

var buffer [readSize]byte // what is read, and unmasked in place

// allocated is the number of bytes that f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// live is the number of bytes on the heap after a collection.
func live() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// pour gives n bytes of payload to r in reads of readSize, as one frame, and returns
// the message if that ends one.
func pour(t *testing.T, r *Reader, fin bool, op ws.OpCode, n int) (msg []byte) {
	t.Helper()
	header := announce(op, uint64(n))
	if !fin {
		header[0] &^= 0x80
	}
	next := func(p []byte) {
		ev, k, err := r.Next(p)
		if err != nil || k != len(p) {
			t.Fatalf("consumed %d of %d bytes, %v", k, len(p), err)
		}
		if ev.Kind != NeedMore {
			msg = ev.Payload
		}
	}
	next(header)
	for ; n > 0; n -= min(n, readSize) {
		next(buffer[:min(n, readSize)])
	}
	return msg
}

func TestReader_HugeMessageIsNeverHeldTwice(t *testing.T) {
	const size = MaxMessage
	r := NewReader(size)
	var msg []byte
	got := allocated(func() { msg = pour(t, r, true, ws.OpText, size) })
	if len(msg) != size || got > size*13/10 {
		t.Errorf("a message of %d bytes came as %d and took %d", size, len(msg), got)
	}
	base := live()
	runtime.KeepAlive(msg)
	msg = nil
	if freed := base - live(); freed < size*9/10 || r.Buffered() != 0 {
		t.Errorf("%d bytes were given back, %d are kept", freed, r.Buffered())
	}
	runtime.KeepAlive(r)
}

func TestReader_FragmentsAreJoinedOnce(t *testing.T) {
	const size = MaxMessage
	for _, count := range []int{2, 100, 1 << 12} {
		r := NewReader(size)
		got := allocated(func() {
			var msg []byte
			op := ws.OpBinary
			for i := range count {
				msg = pour(t, r, i == count-1, op, size/count)
				op = ws.OpContinuation
			}
			if len(msg) != size/count*count {
				t.Errorf("%d fragments came as %d bytes", count, len(msg))
			}
		})
		if got > size*22/10 {
			t.Errorf("a message of %d bytes in %d fragments took %d", size, count, got)
		}
	}
}

func TestReader_TinyFragmentsCostTheirBytes(t *testing.T) {
	const count = 1 << 16
	var stream []byte
	for range count {
		stream = append(stream, frag(false, ws.OpContinuation, "")...)
		stream = append(stream, frag(false, ws.OpContinuation, "x")...)
	}
	for first, bound := range map[int]int{0: 4 * count, 2 * growLimit: growLimit + count} {
		r := NewReader(MaxMessage)
		pour(t, r, false, ws.OpBinary, first)
		got := allocated(func() {
			if _, n, err := r.Next(bytes.Clone(stream)); err != nil || n != len(stream) {
				t.Fatalf("%d, %v", n, err)
			}
		}) - len(stream)
		if got > bound || r.Buffered() != first+count {
			t.Errorf("%d fragments of 1 byte after %d took %d, %d are kept", count, first, got, r.Buffered())
		}
	}
}

func TestReader_AnnouncedLengthCostsNothing(t *testing.T) {
	readers := make([]*Reader, 100)
	for i := range readers {
		readers[i] = NewReader(MaxMessage)
	}
	headers := [][]byte{announce(ws.OpText, MaxMessage), announce(ws.OpText, 16<<30)}
	got := allocated(func() {
		for i, r := range readers {
			r.Next(headers[i%2])
		}
	})
	if got > 100*256 {
		t.Errorf("100 announced messages took %d bytes", got)
	}
	if got := allocated(func() { readers[0].Next(buffer[:1000]) }); got > 2<<10 {
		t.Errorf("1000 bytes of %d announced took %d", MaxMessage, got)
	}
}

func TestReader_SmallFrameDoesNotAllocate(t *testing.T) {
	stream := appendClient(nil, true, ws.OpText, []byte(strings.Repeat("x", 200)), noKey)
	stream = appendClient(stream, true, ws.OpPing, []byte("ping"), noKey)
	r := NewReader(MaxMessage)
	if n := testing.AllocsPerRun(100, func() {
		for p := stream; len(p) > 0; {
			ev, n, err := r.Next(p)
			if err != nil || ev.Kind == NeedMore {
				t.Fatal(ev, err)
			}
			p = p[n:]
		}
	}); n != 0 {
		t.Errorf("a small message and a ping took %v allocations", n)
	}
}

func TestAppendFrame_DoesNotAllocateWithRoom(t *testing.T) {
	dst, payload := make([]byte, 0, 70000), make([]byte, 65536)
	if n := testing.AllocsPerRun(100, func() { AppendFrame(dst, ws.OpText, payload) }); n != 0 {
		t.Errorf("a frame took %v allocations", n)
	}
}
