// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import "testing"

// A message of which nobody knows how long it gets has no room for more than growLimit bytes
// that did not come.
func TestMessage_HasRoomForLittleThatDidNotCome(t *testing.T) {
	t.Parallel()
	m := message{lender: noLender{}}
	part := make([]byte, 48<<10)
	for m.size < 4*growLimit {
		m.add(part, 0, MaxMessage-m.size-len(part))
		room := cap(m.tail)
		for _, piece := range m.pieces {
			room += cap(piece)
		}
		if room > m.size+growLimit {
			t.Fatalf("%d bytes came, and there is room for %d", m.size, room)
		}
	}
}
