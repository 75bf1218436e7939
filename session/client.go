// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"claudecoded/codec"
	"claudecoded/reactor"
)

// state is where a connection stands. It only ever moves forward.
type state uint8

const (
	connecting state = iota // the request head has not arrived
	upgrading               // the 101 reply is being written
	connected
	serving // HTTP
	closing // a Close frame or the last response is being written
	closed  // so is the socket
)

func (s state) String() string {
	return [...]string{"connecting", "upgrading", "connected", "serving", "closing", "closed"}[s]
}

// Codes that no frame carries (RFC 6455, 7.4.1).
const (
	noCode   = 1005 // a Close frame without a code
	abnormal = 1006 // no Close frame
)

// client is one connection, the reactor.Events of its socket.
type client struct {
	s        *Server
	conn     reactor.Conn
	number   uint64
	state    state
	upgraded bool // its handshake was accepted
	probe    bool // it is the editor's own
	opened   bool // the handler was told
	left     bool // so nobody is told again
	deadline *reactor.Timer

	held        []byte // of the request head, then what came before the 101 was written
	connectedAt time.Time

	reader  *codec.Reader
	fifo    [][]byte // whole messages that have not run
	waiting bool     // listed in Server.busy
	carried bool     // the messages in fifo have memory of their own

	slab       []byte // frames being written
	joined     int    // bytes at the slab's end that are not queued yet
	onWritten  func(error)
	writes     int     // whose done has not run
	backlogged bool    // more than highWater bytes or highWrites writes were unsent
	paused     bool    // reading is paused
	latest     *latest // the write that a newer one may replace

	deliveries  []*delivery // of the broadcasts that it is written; those before ended have ended
	ended       int
	onDelivered func(error)

	lastPong    time.Time
	pongOverdue bool

	http *httpConn // of a client that speaks HTTP, else nil

	drained      uint64 // bytes written at the last progress
	lastDrain    time.Time
	writeStalled bool
}

// accept is called for each new connection.
func (s *Server) accept(conn reactor.Conn) reactor.Events {
	s.created++
	c := &client{s: s, conn: conn, number: s.created}
	c.onWritten = c.written
	if s.stopped {
		c.state, c.left = closed, true
		conn.Close()
		return c
	}
	full := s.pending() >= maxPending
	s.clients = append(s.clients, c)
	c.deadline = s.loop.AfterFunc(s.cfg.HandshakeTimeout, c.handshakeTimeout)
	s.log.Debug("accepted", "client", c)
	if full {
		c.refuse(errFull)
	}
	return c
}

func (c *client) id() string { return fmt.Sprintf("client_%d", c.number) }

// LogValue names the client in a line that is logged, and only then.
func (c *client) LogValue() slog.Value { return slog.StringValue(c.id()) }

// Data takes what the client sent.
func (c *client) Data(p []byte) {
	switch c.state {
	case connecting:
		c.readHead(p)
	case upgrading:
		c.hold(p)
	case connected:
		c.feed(p)
	case serving:
		c.http.data(p)
	}
}

// EOF means that the client hung up: what it asked for is not run, what is queued for
// it is dropped. Only a frame that ends the connection anyway is still written.
func (c *client) EOF() {
	if c.http != nil {
		c.http.hungUp()
		return
	}
	if c.state != closing {
		c.release()
		c.leave(abnormal, "EOF")
	}
}

// Closed means that the socket is gone.
func (c *client) Closed(err error) {
	what := "Client read error: "
	if errors.Is(err, reactor.ErrPanic) {
		what = "Client error: "
	}
	c.release()
	c.leave(abnormal, what+err.Error())
}

// leave tells, once, that the client is gone. It is no longer connected by then, though
// its socket may still be open.
func (c *client) leave(code int, reason string) {
	if c.left {
		return
	}
	c.left = true
	c.s.log.Debug("left", "client", c, "code", code, "reason", oneLine(reason))
	if c.opened {
		defer c.contain()
		c.s.handler.Closed(c.number, code, reason)
	}
}

// release closes the socket, with what is queued.
func (c *client) release() {
	if c.state == closed {
		return
	}
	c.state = closed
	c.free()
	c.slab, c.joined = nil, 0
	c.deadline.Stop()
	c.conn.Close()
	if c.http != nil {
		c.http.gone()
	}
	c.s.forget(c)
}

// free drops what the client sent and nothing has run yet.
func (c *client) free() {
	for _, text := range c.fifo {
		c.s.large.Return(text)
	}
	c.held, c.fifo, c.carried = nil, nil, false
	if c.reader != nil {
		c.reader.Release()
	}
}

// contain ends the connection for which the handler panicked, and only that.
func (c *client) contain() {
	p := recover()
	if p == nil {
		return
	}
	what := fmt.Sprintf("%T", p) // a text could quote what the client sent
	if err, ok := p.(runtime.Error); ok {
		what = err.Error()
	}
	c.s.log.Error("handler panicked", "client", c.id(), "panic", what, "stack", string(debug.Stack()))
	c.closeWith(1011, "Internal error")
	c.leave(abnormal, "Client error: handler panicked")
}
