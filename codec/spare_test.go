// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// large reads messages of so many bytes in reads of 64 KiB and gives each to after.
func large(t *testing.T, r *Reader, stream []byte, after func(p []byte)) {
	t.Helper()
	for _, p := range split(stream, 64<<10) {
		for len(p) > 0 {
			ev, n, err := r.Next(p)
			if err != nil {
				t.Fatal(err)
			}
			p = p[n:]
			if ev.Kind == Text {
				after(ev.Payload)
			}
		}
	}
}

func TestSpare_IsTheNextLargeMessagesBuffer(t *testing.T) {
	t.Parallel()
	const size = 3 * growLimit
	whole := func(c string, size int) []byte { return text(strings.Repeat(c, size)) }
	pieces := func(c string, size int) []byte {
		half := strings.Repeat(c, size/2)
		return append(frag(false, ws.OpText, half), frag(true, ws.OpContinuation, half)...)
	}
	for name, build := range map[string]func(string, int) []byte{"one frame": whole, "fragments": pieces} {
		var spare Spare
		r := NewReader(MaxMessage)
		r.Reuse(&spare)
		var first, payload []byte
		read := func(c string, size int, give bool) {
			large(t, r, build(c, size), func(p []byte) {
				if len(p) != size || strings.Trim(string(p), c) != "" {
					t.Errorf("%s: %d bytes of %s came as %d, %.20q", name, size, c, len(p), p)
				}
				payload = p
				if give && !spare.Give(p) {
					t.Errorf("%s: %d bytes were not kept", name, size)
				}
			})
		}
		same := func() bool { return &payload[0] == &first[0] }
		read("a", size, true)
		first = payload
		if read("b", size-2, true); !same() {
			t.Errorf("%s: a message that fits has a buffer of its own", name)
		}
		if read("c", 8, false); same() {
			t.Errorf("%s: a small message has the large one's buffer", name)
		}
		if read("d", 8*growLimit, false); same() {
			t.Errorf("%s: a larger message has the buffer of a smaller", name)
		}
		spare.Drop()
		if read("e", size, false); same() {
			t.Errorf("%s: a buffer was used after it was dropped", name)
		}
	}
}

func TestSpare_KeepsTheLargestAndNoSmallOne(t *testing.T) {
	t.Parallel()
	var s Spare
	for _, c := range []struct {
		size int
		kept bool
	}{{0, false}, {growLimit, false}, {8 * growLimit, true}, {2 * growLimit, false}, {9 * growLimit, true}} {
		if got := s.Give(make([]byte, c.size)); got != c.kept {
			t.Errorf("%d bytes kept: %t", c.size, got)
		}
	}
	if p := s.take(2 * growLimit); cap(p) != 2*growLimit {
		t.Errorf("a message that needs little got %d bytes, which then are never dropped", cap(p))
	}
}
