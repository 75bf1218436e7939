// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

const (
	// firstBuffer is the first capacity, in bytes, of a message that may grow.
	firstBuffer = 512
	// growLimit is the number of bytes up to which a message's buffer doubles. A
	// peer that sent so many is trusted with the length its header announces.
	growLimit = 1 << 20
)

// message collects the payload of one message. Its bytes are in pieces, then tail.
// Only the first growLimit bytes are ever moved when it grows, so the time is linear
// for one huge frame as well as for thousands of fragments, and a message in one
// frame is never held twice.
type message struct {
	pieces [][]byte // full, each of at least growLimit bytes
	tail   []byte
	size   int // bytes in both
	spare  *Spare
}

// add appends p, which left more bytes of the same frame will follow; fin says that
// the frame is the message's last.
func (m *message) add(p []byte, left int, fin bool) {
	m.size += len(p)
	for len(p) > 0 {
		if len(m.tail) == cap(m.tail) {
			m.grow(len(p), len(p)+left, fin)
		}
		n := min(len(p), cap(m.tail)-len(m.tail))
		m.tail = append(m.tail, p[:n]...)
		p = p[n:]
	}
}

// grow makes room for some of the n bytes at hand, of coming in this frame.
func (m *message) grow(n, coming int, fin bool) {
	used := len(m.tail)
	if used > growLimit || len(m.pieces) > 0 {
		m.pieces = append(m.pieces, m.tail)
		if !fin {
			coming = max(coming, growLimit)
		}
		m.tail = m.spare.take(coming)
		return
	}
	size := max(2*used, used+n, firstBuffer)
	if size > growLimit {
		size = used + max(coming, growLimit)
	}
	if fin {
		size = min(size, used+coming)
	}
	m.tail = append(m.spare.take(size), m.tail...)
}

// take returns the whole message and forgets it.
func (m *message) take() []byte {
	p := m.tail
	if len(m.pieces) > 0 {
		p = m.spare.take(m.size)
		for _, piece := range append(m.pieces, m.tail) {
			p = append(p, piece...)
		}
	}
	*m = message{spare: m.spare}
	return p
}
