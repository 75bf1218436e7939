// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

const (
	// firstBuffer is the first capacity, in bytes, of a message that may grow.
	firstBuffer = 512
	// growLimit is the number of bytes up to which a message's buffer doubles. A
	// peer that sent so many is trusted with the length its header announces.
	growLimit = 1 << 20
	// lendFrom is the number of bytes from which a message of more than growLimit
	// asks the Lender.
	lendFrom = 64 << 10
)

// Lender has buffers for large messages, whose pages cost nothing until they are written.
// A message that has one is never moved, and never held twice.
type Lender interface {
	// Lend returns an empty buffer with room for size bytes, or nil, and then the
	// message has one of the heap.
	Lend(size int) []byte
	// Return takes back a buffer that nobody looks at any more. p may be a part that
	// begins where the buffer does; any other p does nothing.
	Return(p []byte)
}

// noLender is the Lender of a Reader that was given none.
type noLender struct{}

func (noLender) Lend(int) []byte { return nil }
func (noLender) Return([]byte)   {}

// message collects the payload of one message. Its bytes are in pieces, then tail.
// Only the first growLimit bytes are ever moved when it grows, so the time is linear
// for one huge frame as well as for thousands of fragments, and a message in one
// frame is never held twice.
type message struct {
	pieces [][]byte // full, each of at least growLimit bytes
	tail   []byte
	size   int // bytes in both
	lender Lender
}

// add appends p, which left more bytes of the same frame will follow; more is how many
// may follow in all.
func (m *message) add(p []byte, left, more int) {
	m.size += len(p)
	for len(p) > 0 {
		if len(m.tail) == cap(m.tail) {
			m.grow(len(p), len(p)+left, len(p)+more)
		}
		n := min(len(p), cap(m.tail)-len(m.tail))
		m.tail = append(m.tail, p[:n]...)
		p = p[n:]
	}
}

// grow makes room for some of the n bytes at hand, of coming in this frame and most in all.
func (m *message) grow(n, coming, most int) {
	used := len(m.tail)
	if used > growLimit || len(m.pieces) > 0 {
		m.pieces = append(m.pieces, m.tail)
		m.tail = make([]byte, 0, min(max(coming, growLimit), most))
		return
	}
	if used+n > lendFrom && used+most > growLimit {
		if lent := m.lender.Lend(used + most); lent != nil {
			m.tail = append(lent, m.tail...)
			return
		}
	}
	size := max(2*used, used+n, firstBuffer)
	if size > growLimit {
		size = used + max(coming, growLimit)
	}
	m.tail = append(make([]byte, 0, min(size, used+most)), m.tail...)
}

// take returns the whole message and forgets it.
func (m *message) take() []byte {
	p := m.tail
	if len(m.pieces) > 0 {
		p = make([]byte, 0, m.size)
		for _, piece := range append(m.pieces, m.tail) {
			p = append(p, piece...)
		}
	}
	*m = message{lender: m.lender}
	return p
}

// drop forgets the message.
func (m *message) drop() {
	m.lender.Return(m.tail)
	*m = message{lender: m.lender}
}
