// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command gnet is a plain server on gnet's engine: one event loop, frames read with
// github.com/gobwas/ws out of the engine's buffer.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net"

	"github.com/gobwas/ws"
	"github.com/panjf2000/gnet/v2"
	"github.com/panjf2000/gnet/v2/pkg/logging"
	"go.uber.org/zap"

	"claudecoded/bench/peers/answer"
)

// maxHead bounds the upgrade request in bytes.
const maxHead = 16 << 10

type server struct {
	gnet.BuiltinEventEngine
	clients map[gnet.Conn]*client
	// telling says that frames of a broadcast are queued for all clients.
	telling bool
}

// client is a connection's state.
type client struct {
	server   *server
	upgraded bool
	// message holds the fragments so far.
	message []byte
	reply   []byte
	// out holds the frames of a turn, which leave in one write.
	out []byte
	// closing says that the client said goodbye.
	closing bool
}

func (s *server) OnOpen(c gnet.Conn) ([]byte, gnet.Action) {
	c.SetContext(&client{server: s})
	return nil, gnet.None
}

func (s *server) OnClose(c gnet.Conn, _ error) gnet.Action {
	delete(s.clients, c)
	return gnet.None
}

// broadcast queues a frame for each client; they leave at the end of the turn.
func (s *server) broadcast(text []byte) {
	s.telling = true
	for _, client := range s.clients {
		client.queue(ws.OpText, text)
	}
}

func (s *server) tell() {
	s.telling = false
	for c, client := range s.clients {
		// Of one that is gone, OnClose tells.
		_, _ = c.Write(client.out)
		client.out = client.out[:0]
	}
}

func (s *server) OnTraffic(c gnet.Conn) gnet.Action {
	state := c.Context().(*client)
	if !state.upgraded {
		return state.upgrade(c)
	}
	for more := true; more && !state.closing; {
		var err error
		if more, err = state.frame(c); err != nil {
			return gnet.Close
		}
	}
	if s.telling {
		s.tell()
	}
	if len(state.out) > 0 {
		if _, err := c.Write(state.out); err != nil {
			return gnet.Close
		}
		state.out = state.out[:0]
	}
	if state.closing {
		return gnet.Close
	}
	return gnet.None
}

func (s *client) upgrade(c gnet.Conn) gnet.Action {
	head, err := c.Peek(-1)
	if err != nil {
		return gnet.Close
	}
	end := bytes.Index(head, []byte("\r\n\r\n"))
	if end < 0 {
		if len(head) > maxHead {
			return gnet.Close
		}
		return gnet.None
	}
	end += len("\r\n\r\n")
	var reply bytes.Buffer
	upgrader := ws.Upgrader{Protocol: func(p []byte) bool { return string(p) == answer.Subprotocol }}
	_, err = upgrader.Upgrade(struct {
		io.Reader
		io.Writer
	}{bytes.NewReader(head[:end]), &reply})
	if err != nil {
		return gnet.Close
	}
	if _, err := c.Discard(end); err != nil {
		return gnet.Close
	}
	s.upgraded = true
	s.server.clients[c] = s
	if _, err := c.Write(reply.Bytes()); err != nil {
		return gnet.Close
	}
	return s.server.OnTraffic(c)
}

// frame takes one frame if it is there as a whole.
func (s *client) frame(c gnet.Conn) (more bool, err error) {
	start, _ := c.Peek(min(c.InboundBuffered(), ws.MaxHeaderSize))
	reader := bytes.NewReader(start)
	header, err := ws.ReadHeader(reader)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return false, nil
	}
	if err != nil || header.Length > answer.MaxMessage {
		return false, fmt.Errorf("a bad header: %w", err)
	}
	size := len(start) - reader.Len() + int(header.Length)
	if c.InboundBuffered() < size {
		return false, nil
	}
	whole, err := c.Next(size)
	if err != nil {
		return false, err
	}
	payload := whole[size-int(header.Length):]
	ws.Cipher(payload, header.Mask, 0)
	return true, s.take(header, payload)
}

func (s *client) take(header ws.Header, payload []byte) (err error) {
	switch header.OpCode {
	case ws.OpClose:
		s.queue(ws.OpClose, payload)
		s.closing = true
		return nil
	case ws.OpPing:
		s.queue(ws.OpPong, payload)
		return nil
	case ws.OpPong:
		return nil
	}
	if !header.Fin || s.message != nil {
		s.message = append(s.message, payload...)
		if payload = s.message; !header.Fin {
			return nil
		}
		s.message = nil
	}
	if s.reply, err = answer.Append(s.reply[:0], payload, false); err == nil && len(s.reply) > 0 {
		s.queue(ws.OpText, s.reply)
	}
	return err
}

func (s *client) queue(op ws.OpCode, payload []byte) {
	frame := bytes.NewBuffer(s.out)
	_ = ws.WriteHeader(frame, ws.Header{Fin: true, OpCode: op, Length: int64(len(payload))})
	s.out = append(frame.Bytes(), payload...)
}

func main() {
	// The engine does not tell which port it took.
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		answer.Fail(err)
	}
	addr := listener.Addr()
	_ = listener.Close()
	logging.SetDefaultLoggerAndFlusher(zap.NewNop().Sugar(), nil)
	s := server{clients: map[gnet.Conn]*client{}}
	answer.Broadcast = s.broadcast
	answer.Fail(gnet.Run(&ready{&s, addr}, "tcp4://"+addr.String(), gnet.WithMulticore(false),
		gnet.WithLogger(zap.NewNop().Sugar()), gnet.WithReadBufferCap(256<<10)))
}

// ready prints the port once the engine listens.
type ready struct {
	*server
	addr net.Addr
}

func (r *ready) OnBoot(gnet.Engine) gnet.Action {
	answer.Ready(r.addr)
	return gnet.None
}
