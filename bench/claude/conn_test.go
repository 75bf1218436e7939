// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
)

func TestDialConn_SendsTheRealClientsRequest(t *testing.T) {
	t.Parallel()
	heads := make(chan []string, 1)
	port := listen(t, func(p *peer) {
		heads <- p.head()
	})
	if _, err := DialConn(within(t), port, "a-token"); err == nil {
		t.Fatal("no error although the server answered nothing")
	}
	head := <-heads
	for i, line := range head {
		if key, found := strings.CutPrefix(line, "Sec-WebSocket-Key: "); found {
			if len(key) != 24 {
				t.Errorf("key %q", key)
			}
			head[i] = "Sec-WebSocket-Key: KEY"
		}
	}
	want := []string{
		"GET / HTTP/1.1",
		fmt.Sprintf("Host: 127.0.0.1:%d", port),
		"Connection: Upgrade",
		"Upgrade: websocket",
		"Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
		"Sec-WebSocket-Key: KEY",
		"Sec-WebSocket-Protocol: mcp",
		"User-Agent: claude-code/2.1.332 (cli)",
		"X-Claude-Code-Ide-Authorization: a-token",
	}
	if diff := cmp.Diff(want, head); diff != "" {
		t.Error(diff)
	}
}

func TestDialConn_RefusesWrongUpgrades(t *testing.T) {
	t.Parallel()
	const good = "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n" +
		"Sec-WebSocket-Accept: ACCEPT\nSec-WebSocket-Protocol: mcp\n\n"
	for name, replace := range map[string][2]string{
		"another key":    {"ACCEPT", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="},
		"no subprotocol": {"Sec-WebSocket-Protocol: mcp\n", ""},
		"another one":    {"mcp", "chat"},
		"an extension":   {"\n\n", "\nSec-WebSocket-Extensions: permessage-deflate\n\n"},
		"no upgrade":     {"websocket", "h2c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := listen(t, func(p *peer) {
				reply := strings.Replace(good, replace[0], replace[1], 1)
				reply = strings.Replace(reply, "ACCEPT", acceptKey(p.head()), 1)
				p.write(strings.ReplaceAll(reply, "\n", "\r\n"))
			})
			if _, err := DialConn(within(t), port, ""); !errors.Is(err, ErrProtocol) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestDialConn_ReportsARefusal(t *testing.T) {
	t.Parallel()
	port := listen(t, func(p *peer) {
		p.head()
		p.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 9\r\n\r\nBad token")
	})
	_, err := DialConn(within(t), port, "x")
	var refused *RejectedError
	if !errors.As(err, &refused) || refused.Status != 400 || refused.Body != "Bad token" {
		t.Errorf("got %v", err)
	}
}

func TestDialConn_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	port := listen(t, func(p *peer) {
		p.head()
		cancel()
		p.drain()
	})
	if _, err := DialConn(ctx, port, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestReadMessage_JoinsFragmentsAndAnswersPings(t *testing.T) {
	t.Parallel()
	pong := make(chan ws.Frame, 1)
	port := listen(t, func(p *peer) {
		p.upgrade()
		p.frame(ws.NewFrame(ws.OpText, false, []byte("one ")))
		p.frame(ws.NewPingFrame([]byte("hi")))
		p.frame(ws.NewFrame(ws.OpContinuation, true, []byte("two")))
		pong <- p.read()
		p.drain()
	})
	conn, err := DialConn(within(t), port, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text, err := conn.ReadMessage()
	if err != nil || string(text) != "one two" {
		t.Errorf("got %q, %v", text, err)
	}
	if frame := <-pong; frame.Header.OpCode != ws.OpPong || string(frame.Payload) != "hi" {
		t.Errorf("the ping was answered with %v %q", frame.Header.OpCode, frame.Payload)
	}
}

func TestReadMessage_RefusesWrongFrames(t *testing.T) {
	t.Parallel()
	huge := make([]byte, 10)
	huge[0], huge[1], huge[6] = 0x81, 127, 0x01 // 2^24 + 1 bytes
	huge[9] = 0x01
	for name, frames := range map[string][]byte{
		"masked":               compile(ws.NewTextFrame([]byte("{}"))),
		"reserved bits":        {0xC1, 0x00},
		"stray continuation":   {0x80, 0x00},
		"text inside a text":   {0x01, 0x00, 0x81, 0x00},
		"invalid UTF-8":        {0x81, 0x01, 0xFF},
		"more than 16 MiB":     huge,
		"long ping":            {0x89, 126, 0, 126},
		"fragmented ping":      {0x09, 0x00},
		"reserved opcode 0x3":  {0x83, 0x00},
		"large after fragment": bytes.Join([][]byte{{0x01, 0x01, 'x'}, {0x80, 127, 0, 0, 0, 0, 1, 0, 0, 0}}, nil),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			port := listen(t, func(p *peer) {
				p.upgrade()
				p.write(string(frames))
				p.drain()
			})
			conn, err := DialConn(within(t), port, "x")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.tcp.SetDeadline(time.Now().Add(time.Minute))
			if _, err := conn.ReadMessage(); !errors.Is(err, ErrProtocol) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestReadMessage_AnswersAndReportsAClose(t *testing.T) {
	t.Parallel()
	echo := make(chan string, 1)
	port := listen(t, func(p *peer) {
		p.upgrade()
		p.frame(ws.NewCloseFrame(ws.NewCloseFrameBody(1001, "Server shutting down")))
		echo <- p.readText()
	})
	conn, err := DialConn(within(t), port, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = conn.ReadMessage()
	var closed *CloseError
	if !errors.As(err, &closed) || *closed != (CloseError{1001, "Server shutting down"}) {
		t.Errorf("got %v", err)
	}
	if body := <-echo; body != "\x03\xe9Server shutting down" {
		t.Errorf("the Close frame was answered with %q", body)
	}
}
