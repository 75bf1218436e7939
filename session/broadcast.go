// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"github.com/gobwas/ws"

	"claudecoded/codec"
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
	if d.pending == 0 {
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

// BroadcastLatest is Broadcast for a message that makes an older one of its kind
// worthless: a client that has not been written a byte of the last one gets only this
// one, in its place. So at most one waits for each client, behind one in progress.
func (s *Server) BroadcastLatest(payload []byte) bool {
	var frame [][]byte
	for _, c := range s.clients {
		if c.state != connected {
			continue
		}
		if frame == nil {
			frame = [][]byte{textFrame(payload)}
		}
		if !c.conn.Replace(c.latest, frame) {
			c.latest = c.conn.Write(frame, c.onWritten)
		}
		c.checkBacklog()
	}
	return frame != nil
}

func textFrame(payload []byte) []byte {
	payload = codec.ValidUTF8(payload)
	return codec.AppendFrame(make([]byte, 0, maxHeader+len(payload)), ws.OpText, payload)
}
