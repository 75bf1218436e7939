// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

// conn is the part of a connection that every implementation shares: its queue,
// its state and the calls of its Events.
type conn struct {
	l      *core
	sock   socket
	events Events // nil until accept returned
	out    outbox
	paused bool
	eof    bool // the peer sends no more; reading has ended
	gone   bool // closed, by whichever side
	dirty  bool // in l.dirty
}

func (c *conn) init(l *core, s socket) {
	c.l, c.sock = l, s
	l.conns[s] = true
}

func (c *conn) base() *conn { return c }

// Write implements Conn.
func (c *conn) Write(bufs [][]byte, done func(error)) WriteID {
	if c.gone {
		if done != nil {
			c.end(done, ErrClosed)
		}
		return 0
	}
	c.touch()
	return c.out.add(bufs, done)
}

// Replace implements Conn.
func (c *conn) Replace(id WriteID, bufs [][]byte) bool {
	return !c.gone && c.out.replace(id, bufs)
}

// Queued implements Conn.
func (c *conn) Queued() int {
	if c.gone {
		return 0
	}
	return c.out.queued
}

// Written implements Conn.
func (c *conn) Written() uint64 { return c.out.written }

// PauseRead implements Conn.
func (c *conn) PauseRead() { c.setPaused(true) }

// ResumeRead implements Conn.
func (c *conn) ResumeRead() { c.setPaused(false) }

func (c *conn) setPaused(paused bool) {
	if !c.gone && c.paused != paused {
		c.paused = paused
		c.touch()
	}
}

// Close implements Conn.
func (c *conn) Close() { c.leave(ErrClosed) }

// fail closes the connection for a reason the receiver does not know yet.
func (c *conn) fail(err error) {
	if c.leave(err) && c.events != nil {
		defer c.l.contain("Closed callback")
		c.events.Closed(err)
	}
}

func (c *conn) leave(err error) bool {
	if c.gone {
		return false
	}
	c.gone = true
	delete(c.l.conns, c.sock)
	c.sock.release(err)
	return true
}

// touch has the connection flushed at the end of the turn.
func (c *conn) touch() {
	if !c.dirty {
		c.dirty = true
		c.l.dirty.add(c.sock)
	}
}

// end has done called once the turn's writes are through.
func (c *conn) end(done func(error), err error) {
	c.l.ended.add(endedOp{c, done, err})
}

func (c *conn) written(done func(error), err error) {
	defer c.contain("write callback")
	done(err)
}

func (c *conn) data(p []byte) {
	defer c.contain("Data callback")
	c.events.Data(p)
}

func (c *conn) ended() {
	defer c.contain("EOF callback")
	c.eof = true
	c.touch()
	c.events.EOF()
}

// accepted asks the listener's owner for the receiver of the events. It reports
// false, and the connection is closed, if there is none.
func (c *conn) accepted(self Conn, accept func(Conn) Events) bool {
	func() {
		defer c.contain("accept callback")
		c.events = accept(self)
	}()
	if c.events == nil {
		c.leave(ErrClosed)
	}
	return !c.gone
}

// contain, deferred, ends a panic of one of the connection's callbacks: the
// connection is closed, the loop lives.
func (c *conn) contain(where string) {
	if v := recover(); v != nil {
		c.l.report(where, v)
		c.fail(ErrPanic)
	}
}
