// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"fmt"
	"time"
)

// stallTicks is how many ticks in a row must find no progress, and so how many
// count after a fresh stall window began, late or not.
const stallTicks = 2

// freshWindow reports whether this tick starts a fresh stall window instead of
// judging: a wake from sleep does. Wake ticks that come again and again are a loop that
// stays blocked, not sleeps, so the next two always count: a client that stalls is
// dropped at the second tick of a window whatever the pattern.
func (s *Server) freshWindow(wake bool) bool {
	s.sinceFresh = min(s.sinceFresh+1, stallTicks+1)
	if !wake || s.sinceFresh <= stallTicks {
		return false
	}
	s.sinceFresh = 0
	return true
}

// stalledTwice samples the write queue and reports the second tick in a row without
// progress. A tick that starts a fresh window takes no sample.
func (c *client) stalledTwice(now time.Time, fresh bool) bool {
	if fresh {
		c.lastDrain, c.writeStalled = now, false
		return false
	}
	if c.progressed(now) {
		return false
	}
	again := c.writeStalled
	c.writeStalled = true
	return again
}

// progressed reports whether the kernel took bytes since the last progress, or has
// taken all. The size of the queue never matters, so a slow reader stays.
func (c *client) progressed(now time.Time) bool {
	if c.conn.Queued() > 0 && c.conn.Written() == c.drained {
		return false
	}
	c.drained, c.lastDrain, c.writeStalled = c.conn.Written(), now, false
	return true
}

// confirmStall judges once more right after the next poll. Only a poll reports that a
// socket takes bytes again, so a tick after a blocked loop can find no progress
// although the client read meanwhile. A client that left by then is skipped.
func (c *client) confirmStall() {
	c.s.loop.AfterNextPoll(func() {
		now := c.s.loop.Now()
		if !c.isOpen() || c.progressed(now) {
			return
		}
		c.drop("Not reading", "Write queue stalled", fmt.Sprintf("not reading for %ds, %d KB queued",
			int(now.Sub(c.lastDrain).Seconds()), c.conn.Queued()>>10))
	})
}
