// Copyright (c) 2026 the claudecoded authors. MIT license.

package fake

import (
	"slices"

	"claudecoded/reactor"
)

// readiness is what a poll reports about a connection.
type readiness int

const (
	idle   readiness = 0
	accept readiness = 1 << 0
	read   readiness = 1 << 1
	write  readiness = 1 << 2
	hangup readiness = 1 << 3
)

// conn is the server's end of a Peer.
type conn struct {
	loop     *Loop
	peer     *Peer
	listener *listener
	events   reactor.Events // nil until accepted

	queue   []*queued
	queued  int
	written uint64
	lastID  reactor.WriteID

	paused  bool
	eof     bool // EOF was reported
	dirty   bool // something was queued since the last flush
	blocked bool // the kernel's buffer was full: wait for the poll to report room
	closed  bool
}

type queued struct {
	id    reactor.WriteID
	bufs  [][]byte
	begun bool
	done  func(error)
}

var _ reactor.Conn = (*conn)(nil)

func (c *conn) Write(bufs [][]byte, done func(error)) reactor.WriteID {
	if c.closed {
		c.finish(done, reactor.ErrClosed)
		return 0
	}
	c.lastID++
	c.queue = append(c.queue, &queued{id: c.lastID, bufs: slices.Clone(bufs), done: done})
	c.queued += size(bufs)
	c.dirty = true
	return c.lastID
}

func (c *conn) Replace(id reactor.WriteID, bufs [][]byte) bool {
	for _, q := range c.queue {
		if q.id == id && !q.begun {
			c.queued += size(bufs) - size(q.bufs)
			q.bufs = slices.Clone(bufs)
			return true
		}
	}
	return false
}

func (c *conn) Queued() int     { return c.queued }
func (c *conn) Written() uint64 { return c.written }
func (c *conn) PauseRead()      { c.paused = true }
func (c *conn) ResumeRead()     { c.paused = false }
func (c *conn) Close()          { c.drop(reactor.ErrClosed) }

// drop closes the socket and drops the queue, each done in a later callback.
func (c *conn) drop(err error) {
	if c.closed {
		return
	}
	c.closed, c.peer.closed = true, true
	for _, q := range c.queue {
		c.finish(q.done, err)
	}
	c.queue, c.queued = nil, 0
}

func (c *conn) finish(done func(error), err error) {
	if done != nil {
		c.loop.later(func() { c.contain(func() { done(err) }) })
	}
}

// fail is drop for a reason other than Close.
func (c *conn) fail(err error) {
	if c.closed {
		return
	}
	c.drop(err)
	if c.events != nil {
		c.loop.call(func() { c.events.Closed(err) })
	}
}

// contain runs a callback of the connection: one that panics costs it.
func (c *conn) contain(f func()) {
	if !c.loop.call(f) {
		c.fail(reactor.ErrPanic)
	}
}

// state is what a poll would report now.
func (c *conn) state() readiness {
	if c.closed {
		return idle
	}
	if c.events == nil {
		return accept
	}
	var r readiness
	if c.peer.reset != nil {
		r |= hangup
	}
	if !c.paused && (len(c.peer.sent) > 0 || c.peer.ended && !c.eof) {
		r |= read
	}
	if c.blocked && c.peer.writable() {
		r |= write
	}
	return r
}

func (c *conn) serve(ready readiness) {
	switch {
	case c.closed:
	case ready&accept != 0:
		c.contain(func() { c.events = c.listener.accept(c) })
		if c.events == nil {
			c.Close()
		}
	case ready&hangup != 0:
		c.contain(func() { c.fail(c.peer.reset) })
	default:
		if ready&read != 0 {
			c.read()
		}
		if ready&write != 0 && !c.closed {
			c.blocked, c.dirty = false, true
			c.flush()
		}
	}
}

// read hands over what the peer sent, then its EOF.
func (c *conn) read() {
	for budget := maxRead; budget > 0 && len(c.peer.sent) > 0 && !c.paused && !c.closed; {
		p := c.peer.sent[0]
		n := min(len(p), c.loop.ReadSize, budget)
		if c.peer.sent[0] = p[n:]; n == len(p) {
			c.peer.sent = c.peer.sent[1:]
		}
		p = p[:n:n]
		budget -= n
		c.loop.reads = append(c.loop.reads, p)
		c.contain(func() { c.events.Data(p) })
	}
	if len(c.peer.sent) == 0 && c.peer.ended && !c.eof && !c.paused && !c.closed {
		c.eof = true
		c.contain(c.events.EOF)
	}
}

// flush gives the kernel what it takes. One flush is one writev.
func (c *conn) flush() {
	if c.closed || c.blocked || !c.dirty {
		return
	}
	c.dirty = false
	if c.peer.writeErr != nil {
		c.contain(func() { c.fail(c.peer.writeErr) })
		return
	}
	before := c.written
	var done []func(error)
	for len(c.queue) > 0 {
		q := c.queue[0]
		for len(q.bufs) > 0 && (len(q.bufs[0]) == 0 || c.peer.room() > 0) {
			n := c.peer.take(q.bufs[0])
			q.begun = q.begun || n > 0
			c.queued -= n
			c.written += uint64(n)
			if q.bufs[0] = q.bufs[0][n:]; len(q.bufs[0]) == 0 {
				q.bufs = q.bufs[1:]
			}
		}
		if len(q.bufs) > 0 {
			c.blocked = true
			break
		}
		c.queue = c.queue[1:]
		if q.done != nil {
			done = append(done, q.done)
		}
	}
	if c.written > before {
		c.peer.flushes++
	}
	for _, f := range done {
		c.contain(func() { f(nil) })
	}
}

func size(bufs [][]byte) (n int) {
	for _, b := range bufs {
		n += len(b)
	}
	return n
}
