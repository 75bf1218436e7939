// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"claudecoded/codec"
)

// firstProbe and lastProbe are the shortest and the longest time between two bytes that
// find out whether a client that sends no more is still there.
const (
	firstProbe = 100 * time.Millisecond
	lastProbe  = 15 * time.Second
)

// hungUp notes that the client sends no more. What it asked for is still answered.
func (h *httpConn) hungUp() {
	h.eof = true
	switch {
	case h.c.state == closing:
		h.unread = false
		h.written()
	case h.exchange == nil:
		h.resume()
	default:
		h.probe(firstProbe)
	}
}

// probe finds out whether a client that sends no more has closed its socket or only its
// half of it: a socket that is gone answers a byte with a reset, which the next write meets.
func (h *httpConn) probe(next time.Duration) {
	c, x := h.c, h.exchange
	if x == nil || c.state != serving {
		return
	}
	switch {
	case c.conn.Queued() > 0: // as good as a probe
	case x.streaming:
		x.Comment()
	default:
		c.queue(codec.AppendInterim(nil, 102), nil, c.onWritten)
	}
	c.deadline.Stop()
	c.deadline = c.s.loop.AfterFunc(next, func() { h.probe(min(2*next, lastProbe)) })
}

// settle begins to close the connection after its last response.
func (h *httpConn) settle() {
	if !h.last || h.exchange != nil || h.c.state != serving {
		return
	}
	c := h.c
	h.unread = h.unread && !h.eof
	h.request, h.body = nil, codec.Body{}
	c.state = closing
	c.backlogged = false
	c.flow()
	c.deadline.Stop()
	c.watchClose()
	h.written()
}

// written goes on once responses have left.
func (h *httpConn) written() {
	c := h.c
	if c.state != closing || c.writes > 0 {
		return
	}
	if !h.unread {
		h.abort("done")
		return
	}
	c.deadline.Stop()
	c.deadline = c.s.loop.AfterFunc(lingerTimeout, func() { h.abort("done") })
}

// abort closes the connection with what is queued.
func (h *httpConn) abort(reason string) {
	h.c.release()
	h.c.leave(abnormal, reason)
}

// gone tells whoever answers that the connection ended.
func (h *httpConn) gone() {
	x := h.exchange
	h.exchange, h.held, h.request, h.body = nil, nil, nil, codec.Body{}
	if x == nil {
		return
	}
	x.h = nil
	if f := x.onClose; f != nil {
		h.c.s.loop.Defer(f)
	}
}

// stop completes what is being answered and closes the connection once that has left.
func (h *httpConn) stop() {
	h.last = true
	switch x := h.exchange; {
	case x == nil:
		h.settle()
	case x.streaming:
		x.End()
	default:
		x.refuse(errStopping)
	}
}

// contain ends the connection for which the handler panicked, and only that.
func (h *httpConn) contain(x *exchange) {
	p := recover()
	if p == nil {
		return
	}
	what := fmt.Sprintf("%T", p) // a text could quote what the client sent
	if err, ok := p.(runtime.Error); ok {
		what = err.Error()
	}
	h.c.s.log.Error("handler panicked", "client", h.c.id(), "panic", what, "stack", string(debug.Stack()))
	h.last = true
	if x.streaming {
		h.abort("handler panicked")
	}
	x.refuse(errPanic)
}
