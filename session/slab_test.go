// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"claudecoded/reactor"
)

// unread is a connection whose kernel takes nothing, so that no byte is free again.
type unread struct{ reactor.Conn }

func (unread) Queued() int { return 1 }

func TestSlab_HasRoomForEveryFrameAndNeverShrinks(t *testing.T) {
	t.Parallel()
	sizes := []int{0, 1, 125, 126, minSlab, maxSlab / 4, maxSlab/4 + 1, 65535, 65536}
	rapid.Check(t, func(t *rapid.T) {
		c := &client{conn: unread{}}
		var frames, want [][]byte
		for i, n := range rapid.SliceOfN(rapid.SampledFrom(sizes), 100, 200).Draw(t, "sizes") {
			before := cap(c.slab)
			frame := c.alloc(n)
			if len(frame) != 0 || cap(frame) != n || cap(c.slab) < before || cap(c.slab) > maxSlab {
				t.Fatalf("%d bytes of %d, the slab has %d and had %d", cap(frame), n, cap(c.slab), before)
			}
			want = append(want, bytes.Repeat([]byte{byte(i)}, n))
			frames = append(frames, append(frame, want[i]...))
		}
		for i, frame := range frames {
			if !bytes.Equal(frame, want[i]) {
				t.Fatalf("frame %d was overwritten", i)
			}
		}
	})
}
