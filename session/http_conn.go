// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"bytes"
	"fmt"
	"time"

	"claudecoded/codec"
	"claudecoded/reactor"
)

const (
	// bodyTimeout is how long the body of a request may take, idleTimeout how long a
	// connection may wait for its next request. One whose client has not presented the
	// token has as long as a handshake for either.
	bodyTimeout = time.Minute
	idleTimeout = 5 * time.Minute

	// lingerTimeout is how long a connection is read, and nothing of it kept, behind
	// its last response: closing it while bytes wait unread would take the response
	// from a client that still sends (RFC 9112, 9.6).
	lingerTimeout = time.Second
)

var (
	errBareLF   = &codec.Refusal{Status: 400, Reason: "Bad request: bare LF"}
	errNoLength = &codec.Refusal{Status: 411, Reason: "A POST needs Content-Length or chunks"}
	errSlow     = &codec.Refusal{Status: 408, Reason: "Request took too long"}
	errPanic    = &codec.Refusal{Status: 500, Reason: "Internal error"}
	errStopping = &codec.Refusal{Status: 503, Reason: "Server shutting down"}
)

// httpConn is what a client that speaks HTTP/1.1 has besides: its requests are served one
// after the other, in order.
type httpConn struct {
	c     *client
	since time.Time // when it began to speak HTTP

	held     []byte         // what came and was not looked at
	phase    httpPhase      // what the deadline is for
	request  *codec.Request // whose body is being read
	body     codec.Body
	refusal  *codec.Refusal // what the request is answered once its body was read
	exchange *exchange      // the request that is being answered
	known    bool           // the client has presented the token
	parsing  bool           // parse is on the stack
	ran      int            // requests in this turn
	eof      bool           // the client sends no more
	last     bool           // so do not read any more requests
	unread   bool           // the client may still send what nobody will read
}

// httpPhase is what a connection waits for.
type httpPhase uint8

const (
	inHead    httpPhase = iota // more of a head that has begun
	inBody                     // more of a body
	answering                  // the answer
	between                    // a next request
)

// serveHTTP makes an HTTP connection of a client; head is its first request's, rest what
// it sent behind.
func (c *client) serveHTTP(head *codec.Head, rest []byte) {
	if h := c.speakHTTP(); h != nil {
		h.parsing = true
		h.begin(head)
		h.parsing = false
		h.data(rest)
	}
}

// speakHTTP makes an HTTP connection of a client, unless it is one too many.
func (c *client) speakHTTP() *httpConn {
	if !c.s.roomForHTTP() {
		c.refuse(errFull)
		return nil
	}
	c.state = serving
	c.held = nil
	c.drained, c.lastDrain = c.conn.Written(), c.s.loop.Now()
	c.http = &httpConn{c: c, since: c.lastDrain}
	return c.http
}

// data takes what the client sent.
func (h *httpConn) data(p []byte) {
	if len(h.held) > 0 || h.waits() {
		h.held = append(h.held, p...)
		h.resume()
		return
	}
	h.held = append(h.held, h.parse(p)...)
	h.c.flow()
}

// resume goes on with what was held.
func (h *httpConn) resume() {
	if h.parsing {
		return
	}
	p := h.held
	h.held = nil
	h.held = h.parse(p)
	h.c.flow()
}

// turn goes on in a new turn of the loop.
func (h *httpConn) turn() {
	h.ran = 0
	h.resume()
}

// waits reports whether no more of what came may be looked at now.
func (h *httpConn) waits() bool {
	return h.exchange != nil || h.c.backlogged || h.ran >= maxRun || h.c.state != serving || h.last
}

// parse runs every request that p completes and returns what it did not look at.
func (h *httpConn) parse(p []byte) []byte {
	h.parsing = true
	for more := true; more && !h.waits(); {
		if h.request != nil {
			p, more = h.readBody(p)
		} else {
			p, more = h.readHead(p)
		}
	}
	h.parsing = false
	if h.ran >= maxRun && h.c.state == serving {
		h.c.s.schedule(h.c)
	}
	if h.eof && !h.waits() {
		h.last = true // what is left is no whole request
	}
	h.unread = h.unread || h.last && len(p) > 0
	h.settle()
	if h.c.state != serving {
		return nil
	}
	return p
}

