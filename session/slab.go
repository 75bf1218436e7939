// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

const (
	// A slab holds the frames of one client that are being written: it starts
	// with minSlab bytes and grows to maxSlab. A longer frame has its own memory.
	minSlab = 4 << 10
	maxSlab = 64 << 10

	// maxSpareSlabs is how many bytes of slabs are kept that no client needs: a
	// client has one only as long as something is to be written.
	maxSpareSlabs = 1 << 20
)

// spareSlabs are the slabs that no client needs now. The zero value is ready.
type spareSlabs struct {
	all   [][]byte
	bytes int
}

func (s *spareSlabs) give(slab []byte) {
	if s.bytes+cap(slab) <= maxSpareSlabs {
		s.all, s.bytes = append(s.all, slab[:0]), s.bytes+cap(slab)
	}
}

// take returns an empty slab, nil if there is none.
func (s *spareSlabs) take() []byte {
	last := len(s.all) - 1
	if last < 0 {
		return nil
	}
	slab := s.all[last]
	s.all[last], s.all = nil, s.all[:last]
	s.bytes -= cap(slab)
	return slab
}

// alloc returns an empty slice with room for n bytes. What is appended to it must be
// queued or joined before the next call.
func (c *client) alloc(n int) []byte {
	if n > maxSlab/4 {
		return make([]byte, 0, n)
	}
	if c.joined == 0 && c.conn.Queued() == 0 {
		c.slab = c.slab[:0] // the kernel has all of it
	}
	if c.slab == nil {
		c.slab = c.s.slabs.take()
	}
	if cap(c.slab)-len(c.slab) < n {
		c.flushJoined()
		c.slab = make([]byte, 0, min(max(2*cap(c.slab), minSlab, n), maxSlab))
	}
	at := len(c.slab)
	c.slab = c.slab[:at+n]
	return c.slab[at : at : at+n]
}

// freeSlab gives the slab back once the kernel has all of it.
func (c *client) freeSlab() {
	if c.slab != nil && c.joined == 0 && c.conn.Queued() == 0 {
		c.s.slabs.give(c.slab)
		c.slab = nil
	}
}
