// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"errors"

	"github.com/gobwas/ws"

	"claudecoded/codec"
	"claudecoded/reactor"
)

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
			frame = textFrame(payload)
		}
		d.pending++
		done := c.onWritten
		if written != nil {
			done = func(err error) {
				c.written(err)
				d.done(err)
			}
		}
		c.queue(frame, nil, done)
	}
	return d.pending > 0
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
			frame = [][]byte{textFrame(payload)}
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

func textFrame(payload []byte) []byte {
	payload = codec.ValidUTF8(payload)
	return codec.AppendFrame(make([]byte, 0, maxHeader+len(payload)), ws.OpText, payload)
}
