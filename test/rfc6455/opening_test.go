// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"testing"

	"claudecoded/test/wire"
)

func TestOpening_AnswersTheKeyAsInTheExampleOfTheRFC(t *testing.T) {
	t.Parallel()
	c := wire.Dial(t, port)
	c.Send([]byte("GET /chat HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://localhost\r\n" +
		"Sec-WebSocket-Protocol: chat, superchat\r\nSec-WebSocket-Version: 13\r\n" +
		"X-Claude-Code-Ide-Authorization: " + token + "\r\n\r\n"))
	c.Expect([]byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n\r\n"))
	c.Leave()
}

func TestOpening_NegotiatesNoExtension(t *testing.T) {
	t.Parallel()
	c := wire.Dial(t, port)
	c.Send(wire.Request(token, "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"))
	c.Expect([]byte(wire.Accepted))
	c.Leave()
}

// Frames may come in the write of the request, or of its last byte.
func TestOpening_KeepsTheFramesBehindTheRequest(t *testing.T) {
	t.Parallel()
	request, message := wire.Request(token), body(300<<10)
	frames := wire.Joined(wire.Frame(wire.Text, "at once"), wire.Frame(wire.Ping, "p"), wire.Frame(wire.Text, message))
	answers := wire.Joined([]byte(wire.Accepted), wire.Plain(wire.Text, "at once"), wire.Plain(wire.Pong, "p"), wire.Plain(wire.Text, message))
	for name, split := range map[string]int{
		"in one write": 0, "behind the last byte": len(request) - 1, "with half a frame": len(request) + 4,
	} {
		t.Run(name, func(t *testing.T) {
			c := wire.Dial(t, port)
			stream := wire.Joined(request, frames)
			c.Send(stream[:split])
			c.Send(stream[split:])
			c.Expect(answers)
			c.Leave()
		})
	}
}

func TestOpening_MayComeByteByByte(t *testing.T) {
	t.Parallel()
	c := wire.Dial(t, port)
	c.SendIn(1, wire.Request(token))
	c.Expect([]byte(wire.Accepted))
	c.Leave()
}

func TestOpening_NeedsTheToken(t *testing.T) {
	t.Parallel()
	c := wire.Dial(t, port)
	c.Send(wire.Request("a-token-of-somebody-else"), wire.Frame(wire.Text, "hello"))
	const reason = "Bad WebSocket upgrade request: Invalid authentication token"
	c.Expect([]byte("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 59\r\n\r\n" + reason))
	c.ExpectEnd()
}
