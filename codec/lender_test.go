// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// desk is a Lender that counts. It has buffers of room bytes.
type desk struct {
	room  int
	asked int
	lent  map[*byte]bool
}

func newDesk(room int) *desk { return &desk{room: room, lent: map[*byte]bool{}} }

func (d *desk) Lend(size int) []byte {
	d.asked++
	if size > d.room {
		return nil
	}
	p := make([]byte, 0, d.room)
	d.lent[&p[:1][0]] = true
	return p
}

func (d *desk) Return(p []byte) {
	if cap(p) > 0 {
		delete(d.lent, &p[:1][0])
	}
}

func (d *desk) has(p []byte) bool { return d.lent[&p[:1][0]] }

// pourAll gives a stream to r in reads of 64 KiB and returns the last whole message.
func pourAll(r *Reader, stream []byte) (message []byte, err error) {
	for _, p := range split(stream, 64<<10) {
		for len(p) > 0 {
			ev, n, err := r.Next(p)
			if err != nil {
				return nil, err
			}
			p = p[n:]
			if ev.Kind == Text || ev.Kind == Binary {
				message = ev.Payload
			}
		}
	}
	return message, nil
}

func TestLender_HasTheBuffersOfLargeMessages(t *testing.T) {
	t.Parallel()
	const room = 4 * growLimit
	whole := func(n int) []byte { return text(strings.Repeat("x", n)) }
	halves := func(n int) []byte {
		half := strings.Repeat("x", n/2)
		return append(frag(false, ws.OpText, half), frag(true, ws.OpContinuation, half)...)
	}
	for _, tt := range []struct {
		name   string
		stream []byte
		size   int
		lent   bool
	}{
		{"a small one", whole(lendFrom), lendFrom, false},
		{"one that grows on the heap", whole(growLimit), growLimit, false},
		{"a large one", whole(growLimit + 1), growLimit + 1, true},
		{"the largest", whole(room), room, true},
		{"small fragments", halves(lendFrom), lendFrom, false},
		{"fragments that may become large", halves(2*lendFrom + 2), 2*lendFrom + 2, true},
		{"large fragments", halves(room), room, true},
	} {
		d := newDesk(room)
		r := NewReader(room)
		r.Borrow(d)
		message, err := pourAll(r, tt.stream)
		if err != nil || len(message) != tt.size || strings.Trim(string(message), "x") != "" {
			t.Errorf("%s came as %d bytes, %v", tt.name, len(message), err)
			continue
		}
		if d.has(message) != tt.lent || len(d.lent) > 1 {
			t.Errorf("%s is lent: %t; %d buffers are", tt.name, d.has(message), len(d.lent))
		}
		d.Return(message)
		r.Release()
		if len(d.lent) != 0 {
			t.Errorf("%s: %d buffers are still lent", tt.name, len(d.lent))
		}
	}
}

func TestLender_ThatHasNoneLeavesTheMessageToTheHeap(t *testing.T) {
	t.Parallel()
	const size = 6 * growLimit
	for _, stream := range [][]byte{
		text(strings.Repeat("x", size)),
		append(frag(false, ws.OpText, strings.Repeat("x", size/2)), frag(true, ws.OpContinuation, strings.Repeat("x", size/2))...),
	} {
		d := newDesk(growLimit)
		r := NewReader(size)
		r.Borrow(d)
		message, err := pourAll(r, stream)
		if err != nil || len(message) != size || strings.Trim(string(message), "x") != "" {
			t.Errorf("it came as %d bytes, %v", len(message), err)
		}
		if d.asked == 0 || d.asked > 10 || len(d.lent) > 0 {
			t.Errorf("it was asked %d times, %d are lent", d.asked, len(d.lent))
		}
	}
}

func TestLender_GetsBackWhatTheReaderDrops(t *testing.T) {
	t.Parallel()
	const size = 2 * growLimit
	x := strings.Repeat("x", size)
	for name, stream := range map[string][]byte{
		"released in the middle": text(x)[:size/2],
		"not UTF-8":              text(x + "\xFF"),
		"a frame in between":     append(frag(false, ws.OpText, x), text("y")...),
		"too long":               append(frag(false, ws.OpText, x), announce(ws.OpContinuation, size)...),
	} {
		d := newDesk(2*size - 1)
		r := NewReader(2*size - 1)
		r.Borrow(d)
		if message, _ := pourAll(r, stream); message != nil || d.asked != 1 {
			t.Errorf("%s: %d bytes came, asked %d times", name, len(message), d.asked)
		}
		r.Release()
		if len(d.lent) > 0 {
			t.Errorf("%s: %d buffers are still lent", name, len(d.lent))
		}
		if r.broken == nil {
			if _, err := pourAll(r, text(x)); err != nil || d.asked != 2 {
				t.Errorf("%s: asked %d times, %v", name, d.asked, err)
			}
		}
	}
}
