// Copyright (c) 2026 the claudecoded authors. MIT license.

package fake

import (
	"bytes"
	"math"
	"syscall"
)

// Peer is a client as a test plays it: the other end of one connection, with the
// kernel's send buffer between. It belongs to the test's goroutine.
type Peer struct {
	conn     *conn
	sent     [][]byte // on their way to the server
	ended    bool     // CloseWrite
	reset    error
	writeErr error

	window   int    // bytes the kernel holds for the peer; negative: it reads at once
	kernel   []byte // taken by the kernel, not read by the peer
	received []byte
	flushes  int
	closed   bool
}

// Connect connects to the newest open listener; see Dial.
func (l *Loop) Connect() *Peer {
	for i := len(l.listeners) - 1; i >= 0; i-- {
		if ln := l.listeners[i]; !ln.closed {
			return l.Dial(ln.port)
		}
	}
	return l.Dial(0)
}

// Dial connects to the listener of a port; the next turn accepts. Without one the
// peer is refused: Closed reports true. Until SetWindow the peer reads everything
// at once.
func (l *Loop) Dial(port int) *Peer {
	p := &Peer{window: -1}
	p.conn = &conn{loop: l, peer: p, listener: l.listening(port)}
	if p.conn.listener == nil {
		p.closed, p.conn.closed = true, true
	} else {
		l.conns = append(l.conns, p.conn)
	}
	return p
}

// Send sends a copy of each p; the server reads them apart if ReadSize allows.
func (p *Peer) Send(bufs ...[]byte) {
	for _, b := range bufs {
		if len(b) > 0 && !p.ended {
			p.sent = append(p.sent, bytes.Clone(b))
		}
	}
}

// CloseWrite ends what the peer sends; it can still read.
func (p *Peer) CloseWrite() { p.ended = true }

// Reset breaks the connection; what was sent and not yet read is lost.
func (p *Peer) Reset() { p.reset, p.sent = syscall.ECONNRESET, nil }

// FailWrites makes the server's next write to the peer fail with err.
func (p *Peer) FailWrites(err error) { p.writeErr = err }

// SetWindow lets the kernel hold n bytes that the peer has not read. From then on
// the peer reads only when Read is called, and once the window was full a poll
// reports room only when a third of it is free, as Linux does. A negative n makes the
// peer read at once again.
func (p *Peer) SetWindow(n int) {
	p.window = n
	if n < 0 {
		p.Read(len(p.kernel))
	}
}

// Read makes the peer read up to n bytes of what the kernel holds, and returns them.
func (p *Peer) Read(n int) []byte {
	n = min(n, len(p.kernel))
	b := p.kernel[:n:n]
	p.kernel = p.kernel[n:]
	p.received = append(p.received, b...)
	return b
}

// Received is everything the peer has read and Take has not taken.
func (p *Peer) Received() []byte { return p.received }

// Take returns what Received does and forgets it.
func (p *Peer) Take() []byte {
	b := p.received
	p.received = nil
	return b
}

// Flushes is how often the server gave the kernel bytes: its writev calls.
func (p *Peer) Flushes() int { return p.flushes }

// Closed reports whether the server closed the socket. What the kernel holds can
// still be read.
func (p *Peer) Closed() bool { return p.closed }

// Paused reports whether the server has paused reading.
func (p *Peer) Paused() bool { return p.conn.paused }

// Queued is the number of bytes the server still keeps for the peer.
func (p *Peer) Queued() int { return p.conn.queued }

// Unsent is a copy of the bytes the server still keeps for the peer.
func (p *Peer) Unsent() []byte {
	var b []byte
	for _, q := range p.conn.queue {
		b = append(b, bytes.Join(q.bufs, nil)...)
	}
	return b
}

// room is how many bytes the kernel would take now.
func (p *Peer) room() int {
	if p.window < 0 {
		return math.MaxInt
	}
	return p.window - len(p.kernel)
}

// writable is whether a poll reports room.
func (p *Peer) writable() bool { return p.room() > 0 && p.room() >= p.window/3 }

// take is the kernel taking what fits of b.
func (p *Peer) take(b []byte) int {
	n := min(len(b), max(p.room(), 0))
	if p.window < 0 {
		p.received = append(p.received, b[:n]...)
	} else {
		p.kernel = append(p.kernel, b[:n]...)
	}
	return n
}
