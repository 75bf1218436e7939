// Copyright (c) 2026 the claudecoded authors. MIT license.

package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"
)

const (
	// Patience is how long a byte may take to come on a machine that is busy.
	Patience = time.Minute
	// Soon is how long a server may take to close a socket once it said so.
	Soon = 20 * time.Second
)

// Request is a request for the WebSocket, with the fields of more behind the usual ones.
// An empty token sends none.
func Request(token string, more ...string) []byte {
	lines := append([]string{
		"GET / HTTP/1.1",
		"Host: 127.0.0.1",
		"Connection: Upgrade",
		"Upgrade: websocket",
		"Sec-WebSocket-Version: 13",
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
	}, more...)
	if token != "" {
		lines = append(lines, "X-Claude-Code-Ide-Authorization: "+token)
	}
	var b []byte
	for _, line := range lines {
		b = append(append(b, line...), "\r\n"...)
	}
	return append(b, "\r\n"...)
}

// Accepted is the answer to a Request without a subprotocol. The key and what is made
// of it are those of RFC 6455, 1.3.
const Accepted = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

// Conn is a connection of a test, which ends with the test. Each call may take Patience.
type Conn struct {
	t   testing.TB
	TCP *net.TCPConn
	in  *bufio.Reader
	// Loose forgives a socket that is gone while it is written, and one that ends in a
	// reset: what a server does that closed before it was sent everything.
	Loose bool
}

// Dial connects to a port on 127.0.0.1 and sends nothing. control, if given, is called
// with the socket before it connects, as in net.Dialer.
func Dial(t testing.TB, port int, control ...func(network, address string, c syscall.RawConn) error) *Conn {
	t.Helper()
	dialer := net.Dialer{Timeout: Patience}
	for _, f := range control {
		dialer.Control = f
	}
	tcp, err := dialer.DialContext(t.Context(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	c := &Conn{t: t, TCP: tcp.(*net.TCPConn), in: bufio.NewReaderSize(tcp, 64<<10)}
	t.Cleanup(func() { _ = tcp.Close() })
	return c
}

// Open connects and upgrades.
func Open(t testing.TB, port int, token string) *Conn {
	t.Helper()
	c := Dial(t, port)
	c.Upgrade(token)
	return c
}

// Upgrade asks for the WebSocket on a connection that has sent nothing yet.
func (c *Conn) Upgrade(token string) {
	c.t.Helper()
	c.Send(Request(token))
	c.Expect([]byte(Accepted))
}

// Send writes b.
func (c *Conn) Send(b ...[]byte) {
	c.t.Helper()
	c.SendIn(0, Joined(b...))
}

// SendIn writes b in pieces of n bytes, each a write of its own; 0 is all at once.
func (c *Conn) SendIn(n int, b []byte) {
	c.t.Helper()
	for len(b) > 0 {
		k := len(b)
		if n > 0 {
			k = min(k, n)
		}
		c.await(Patience)
		if _, err := c.TCP.Write(b[:k]); err != nil {
			if !c.Loose {
				c.t.Fatalf("writing %d more bytes: %v", len(b), err)
			}
			return
		}
		b = b[k:]
	}
}

func (c *Conn) await(limit time.Duration) {
	c.t.Helper()
	if err := c.TCP.SetDeadline(time.Now().Add(limit)); err != nil {
		c.t.Fatal(err)
	}
}

// Expect reads as many bytes as want has and compares them.
func (c *Conn) Expect(want []byte) {
	c.t.Helper()
	c.await(Patience)
	got := make([]byte, len(want))
	n, err := io.ReadFull(c.in, got)
	if !bytes.Equal(got[:n], want) {
		c.t.Fatalf("the answer is %s, %v\nwant %s", show(got[:n]), err, show(want))
	}
}

// ReadFrame reads one frame.
func (c *Conn) ReadFrame() (first byte, payload []byte) {
	c.t.Helper()
	c.await(Patience)
	first, payload, err := ReadFrame(c.in, 1<<30)
	if err != nil {
		c.t.Fatalf("reading a frame: %v", err)
	}
	return first, payload
}

// ExpectEnd checks that nothing more comes and that the server closes the socket soon.
func (c *Conn) ExpectEnd() {
	c.t.Helper()
	c.await(Soon)
	rest, err := io.ReadAll(io.LimitReader(c.in, 1<<20))
	if c.Loose && errors.Is(err, syscall.ECONNRESET) {
		err = nil
	}
	if err != nil || len(rest) > 0 {
		c.t.Fatalf("the connection went on with %s, %v", show(rest), err)
	}
}

// ExpectAlive checks that the connection still answers, and answered nothing else.
func (c *Conn) ExpectAlive() {
	c.t.Helper()
	c.Send(Frame(Ping, "still there?"))
	c.Expect(Plain(Pong, "still there?"))
}

// Leave closes the connection as RFC 6455, 7.1.1, has it.
func (c *Conn) Leave() {
	c.t.Helper()
	c.Send(Frame(Close, CloseBody(1000, "done")))
	c.Expect(Plain(Close, CloseBody(1000, "done")))
	c.ExpectEnd()
}

// Read reads for as long as the connection lasts, for at most Patience, and returns all.
func (c *Conn) Read() []byte {
	c.t.Helper()
	c.await(Patience)
	all, err := io.ReadAll(c.in)
	if err != nil && !(c.Loose && errors.Is(err, syscall.ECONNRESET)) {
		c.t.Fatalf("after %s: %v", show(all), err)
	}
	return all
}

// show is b for a message: its beginning and end if it is long.
func show(b []byte) string {
	const most = 64
	if len(b) <= 2*most {
		return fmt.Sprintf("%d bytes %q", len(b), b)
	}
	return fmt.Sprintf("%d bytes %q … %q", len(b), b[:most], b[len(b)-most:])
}
