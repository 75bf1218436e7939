// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the server's end of one connection in a test.
type peer struct {
	t   *testing.T
	tcp net.Conn
	in  *bufio.Reader
}

// listen runs script on the one connection that comes and returns its port. The test
// ends when the script has ended.
func listen(t *testing.T, script func(*peer)) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tcp, err := listener.Accept()
		if err != nil {
			return
		}
		defer tcp.Close()
		tcp.SetDeadline(time.Now().Add(time.Minute))
		script(&peer{t, tcp, bufio.NewReader(tcp)})
	}()
	t.Cleanup(func() {
		listener.Close()
		<-done
	})
	return listener.Addr().(*net.TCPAddr).Port
}

// head reads a request head and returns its lines.
func (p *peer) head() []string {
	var lines []string
	for {
		line, err := p.in.ReadString('\n')
		if err != nil {
			p.t.Errorf("reading the head: %v", err)
			return lines
		}
		if line == "\r\n" {
			return lines
		}
		lines = append(lines, strings.TrimSuffix(line, "\r\n"))
	}
}

func acceptKey(head []string) string {
	for _, line := range head {
		if key, found := strings.CutPrefix(line, "Sec-WebSocket-Key: "); found {
			digest := sha1.Sum([]byte(key + acceptGUID))
			return base64.StdEncoding.EncodeToString(digest[:])
		}
	}
	return ""
}

// upgrade answers the upgrade request as a correct server does.
func (p *peer) upgrade() {
	p.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + acceptKey(p.head()) + "\r\nSec-WebSocket-Protocol: mcp\r\n\r\n")
}

func (p *peer) write(text string) {
	if _, err := io.WriteString(p.tcp, text); err != nil {
		p.t.Errorf("writing: %v", err)
	}
}

func (p *peer) frame(frame ws.Frame) {
	bytes, err := ws.CompileFrame(frame)
	if err != nil {
		p.t.Errorf("compiling: %v", err)
	}
	p.write(string(bytes))
}

func (p *peer) text(text string) { p.frame(ws.NewTextFrame([]byte(text))) }

// read returns the next frame, unmasked, and checks that it was masked.
func (p *peer) read() (frame ws.Frame) {
	var err error
	if frame.Header, err = ws.ReadHeader(p.in); err == nil {
		frame.Payload = make([]byte, min(frame.Header.Length, maxMessage))
		_, err = io.ReadFull(p.in, frame.Payload)
	}
	if err != nil {
		p.t.Errorf("reading a frame: %v", err)
	} else if !frame.Header.Masked {
		p.t.Error("the client sent an unmasked frame")
	}
	return ws.UnmaskFrameInPlace(frame)
}

func (p *peer) readText() string { return string(p.read().Payload) }

// drain reads until the client has gone.
func (p *peer) drain() { io.Copy(io.Discard, p.in) }

func dial(t *testing.T, script func(*peer), options Options) *Client {
	t.Helper()
	c, err := Dial(t.Context(), listen(t, script), "token", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.conn.Close()
		<-c.Ended()
	})
	return c
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
