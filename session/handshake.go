// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"fmt"

	"claudecoded/codec"
)

// maxHeld is how many bytes a client may send before its 101 reply is written;
// reading pauses above it.
const maxHeld = 256 << 10

// replyRoom is room for most 101 replies, in bytes.
const replyRoom = 192

// errFull refuses a connection that is one too many.
var errFull = &codec.Refusal{Status: 503, Reason: "Too many clients"}

// readHead collects the request head and answers it.
func (c *client) readHead(p []byte) {
	if len(c.held) > 0 {
		c.held = append(c.held, p...)
		p = c.held
	}
	head, n, err := codec.ParseHead(p)
	switch {
	case c.s.speaksBareHTTP(p, n):
		if h := c.speakHTTP(); h != nil {
			h.refuse(errBareLF)
		}
	case err != nil:
		c.refuse(codec.ErrHeadTooLarge)
	case n > 0 && c.s.speaksHTTP(head):
		c.serveHTTP(head, p[n:])
	case n > 0:
		c.answer(head, p[n:])
	case len(c.held) == 0:
		c.held = append(c.held, p...)
	}
}

// answer answers the request once; rest is what the client sent after it.
func (c *client) answer(head *codec.Head, rest []byte) {
	s := c.s
	_, c.probe = head.Get(probeField)
	upgrade, refusal := codec.CheckUpgrade(head, codec.UpgradeRules{Token: s.cfg.Token, AllowedHosts: s.cfg.AllowedHosts})
	switch n, _ := s.count(); {
	case refusal != nil:
	case s.refusing && !c.probe:
		refusal = errOff
	case n >= s.cfg.MaxClients:
		refusal = errFull
	}
	if refusal != nil {
		c.refuse(refusal)
		return
	}
	if c.probe {
		c.answerProbe(upgrade)
		return
	}
	c.state, c.upgraded = upgrading, true
	c.held = nil
	c.hold(rest)
	c.conn.Write([][]byte{codec.AppendUpgradeReply(make([]byte, 0, replyRoom), upgrade)}, c.upgradeWritten)
}

// hold keeps what arrives before the 101 reply is written.
func (c *client) hold(p []byte) {
	c.held = append(c.held, p...)
	c.flow()
}

// upgradeWritten connects the client, unless it hung up or the server stopped.
func (c *client) upgradeWritten(err error) {
	if c.state != upgrading || err != nil {
		return // a write error is followed by Closed
	}
	now := c.s.loop.Now()
	c.state = connected
	c.note(true, "")
	c.deadline.Stop()
	c.reader = codec.NewReader(c.s.cfg.MaxMessage)
	c.reader.Borrow(c.s.large)
	c.connectedAt, c.lastPong, c.lastDrain = now, now, now
	c.drained = c.conn.Written()
	held := c.held
	c.held = nil
	c.flow()
	c.open()
	if c.state == connected {
		c.feed(held)
	}
}

func (c *client) open() {
	defer c.contain()
	c.opened = true
	c.s.handler.Open(c.number)
}

// refuse answers with an error response and closes the socket once it is written.
func (c *client) refuse(r *codec.Refusal) {
	c.state = closing
	c.held = nil
	c.note(false, r.Reason)
	c.s.log.Warn(fmt.Sprintf("Rejected %s: %s", c.id(), r.Reason))
	c.conn.Write([][]byte{codec.AppendRefusal(nil, r)}, func(error) {
		c.release()
		c.leave(abnormal, "Client error: "+r.Reason)
	})
}

// handshakeTimeout ends a handshake, or the writing of its refusal, that takes too long. What
// came while the loop was held up is read before; who made progress by it gets as long again.
func (c *client) handshakeTimeout() {
	before := c.state
	c.s.loop.AfterNextPoll(func() {
		switch {
		case c.state == before:
			c.endHandshake()
		case c.state == upgrading || c.state == closing && !c.upgraded:
			c.deadline = c.s.loop.AfterFunc(c.s.cfg.HandshakeTimeout, c.handshakeTimeout)
		}
	})
}

func (c *client) endHandshake() {
	if c.state != closing {
		c.note(false, "handshake timeout")
	}
	c.release()
	c.leave(abnormal, "Client error: handshake timeout")
}
