// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"github.com/gobwas/ws"

	"claudecoded/codec"
)

const (
	// highWater and lowWater are the unsent bytes of one client above which its
	// reading pauses and below which it resumes. A queue's size never closes it.
	highWater = 8 << 20
	lowWater  = 4 << 20

	// highWrites and lowWrites are the same marks for the number of unsent writes:
	// the queue's entry of a small one, an empty pong say, is larger than its bytes.
	highWrites = 16 << 10
	lowWrites  = 8 << 10

	// maxPiece is the longest single write in bytes: a longer frame shows its
	// progress piece by piece, and its last piece reports the frame.
	maxPiece = 1 << 20

	maxHeader = 10 // bytes in the header of an unmasked frame
)

// Send sends one text message and reports whether the client is connected. The
// payload is copied; ill-formed UTF-8 in it becomes U+FFFD.
func (s *Server) Send(client uint64, payload []byte) bool {
	c := s.connected(client)
	if c == nil {
		return false
	}
	c.send(ws.OpText, codec.ValidUTF8(payload))
	return true
}

// SendBinary sends one binary message. The payload is copied.
func (s *Server) SendBinary(client uint64, payload []byte) bool {
	c := s.connected(client)
	if c == nil {
		return false
	}
	c.send(ws.OpBinary, payload)
	return true
}

// Give is Send for a payload that the server may keep: it is not copied, and must
// not be changed any more.
func (s *Server) Give(client uint64, payload []byte) bool {
	c := s.connected(client)
	if c == nil {
		return false
	}
	c.flushJoined()
	payload = codec.ValidUTF8(payload)
	c.queue(codec.AppendFrameHeader(c.alloc(maxHeader), ws.OpText, len(payload)), payload, c.onWritten)
	return true
}

// send queues a frame with a copy of payload. What answers the messages that run is
// joined to one write.
func (c *client) send(op ws.OpCode, payload []byte) {
	n := maxHeader + len(payload)
	if c.s.running != c || n > maxSlab/4 {
		c.queue(codec.AppendFrame(c.alloc(n), op, payload), nil, c.onWritten)
		return
	}
	frame := codec.AppendFrame(c.alloc(n), op, payload)
	c.slab = c.slab[:len(c.slab)-n+len(frame)]
	c.joined += len(frame)
	if c.conn.Queued()+c.joined > highWater {
		c.flushJoined()
	}
}

// flushJoined queues what was joined. It comes before whatever else is written.
func (c *client) flushJoined() {
	if c.joined > 0 {
		frames := c.slab[len(c.slab)-c.joined:]
		c.joined = 0
		c.queue(frames[:len(frames):len(frames)], nil, c.onWritten)
	}
}

// queue writes a frame, its header and payload or all of it in header, in pieces.
// done reports the last one.
func (c *client) queue(header, payload []byte, done func(error)) {
	c.flushJoined()
	for len(header)+len(payload) > maxPiece {
		h := header[:min(len(header), maxPiece)]
		p := payload[:maxPiece-len(h)]
		c.write(h, p, c.onWritten)
		header, payload = header[len(h):], payload[len(p):]
	}
	c.write(header, payload, done)
	c.checkBacklog()
}

// write is Conn.Write with the server's own outer slice.
func (c *client) write(a, b []byte, done func(error)) {
	out := append(c.s.out[:0], a)
	if len(b) > 0 {
		out = append(out, b)
	}
	c.writes++
	c.conn.Write(out, done)
	clear(out)
}

// isOpen reports whether messages or responses are still to come.
func (c *client) isOpen() bool { return c.state == connected || c.state == serving }

func (c *client) checkBacklog() {
	if !c.backlogged && c.isOpen() && (c.conn.Queued() > highWater || c.writes > highWrites) {
		c.backlogged = true
		c.flow()
	}
}

// written looks, after each write, whether the client caught up.
func (c *client) written(error) {
	c.writes--
	c.freeSlab()
	if c.http != nil {
		c.http.written()
	}
	if !c.backlogged || !c.isOpen() || c.conn.Queued() >= lowWater || c.writes >= lowWrites {
		return
	}
	c.backlogged = false
	if len(c.fifo) > 0 || c.http != nil {
		c.s.schedule(c)
	}
	c.flow()
}

// flow pauses reading while the client does not read its replies, while its messages
// of an earlier turn wait, or while it sends too much before its 101 is written or the
// response to an earlier request. A
// pong cannot be seen meanwhile, so the keepalive window starts again afterwards.
func (c *client) flow() {
	pause := c.backlogged || c.carried || c.state == upgrading && len(c.held) > maxHeld ||
		c.state == serving && len(c.http.held) > maxHeld
	if pause == c.paused {
		return
	}
	c.paused = pause
	if pause {
		c.conn.PauseRead()
		return
	}
	c.conn.ResumeRead()
	c.lastPong = c.s.loop.Now()
}
