// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"claudecoded/codec"
)

// stopGrace is how long Stop waits for Close frames to be written.
const stopGrace = 300 * time.Millisecond

// closeWith queues a Close frame, whose write callback closes the socket. What the
// client sends from now on is dropped. A connection that is already closing gets none.
func (c *client) closeWith(code int, reason string) {
	if c.state != upgrading && c.state != connected {
		return
	}
	c.flushJoined()
	c.state = closing
	c.free()
	c.backlogged = false
	c.flow()
	c.conn.Write([][]byte{codec.AppendClose(nil, code, reason)}, func(error) { c.release() })
	c.deadline.Stop()
	c.watchClose()
}

// watchClose closes a socket that writes nothing for a keepalive window: its Close
// frame waits behind replies nobody reads. A client that reads gets its frame.
func (c *client) watchClose() {
	before := c.conn.Written()
	c.deadline = c.s.loop.AfterFunc(c.s.keepaliveWindow(), func() {
		if c.conn.Written() == before {
			c.release()
			return
		}
		c.watchClose()
	})
}

// fail closes a connection that broke a rule. The client has left at once, while the
// frame may wait behind a backlog.
func (c *client) fail(code int, rule string) {
	c.closeWith(code, codec.ReasonName(code))
	c.leave(abnormal, "Client error: "+rule)
}

// peerClosed answers a Close frame. Requests that came before it do not run any more.
func (c *client) peerClosed(ev codec.Event) {
	answer := codec.EchoCode(ev.Code)
	if ev.Code == noCode {
		ev.Code = answer
	}
	reason := ev.Reason
	if answer != ev.Code {
		reason = codec.ReasonName(answer)
	}
	c.closeWith(answer, reason)
	c.leave(ev.Code, ev.Reason)
}

// Stop closes every connection: those that are connected or being upgraded with 1001,
// those of HTTP when their responses are complete, the others at once, and then the listener. done (it may be nil) runs once, when the
// last socket closed, at most half a second later. Stop may be called again.
func (s *Server) Stop(done func()) {
	if done != nil {
		s.onStop = append(s.onStop, done)
	}
	if !s.stopped {
		s.stopped = true
		s.stop()
	}
	s.stopIfDone()
}

func (s *Server) stop() {
	const code, reason = 1001, "Server shutting down"
	s.ticker.Stop()
	s.large.close()
	s.grace = s.loop.AfterFunc(stopGrace, func() {
		for _, c := range slices.Clone(s.clients) {
			c.release()
		}
	})
	for _, c := range slices.Clone(s.clients) {
		switch {
		case c.upgraded:
			c.sendAway(code, reason)
		case c.http != nil:
			c.http.stop()
		default:
			c.release()
			c.leave(abnormal, reason)
		}
	}
	if s.listener != nil {
		s.listener.Close()
	}
}

// stopIfDone runs what Stop was given once the last socket closed.
func (s *Server) stopIfDone() {
	if !s.stopped || len(s.clients) > 0 {
		return
	}
	s.grace.Stop()
	for _, done := range s.onStop {
		if !s.loop.Post(done) {
			done() // the loop has stopped, so nothing else will run it
		}
	}
	s.onStop = nil
}

// oneLine keeps a text that a client chose from breaking a line of the log.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
