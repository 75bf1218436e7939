// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

// Spare keeps the buffer of one large message that was handled for the next one, so that
// several in a row are held once, not once more until the collector has run. All Readers
// of a goroutine may share one. The zero value is ready.
type Spare struct{ buffer []byte }

// maxWaste is how many times as long as a message its buffer may be.
const maxWaste = 4

// Give hands over a message's Payload, which nobody looks at any more, and reports whether
// it is kept: the largest is. A small one, which may lie in the bytes it was read from,
// never is.
func (s *Spare) Give(p []byte) bool {
	if cap(p) <= growLimit || cap(p) <= cap(s.buffer) {
		return false
	}
	s.buffer = p[:0]
	return true
}

// Drop frees what is kept.
func (s *Spare) Drop() { s.buffer = nil }

// take returns an empty buffer for at least size bytes. One that is much too large stays:
// messages that do not need it must not keep it from being dropped.
func (s *Spare) take(size int) []byte {
	if s == nil || size <= growLimit || cap(s.buffer) < size || cap(s.buffer)/maxWaste > size {
		return make([]byte, 0, size)
	}
	p := s.buffer
	s.buffer = nil
	return p
}
