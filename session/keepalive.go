// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"fmt"
	"slices"
	"time"

	"github.com/gobwas/ws"

	"claudecoded/codec"
)

// dropGrace is how long the Close frame of a dropped client may take.
const dropGrace = 100 * time.Millisecond

// pingFrame is every ping. Nobody changes it, so all clients share it.
var pingFrame = codec.AppendFrame(nil, ws.OpPing, []byte("ping"))

func (s *Server) startTicks() {
	s.lastTick = s.loop.Now()
	s.sinceFresh = stallTicks
	s.ticker = s.loop.AfterFunc(s.cfg.PingInterval, s.tick)
}

// tick judges and pings every connected client; one that speaks HTTP is only held to the
// stall rule. A gap of more than 1.5 intervals
// since the last tick is taken for a sleep of the machine.
func (s *Server) tick() {
	now := s.loop.Now()
	wake := now.Sub(s.lastTick) > s.cfg.PingInterval*3/2
	s.lastTick = now
	s.ticker = s.loop.AfterFunc(s.cfg.PingInterval, s.tick)
	fresh := s.freshWindow(wake)
	for _, c := range slices.Clone(s.clients) {
		switch c.state {
		case connected:
			c.tick(now, wake, fresh)
		case serving:
			if c.stalledTwice(now, fresh) {
				c.confirmStall()
			}
		}
	}
}

// tick applies the pong rule, then the stall rule: only a client that answered is
// confirmed for a stall, but every one is sampled. Two ticks in a row must miss the
// pong, because a tick after a blocked loop can run before the pong was read; the
// first one pings again.
func (c *client) tick(now time.Time, wake, fresh bool) {
	if wake {
		c.lastPong = now
	}
	stalled := c.stalledTwice(now, fresh)
	answered := c.paused || now.Sub(c.lastPong) < c.s.keepaliveWindow()
	if !answered && c.pongOverdue {
		c.drop("Keepalive timeout", "Connection timeout",
			fmt.Sprintf("no reply for %ds", int(now.Sub(c.lastPong).Seconds())))
		return
	}
	c.pongOverdue = !answered
	c.queue(pingFrame, nil, c.onWritten)
	if answered && stalled {
		c.confirmStall()
	}
}

// drop closes a client that does not answer or does not read. Its Close frame has a
// moment to leave; behind a backlog it is dropped with the queue.
func (c *client) drop(frameReason, reason, detail string) {
	c.s.log.Info(fmt.Sprintf("Closed %s: %s", c.id(), detail))
	if c.http != nil {
		c.http.abort(reason)
		return
	}
	c.closeWith(1011, frameReason)
	c.deadline.Stop()
	c.deadline = c.s.loop.AfterFunc(dropGrace, c.release)
	c.leave(abnormal, reason)
}