func (h *httpConn) readHead(p []byte) (rest []byte, more bool) {
	for bytes.HasPrefix(p, []byte("\r\n")) {
		p = p[2:] // what some clients send behind a body (RFC 9112, 2.2)
	}
	if len(p) == 0 {
		h.wait(between)
		return nil, false
	}
	head, n, err := codec.ParseHead(p)
	switch {
	case h.c.s.speaksBareHTTP(p, n):
		h.refuse(errBareLF)
	case err != nil:
		h.refuse(codec.ErrHeadTooLarge)
	case n > 0 && h.c.s.speaksHTTP(head):
		h.begin(head)
	case n > 0:
		h.leave(head, p[n:])
	default:
		h.wait(inHead)
		return p, false
	}
	return p[n:], true
}

// leave gives a request that is not HTTP's, and the connection, to the WebSocket.
func (h *httpConn) leave(head *codec.Head, rest []byte) {
	c := h.c
	c.http = nil
	c.state = connecting
	c.deadline.Stop()
	c.deadline = c.s.loop.AfterFunc(c.s.cfg.HandshakeTimeout, c.handshakeTimeout)
	c.answer(head, rest)
}

// begin judges a request by its head.
func (h *httpConn) begin(head *codec.Head) {
	r, ref := codec.ParseRequest(head)
	if ref != nil {
		h.refuse(ref)
		return
	}
	h.refusal = h.c.s.admit(head, r)
	h.known = h.known || h.refusal == nil && codec.CheckToken(r, h.c.s.cfg.Token) == nil
	switch {
	case r.Method == "POST" && r.Length == codec.NoLength:
		h.refuse(errNoLength)
		return
	case h.refusal != nil && r.Continue:
		h.refuse(h.refusal)
		return
	}
	h.request, h.body = r, codec.NewBody(r, h.refusal != nil)
	if r.Continue && !h.body.Done() {
		h.c.queue(codec.AppendInterim(nil, 100), nil, h.c.onWritten)
	}
}

func (h *httpConn) readBody(p []byte) (rest []byte, more bool) {
	n, ref := h.body.Feed(p)
	switch {
	case ref != nil:
		h.refuse(ref)
	case h.body.Done():
		h.run()
	default:
		h.wait(inBody)
		return nil, false
	}
	return p[n:], true
}

// run has a whole request answered.
func (h *httpConn) run() {
	r, body := h.request, h.body.Bytes()
	h.request, h.body = nil, codec.Body{}
	h.ran++
	h.last = r.Close
	h.wait(answering)
	x := &exchange{h: h, headless: r.Method == "HEAD"}
	h.exchange = x
	if ref := h.refusal; ref != nil {
		h.warn(ref)
		x.refuse(ref)
		return
	}
	defer h.contain(x)
	h.c.s.cfg.HTTP.ServeHTTP(HTTPRequest{r.Method, r.Path, r.Query, body, h.c.number, r}, x)
}

// wait sets the deadline for what comes next, once.
func (h *httpConn) wait(phase httpPhase) {
	if h.phase == phase {
		return
	}
	h.phase = phase
	c := h.c
	c.deadline.Stop()
	switch phase {
	case between:
		h.limit(h.patience(idleTimeout), func() { h.abort("idle") })
	case inHead:
		h.limit(c.s.cfg.HandshakeTimeout, func() { h.refuse(errSlow) })
	case inBody:
		h.limit(h.patience(bodyTimeout), func() { h.refuse(errSlow) })
	}
}

// limit runs end once the wait that begins now has taken too long. What came while the loop
// was held up is read before, and may be what was waited for.
func (h *httpConn) limit(d time.Duration, end func()) {
	c, phase := h.c, h.phase
	var timer *reactor.Timer
	timer = c.s.loop.AfterFunc(d, func() {
		c.s.loop.AfterNextPoll(func() {
			if c.state == serving && h.phase == phase && c.deadline == timer {
				end()
			}
		})
	})
	c.deadline = timer
}

// patience is a limit for a client that is known, and what another gets.
func (h *httpConn) patience(limit time.Duration) time.Duration {
	if h.known {
		return limit
	}
	return min(limit, h.c.s.cfg.HandshakeTimeout)
}

// refuse answers a request that was not read to its end. There will be no other.
func (h *httpConn) refuse(ref *codec.Refusal) {
	h.warn(ref)
	h.request, h.body = nil, codec.Body{}
	h.last, h.unread = true, true
	h.wait(answering)
	h.exchange = &exchange{h: h}
	h.exchange.refuse(ref)
}

func (h *httpConn) warn(ref *codec.Refusal) {
	h.c.s.log.Warn(fmt.Sprintf("Rejected a request of %s: %s", h.c.id(), ref.Reason))
}
