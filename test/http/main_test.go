// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package http tests MCP over HTTP byte by byte: the daemon with a stand-in for its editor,
// over real sockets, asked by clients that keep no rule they are not told to.
package http

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// conn is a client's connection, which ends with the test.
type conn struct {
	t   testing.TB
	tcp *net.TCPConn
	in  *bufio.Reader
}

func dial(t testing.TB, d *rig.Daemon) *conn {
	t.Helper()
	c := wire.Dial(t, d.Port)
	return &conn{t, c.TCP, bufio.NewReader(c.TCP)}
}

func (c *conn) send(pieces ...string) {
	c.t.Helper()
	for _, p := range pieces {
		c.within(wire.Patience)
		if _, err := io.WriteString(c.tcp, p); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *conn) within(limit time.Duration) { _ = c.tcp.SetDeadline(time.Now().Add(limit)) }

// reply is a response whose body was read.
type reply struct {
	status int
	header nethttp.Header
	body   string
	last   bool // the server said that it closes the connection
}

// read reads a response that is not interim.
func (c *conn) read() reply {
	c.t.Helper()
	c.within(wire.Patience)
	for {
		resp, err := nethttp.ReadResponse(c.in, nil)
		if err != nil {
			c.t.Fatal(err)
		}
		if resp.StatusCode < 200 {
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			c.t.Fatal(err)
		}
		return reply{resp.StatusCode, resp.Header, string(body), resp.Close}
	}
}

// events reads the head of a response that streams, and returns the reader of its body.
func (c *conn) events() *bufio.Reader {
	c.t.Helper()
	c.within(wire.Patience)
	resp, err := nethttp.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || got != "text/event-stream" {
		c.t.Fatalf("%s, %s", resp.Status, got)
	}
	return bufio.NewReader(resp.Body)
}

// event reads lines up to and with the next that contains part.
func (c *conn) event(in *bufio.Reader, part string) string {
	c.t.Helper()
	c.within(wire.Patience)
	var all strings.Builder
	for {
		line, err := in.ReadString('\n')
		all.WriteString(line)
		if strings.Contains(line, part) {
			return line
		}
		if err != nil {
			c.t.Fatalf("no %q in %q: %v", part, all.String(), err)
		}
	}
}

// ended waits until the server has closed the connection.
func (c *conn) ended() {
	c.t.Helper()
	c.within(wire.Patience)
	rest, err := io.ReadAll(c.in)
	if len(rest) > 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
		c.t.Fatalf("not the end: %q, %v", rest, err)
	}
}

// request is a request with the token, and with a length if it has a body. A line of
// "-Name" takes out the field of that name.
func request(method, path, body string, lines ...string) string {
	header := []string{
		"Host: 127.0.0.1", "Authorization: Bearer " + rig.Token,
		"Content-Type: application/json", "Accept: application/json, text/event-stream",
	}
	if body != "" || method == "POST" {
		header = append(header, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "-"), ":")
		kept := header[:0]
		for _, h := range header {
			if !strings.HasPrefix(h, name+":") {
				kept = append(kept, h)
			}
		}
		header = kept
		if !strings.HasPrefix(line, "-") {
			header = append(header, line)
		}
	}
	return method + " " + path + " HTTP/1.1\r\n" + strings.Join(header, "\r\n") + "\r\n\r\n" + body
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// begin begins a session and returns the line that names it.
func (c *conn) begin() string {
	c.t.Helper()
	c.send(request("POST", "/mcp", hello))
	r := c.read()
	id := r.header.Get("Mcp-Session-Id")
	if r.status != 200 || id == "" || !strings.Contains(r.body, `"protocolVersion":"2025-11-25"`) {
		c.t.Fatalf("%+v", r)
	}
	return "Mcp-Session-Id: " + id
}

func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// stateless is a request of the revision without sessions, with its fields.
func stateless(id int, method, name, params string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta += "," + params
	}
	lines := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != "" {
		lines = append(lines, "Mcp-Name: "+name)
	}
	return request("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, meta), lines...)
}

// until polls.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline, pause := time.Now().Add(wire.Patience), time.Millisecond; time.Now().Before(deadline); pause = min(2*pause, 50*time.Millisecond) {
		if ok() {
			return
		}
		time.Sleep(pause) // between two looks
	}
	t.Fatalf("waited until %s", what)
}
