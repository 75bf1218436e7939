// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"os"

	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// interest is what a connection is registered for in the poller.
type interest uint8

const (
	toRead interest = 1 << iota
	toWrite
)

// pollConn is a connection of pollLoop.
type pollConn struct {
	conn
	loop       *pollLoop
	src        source
	blocked    bool // the kernel did not take all; wait for its event
	registered interest
}

func (l *pollLoop) newConn(fd int) *pollConn {
	c := &pollConn{loop: l}
	c.src = source{fd: fd, handle: c.handle, close: func() {}}
	c.conn.init(&l.core, c)
	l.sources[fd] = &c.src
	c.touch()
	return c
}

func (c *pollConn) handle(ev netpoll.IOEvent) {
	if ev&(netpoll.WriteEvents|netpoll.ErrEvents) != 0 && c.blocked {
		c.blocked = false
		c.flush()
	}
	if ev&(netpoll.ReadEvents|netpoll.ErrEvents) != 0 {
		c.read()
	}
}

// read reads once. A full read has probably left something behind.
func (c *pollConn) read() {
	if c.gone || c.paused || c.eof {
		return
	}
	room := c.loop.slabs.room()
	n, err := sysRead(c.src.fd, room)
	switch {
	case n > 0:
		if n == len(room) {
			c.loop.more.add(c)
		}
		c.data(c.loop.slabs.take(n))
	case err == nil:
		c.ended()
	case err != unix.EAGAIN && err != unix.EINTR:
		c.fail(os.NewSyscallError("read", err))
	}
}

// flush implements socket: one writev, then the interest that fits the outcome.
func (c *pollConn) flush() {
	c.dirty = false
	if c.gone {
		return
	}
	if !c.blocked {
		if err := c.write(); err != nil {
			c.fail(os.NewSyscallError("write", err))
			return
		}
	}
	if err := c.register(c.wanted()); err != nil {
		c.fail(err)
	}
}

// write offers the queue to the kernel once. What is left after the kernel took
// all that was offered waits for the next turn, so that others get theirs.
func (c *pollConn) write() error {
	bufs, _, size := c.out.gather(c.loop.bufs[:0], maxWrite)
	c.loop.bufs = bufs
	defer clear(bufs)
	n, err := writev(c.src.fd, bufs)
	switch {
	case err == unix.EAGAIN:
		c.blocked = true
		return nil
	case err != nil && err != unix.EINTR:
		return err
	}
	c.out.advance(max(n, 0), c.end)
	c.blocked = err == nil && n < size
	if !c.blocked && c.out.head < len(c.out.pieces) {
		c.touch()
	}
	return nil
}

func writev(fd int, bufs [][]byte) (int, error) {
	switch len(bufs) {
	case 0:
		return 0, nil
	case 1:
		return sysWrite(fd, bufs[0])
	}
	return unix.Writev(fd, bufs)
}

func (c *pollConn) wanted() (want interest) {
	if !c.paused && !c.eof {
		want |= toRead
	}
	if c.blocked {
		want |= toWrite
	}
	return want
}

// register changes the poller's mask. A connection that wants nothing is taken
// out, because the poller reports a hang-up to every registered one for ever.
func (c *pollConn) register(want interest) error {
	if want == c.registered {
		return nil
	}
	p, pa := c.loop.poller, &netpoll.PollAttachment{FD: c.src.fd}
	was := c.registered
	c.registered = want
	switch {
	case was == 0 && want == toRead:
		return p.AddRead(pa, false)
	case was == 0 && want == toRead|toWrite:
		return p.AddReadWrite(pa, false)
	case was == 0:
		return p.AddWrite(pa, false)
	case want == toRead:
		return p.ModRead(pa, false)
	case want == toRead|toWrite:
		return p.ModReadWrite(pa, false)
	}
	// The poller has no way to change a mask to write only.
	if err := p.Delete(c.src.fd); err != nil || want == 0 {
		return err
	}
	return p.AddWrite(pa, false)
}

// release implements socket.
func (c *pollConn) release(err error) {
	c.loop.forget(&c.src)
	c.out.drop(err, c.end)
}
