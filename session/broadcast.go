// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"errors"
	"slices"

	"github.com/gobwas/ws"

	"claudecoded/codec"
	"claudecoded/reactor"
)

// maxShared is how many bytes of broadcasts' frames lie in one piece of memory. Nothing is
// changed in it; the collector has it once all of them were written.
const maxShared = 16 << 10

// delivery counts the writes of one broadcast.
type delivery struct {
	pending, ok int
	written     func(n int)
}

func (d *delivery) done(err error) {
	d.pending--
	if err == nil {
		d.ok++
	}
	if d.pending == 0 && d.written != nil {
		d.written(d.ok)
	}
}

// Broadcast sends one text message to every connected client and reports whether at
// least one took it. If so, written (it may be nil) runs once after the last write
// finished, with how many succeeded: a socket that fails during the write shows only
// there. The payload is copied once.
func (s *Server) Broadcast(payload []byte, written func(n int)) bool {
	var frame []byte
	d := &delivery{written: written}
	for _, c := range s.clients {
		if c.state != connected {
			continue
		}
		if frame == nil {
			frame = s.broadcastFrame(payload)
		}
		d.pending++
		if written == nil {
			c.queue(frame, nil, c.onWritten)
		} else {
			c.queue(frame, nil, c.deliver(d))
		}
	}
	return d.pending > 0
}

// deliver notes a write of d and returns its done, the same for all: a client's writes end
// in their order.
func (c *client) deliver(d *delivery) (done func(error)) {
	if c.onDelivered == nil {
		c.onDelivered = c.delivered
	}
	c.deliveries = append(c.deliveries, d)
	return c.onDelivered
}

// delivered ends the oldest of the writes that deliver noted.
func (c *client) delivered(err error) {
	d := c.deliveries[c.ended]
	c.deliveries[c.ended] = nil
	if c.ended++; 2*c.ended >= len(c.deliveries) {
		c.deliveries = slices.Delete(c.deliveries, 0, c.ended)
		c.ended = 0
	}
	if len(c.deliveries) == 0 && cap(c.deliveries) > 2*maxRun {
		c.deliveries = nil // of a flood
	}
	c.written(err)
	d.done(err)
}

// errReplaced ends a write for the broadcast whose bytes a later one replaced.
var errReplaced = errors.New("session: replaced by a newer message")

// latest is a write that a newer message of its kind may replace.
type latest struct {
	id   reactor.WriteID
	done func(error) // of the broadcast whose bytes it holds
}

// BroadcastLatest is Broadcast for a message that makes an older one of its kind
// worthless: a client that has not been written a byte of the last one gets only this
// one, in its place. So at most one waits for each client, behind one in progress. A
// write that was replaced did not succeed.
func (s *Server) BroadcastLatest(payload []byte, written func(n int)) bool {
	var frame [][]byte
	d := &delivery{written: written}
	for _, c := range s.clients {
		if c.state != connected {
			continue
		}
		if frame == nil {
			frame = [][]byte{s.broadcastFrame(payload)}
		}
		d.pending++
		if l := c.latest; l != nil && c.conn.Replace(l.id, frame) {
			replaced := l.done
			l.done = d.done
			replaced(errReplaced)
		} else {
			c.writeLatest(frame, d.done)
		}
		c.checkBacklog()
	}
	return frame != nil
}

func (c *client) writeLatest(frame [][]byte, done func(error)) {
	c.flushJoined()
	l := &latest{done: done}
	c.latest = l
	c.writes++
	l.id = c.conn.Write(frame, func(err error) {
		c.written(err)
		l.done(err)
	})
}

// broadcastFrame is the frame of a message to all. Those of one turn lie one behind the
// other, which saves the kernel a copy each.
func (s *Server) broadcastFrame(payload []byte) []byte {
	payload = codec.ValidUTF8(payload)
	n := maxHeader + len(payload)
	if n > maxShared/4 {
		return codec.AppendFrame(make([]byte, 0, n), ws.OpText, payload)
	}
	if cap(s.shared)-len(s.shared) < n {
		s.shared = make([]byte, 0, maxShared)
	}
	at := len(s.shared)
	s.shared = codec.AppendFrame(s.shared, ws.OpText, payload)
	return s.shared[at:]
}
