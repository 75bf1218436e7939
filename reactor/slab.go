// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

// slabSize is the size of one read buffer, which several reads of a turn share.
const slabSize = 4 * maxRead

// slabs are the read buffers of one turn. What a read filled stays untouched
// until recycle, so receivers may keep slices of it for the rest of the turn.
type slabs struct {
	all  [][]byte
	used int // all[:used] hold bytes of this turn
	off  int // of the free part of all[used-1]
	read int // bytes taken this turn
}

// room is where the next read goes.
func (s *slabs) room() []byte {
	if s.used == 0 || slabSize-s.off < maxRead {
		if s.used == len(s.all) {
			s.all = append(s.all, make([]byte, slabSize))
		}
		s.used, s.off = s.used+1, 0
	}
	return s.all[s.used-1][s.off : s.off+maxRead : s.off+maxRead]
}

// take keeps the first n bytes of room.
func (s *slabs) take(n int) []byte {
	p := s.all[s.used-1][s.off : s.off+n : s.off+n]
	s.off += n
	s.read += n
	return p
}

// recycle ends the turn. As many slabs stay as the turn needed, one at least; none
// if there is no connection that could send something.
func (s *slabs) recycle(connected bool) {
	keep := 0
	if connected {
		keep = min(max(s.used, 1), len(s.all))
	}
	clear(s.all[keep:])
	s.all, s.used, s.off, s.read = s.all[:keep], 0, 0, 0
}
