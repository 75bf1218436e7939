// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"github.com/gobwas/ws"

	"claudecoded/codec"
)

const (
	// maxRun is how many messages of one client run in one turn.
	maxRun = 64
	// maxRead is the most one call of Data carries: a longer message has its own
	// buffer and never shares the one it was read into.
	maxRead = 64 << 10
)

// feed parses every frame that p completes. Control frames are answered at once,
// messages wait for the turn's end.
func (c *client) feed(p []byte) {
	for len(p) > 0 && c.state == connected {
		ev, n, err := c.reader.Next(p)
		if err != nil {
			v := err.(*codec.Violation)
			c.fail(v.Code, v.Rule)
			return
		}
		p = p[n:]
		switch ev.Kind {
		case codec.NeedMore:
			return
		case codec.Text:
			c.message(ev.Payload)
		case codec.Binary:
			c.binary(ev.Payload)
		case codec.Ping:
			c.send(ws.OpPong, ev.Payload)
		case codec.Pong:
			c.lastPong = c.s.loop.Now()
		case codec.Close:
			c.peerClosed(ev)
		}
	}
}

func (c *client) message(text []byte) {
	if c.s.cfg.RunAsParsed {
		c.run(text)
		return
	}
	c.fifo = append(c.fifo, text)
	c.s.schedule(c)
}

func (c *client) binary(data []byte) {
	defer c.s.large.Return(data)
	if c.s.binary == nil {
		c.fail(1003, "Binary message")
		return
	}
	defer c.contain()
	c.s.binary.Binary(c.number, data)
}

func (c *client) run(text []byte) {
	defer c.s.large.Return(text)
	defer c.contain()
	c.s.handler.Message(c.number, text)
}

// schedule has c's messages run at the turn's end, when every ready connection was
// read: a Close or an EOF that came with them has been seen by then.
func (s *Server) schedule(c *client) {
	if !c.waiting {
		c.waiting = true
		s.busy = append(s.busy, c)
	}
	if !s.scheduled {
		s.scheduled = true
		s.loop.Defer(s.onTurnEnd)
	}
}

func (s *Server) drain() {
	s.scheduled = false
	turn := s.busy
	s.busy = s.spare[:0]
	for _, c := range turn {
		c.waiting = false
		if c.http != nil {
			c.http.turn()
		} else {
			c.runMessages()
		}
	}
	clear(turn)
	s.spare = turn[:0]
}

// runMessages runs a turn's share of the messages. What remains waits for the next
// turn, or until the client has read its replies, and reading waits with it.
func (c *client) runMessages() {
	ran := 0
	c.s.running = c
	for ran < len(c.fifo) && ran < maxRun && !c.backlogged { // leaving empties fifo
		text := c.fifo[ran]
		c.fifo[ran] = nil
		ran++
		c.run(text)
	}
	c.s.running = nil
	c.flushJoined()
	if ran < len(c.fifo) {
		c.fifo = c.fifo[ran:]
		c.carry()
		if !c.backlogged {
			c.s.schedule(c)
		}
	} else {
		c.fifo, c.carried = c.fifo[:0], false
		if cap(c.fifo) > 2*maxRun {
			c.fifo = nil // of a flood
		}
	}
	c.flow()
}

// carry gives the messages that wait for another turn memory of their own, once.
func (c *client) carry() {
	if c.carried {
		return
	}
	c.carried = true
	size := 0
	for _, text := range c.fifo {
		if len(text) <= maxRead {
			size += len(text)
		}
	}
	own := make([]byte, 0, size)
	for i, text := range c.fifo {
		if len(text) <= maxRead {
			own = append(own, text...)
			c.fifo[i] = own[len(own)-len(text) : len(own) : len(own)]
		}
	}
}
