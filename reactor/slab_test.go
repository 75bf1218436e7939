// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import "testing"

func TestSlabs_ReadsOfATurnDoNotOverlap(t *testing.T) {
	t.Parallel()
	var s slabs
	var kept [][]byte
	for i := range 200 {
		room := s.room()
		if len(room) != maxRead {
			t.Fatalf("room for %d bytes", len(room))
		}
		n := 1 + i*i*7%maxRead
		for j := range room {
			room[j] = byte(i)
		}
		kept = append(kept, s.take(n))
	}
	for i, p := range kept {
		if p[0] != byte(i) || p[len(p)-1] != byte(i) || cap(p) != len(p) {
			t.Fatalf("read %d was overwritten or has room behind it", i)
		}
	}
}

func TestSlabs_KeepWhatTheLastTurnNeeded(t *testing.T) {
	t.Parallel()
	var s slabs
	fill := func(bytes int) {
		for s.read < bytes {
			s.room()
			s.take(maxRead)
		}
	}
	for _, tt := range []struct{ bytes, kept int }{
		{10 * slabSize, 10}, {10 * slabSize, 10}, {2 * slabSize, 2}, {0, 1}, {1, 1},
	} {
		fill(tt.bytes)
		s.recycle(true)
		if len(s.all) != tt.kept {
			t.Errorf("%d slabs kept after %d bytes", len(s.all), tt.bytes)
		}
	}
	s.recycle(false)
	if len(s.all) != 0 {
		t.Error("a slab is kept for no connection")
	}
}
