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
		c := &client{s: &Server{}, conn: unread{}}
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

func TestSlab_IsHeldOnlyWhileSomethingIsWritten(t *testing.T) {
	t.Parallel()
	s := &Server{}
	a, b := &client{s: s, conn: read{}}, &client{s: s, conn: read{}}
	a.alloc(1)
	first := &a.slab[:1][0]
	a.joined = 1
	if a.freeSlab(); a.slab == nil {
		t.Error("given back with a frame in it that is not queued")
	}
	a.joined = 0
	if a.freeSlab(); a.slab != nil || s.slabs.bytes != minSlab {
		t.Errorf("the client has %d bytes, %d are spare", cap(a.slab), s.slabs.bytes)
	}
	b.alloc(1)
	if &b.slab[:1][0] != first || s.slabs.bytes != 0 {
		t.Error("the next client has another slab")
	}
	b.conn = unread{}
	if b.freeSlab(); b.slab == nil {
		t.Error("given back while the kernel lacks some of it")
	}
}

func TestSlab_SpareOnesAreBounded(t *testing.T) {
	t.Parallel()
	var s spareSlabs
	for range 2 * maxSpareSlabs / maxSlab {
		s.give(make([]byte, 1, maxSlab))
	}
	if s.bytes != maxSpareSlabs || len(s.all) != maxSpareSlabs/maxSlab {
		t.Errorf("%d slabs of %d bytes in all are kept", len(s.all), s.bytes)
	}
	for len(s.all) > 0 {
		if slab := s.take(); len(slab) != 0 || cap(slab) != maxSlab {
			t.Fatalf("a slab of %d bytes, %d used", cap(slab), len(slab))
		}
	}
	if s.take() != nil || s.bytes != 0 {
		t.Error("there are more")
	}
}

// read is a connection whose kernel took everything.
type read struct{ reactor.Conn }

func (read) Queued() int { return 0 }

func TestBroadcasts_ShareLittleMemory(t *testing.T) {
	t.Parallel()
	s := &Server{}
	if large := s.broadcastFrame(make([]byte, maxShared)); len(large) != maxShared+4 || s.shared != nil {
		t.Errorf("a frame of %d bytes is in %d bytes that are shared", len(large), cap(s.shared))
	}
	for range 1000 {
		if s.broadcastFrame(make([]byte, 100)); cap(s.shared) != 16<<10 {
			t.Fatalf("%d bytes are shared", cap(s.shared))
		}
	}
}
