// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"bytes"
	"testing"

	"claudecoded/reactor"
)

// suite is one test of the suite with its harness.
type suite struct {
	*testing.T
	Harness
}

// receiver is the Events of one connection. It records everything; the hooks, if
// set, run after the recording.
type receiver struct {
	conn   reactor.Conn
	got    []byte
	eofs   int
	closed []error

	onData   func(p []byte)
	onEOF    func()
	onClosed func(err error)
}

func (r *receiver) Data(p []byte) {
	r.got = append(r.got, p...)
	if r.onData != nil {
		r.onData(p)
	}
}

func (r *receiver) EOF() {
	r.eofs++
	if r.onEOF != nil {
		r.onEOF()
	}
}

func (r *receiver) Closed(err error) {
	r.closed = append(r.closed, err)
	if r.onClosed != nil {
		r.onClosed(err)
	}
}

// The hooks are the loop goroutine's as well, so they are set there.
func (s *suite) onData(r *receiver, f func([]byte))  { s.Do(func() { r.onData = f }) }
func (s *suite) onEOF(r *receiver, f func())         { s.Do(func() { r.onEOF = f }) }
func (s *suite) onClosed(r *receiver, f func(error)) { s.Do(func() { r.onClosed = f }) }

// listen listens on any port before the loop runs, then starts it.
func (s *suite) listen(accept func(reactor.Conn) reactor.Events) (reactor.Listener, int) {
	s.Helper()
	ln, err := s.Loop().Listen(reactor.PortRange{}, accept)
	if err != nil {
		s.Fatal(err)
	}
	s.Start()
	return ln, ln.Port()
}

// serve accepts with a receiver for each connection and returns the port and the
// receivers, in the order of the accepts.
func (s *suite) serve() (port int, accepted *[]*receiver) {
	s.Helper()
	accepted = new([]*receiver)
	_, port = s.listen(func(c reactor.Conn) reactor.Events {
		r := &receiver{conn: c}
		*accepted = append(*accepted, r)
		return r
	})
	return port, accepted
}

// dial connects one more peer and waits for its receiver.
func (s *suite) dial(port int, accepted *[]*receiver) (r *receiver, p Peer) {
	s.Helper()
	var before int
	s.Do(func() { before = len(*accepted) })
	p = s.Dial(port)
	s.Until("the accept", func() bool {
		if len(*accepted) == before {
			return false
		}
		r = (*accepted)[before]
		return true
	})
	return r, p
}

// connect starts the loop with one connection.
func (s *suite) connect() (*receiver, Peer) {
	s.Helper()
	return s.dial(s.serve())
}

// expect compares what a peer reads with want.
func (s *suite) expect(p Peer, want []byte) {
	s.Helper()
	if got := p.Read(len(want)); !bytes.Equal(got, want) {
		s.Fatalf("peer read %d bytes that differ from what was written", len(got))
	}
}

// backlog is more than the kernel takes for a peer that does not read.
const backlog = 16 << 20

// clog queues so much that a peer which does not read leaves some of it queued.
// done gets the outcome of each of the writes.
func (s *suite) clog(r *receiver, done func(error)) []byte {
	s.Helper()
	chunk := pattern(1 << 20)
	s.Do(func() {
		for range backlog / len(chunk) {
			r.conn.Write([][]byte{chunk}, done)
		}
	})
	last := uint64(0)
	still := 0
	s.Until("the kernel's buffers to fill", func() bool {
		if now := r.conn.Written(); now != last {
			last, still = now, 0
		}
		still++
		return still > 5 && last > 0
	})
	return chunk
}

// pattern is n bytes of which every window of a few hundred is different.
func pattern(n int) []byte {
	p := make([]byte, n)
	x := uint32(1)
	for i := range p {
		x = x*1664525 + 1013904223
		p[i] = byte(x >> 24)
	}
	return p
}

// outcomes collects what the dones of several writes got.
type outcomes struct {
	errs []error
}

func (o *outcomes) done(err error) { o.errs = append(o.errs, err) }
