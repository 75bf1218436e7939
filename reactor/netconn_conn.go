// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"errors"
	"io"
	"net"
)

const (
	// smallRead is the buffer of a connection that sends little.
	smallRead = 4 << 10
	// maxLent is the most bytes a writer has at once, so that a peer that reads
	// slowly shows its progress.
	maxLent = 64 << 10
)

// netConn is a connection of netLoop: one goroutine reads, one at a time writes.
type netConn struct {
	conn
	loop    *netLoop
	nc      net.Conn
	credit  chan struct{} // lets the reader go on
	quit    chan struct{} // closed when the connection is
	held    func()        // what was read while reading was paused
	owed    bool          // the reader waits for its credit
	writing bool
	dropped error // why the connection closed while a writer had pieces
	bufs    [][]byte
}

func (l *netLoop) newConn(nc net.Conn) *netConn {
	c := &netConn{loop: l, nc: nc, credit: make(chan struct{}, 1), quit: make(chan struct{})}
	c.conn.init(&l.core, c)
	return c
}

// readLoop reads ahead by one buffer at most: the next read starts when the turn
// that got the last one is over and reading is not paused.
func (c *netConn) readLoop() {
	small := make([]byte, smallRead)
	buf := small
	for {
		n, err := c.nc.Read(buf)
		got := buf[:n:n]
		c.loop.report(func() { c.arrived(got, err) })
		if err != nil {
			return
		}
		select {
		case <-c.credit:
		case <-c.quit:
			return
		}
		switch {
		case n == len(small) && len(buf) == len(small):
			buf = make([]byte, maxRead)
		case n < len(small):
			buf = small
		}
	}
}

func (c *netConn) arrived(p []byte, err error) {
	switch {
	case c.gone:
		return
	case c.paused:
		c.held = func() { c.arrived(p, err) }
		return
	}
	if len(p) > 0 {
		c.loop.granted = append(c.loop.granted, c)
		c.data(p)
	}
	switch {
	case err == nil || c.gone:
	case err == io.EOF:
		c.ended()
	default:
		c.fail(cause(err))
	}
}

// grant lets the reader go on, now or when reading is resumed.
func (c *netConn) grant() {
	if c.owed = c.paused; !c.owed {
		c.credit <- struct{}{}
	}
}

// flush implements socket.
func (c *netConn) flush() {
	c.dirty = false
	if c.gone {
		return
	}
	if !c.paused && c.held != nil {
		c.loop.report(c.held)
		c.held = nil
	}
	if c.owed {
		c.grant()
	}
	if !c.writing {
		c.lend()
	}
}

// lend gives the next bytes to a writer.
func (c *netConn) lend() {
	bufs, pieces, size := c.out.gather(c.bufs[:0], maxLent)
	c.bufs = bufs
	if size == 0 {
		c.out.advance(0, c.end)
		return
	}
	c.writing, c.out.lent = true, pieces
	c.loop.writing++
	c.loop.spawn(func() {
		lent := net.Buffers(bufs)
		n, err := lent.WriteTo(c.nc)
		c.loop.report(func() { c.wrote(int(n), err) })
	})
}

func (c *netConn) wrote(n int, err error) {
	c.writing, c.out.lent = false, 0
	c.loop.writing--
	clear(c.bufs)
	if c.gone {
		c.out.drop(c.dropped, c.end)
		return
	}
	c.out.advance(n, c.end)
	if err != nil {
		c.fail(cause(err))
		return
	}
	if c.out.head < len(c.out.pieces) {
		c.touch()
	}
}

// release implements socket. The bytes a writer still has are the connection's
// until it returns, which the closed socket makes it do; so are all dones.
func (c *netConn) release(err error) {
	close(c.quit)
	_ = c.nc.Close()
	c.held = nil
	if c.dropped = err; !c.writing {
		c.out.drop(err, c.end)
	}
}

// cause strips the addresses from an error of package net.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}
