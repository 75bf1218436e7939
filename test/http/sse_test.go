// Copyright (c) 2026 the claudecoded authors. MIT license.

package http

import (
	"bufio"
	"strings"
	"testing"

	"claudecoded/test/rig"
)

// pipe opens the stream of the old transport and returns where to post to.
func (c *conn) pipe() (in *bufio.Reader, endpoint string) {
	c.t.Helper()
	c.send(request("GET", "/sse", "", "Accept: text/event-stream"))
	in = c.events()
	c.event(in, "event: endpoint")
	return in, strings.TrimSpace(strings.TrimPrefix(c.event(in, "data: "), "data: "))
}

func TestSSE_ServesTheOldTransport(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	stream, c := dial(t, d), dial(t, d)
	in, endpoint := stream.pipe()
	if !strings.HasPrefix(endpoint, "/messages?sessionId=") {
		t.Errorf("%q is no path of this origin", endpoint)
	}
	c.send(request("POST", endpoint, hello))
	if got := c.read(); got.status != 202 {
		t.Errorf("%+v", got)
	}
	stream.event(in, `"id":0,"result":{"protocolVersion":"2025-11-25"`)
	c.send(request("POST", endpoint, call(7, "nvim_repeat", `{"n":3}`)))
	if got := c.read(); got.status != 202 {
		t.Errorf("%+v", got)
	}
	stream.event(in, `"text":"rrr"`)
	_ = stream.tcp.Close()
	until(t, "the session ends with its stream", func() bool {
		c.send(request("POST", endpoint, ping))
		return c.read().status == 404
	})
	if lines := d.Lines("sessionId"); len(lines) > 0 {
		t.Errorf("the log names the session: %q", lines)
	}
}

// Requests are taken with 202 whatever comes of them, in whatever order: a client whose
// stream broke opens another and goes on, and one of a newer era asks what there is.
func TestSSE_AnswersOnTheStreamWithoutAGreeting(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	stream, c := dial(t, d), dial(t, d)
	in, endpoint := stream.pipe()
	for _, row := range []struct{ body, want string }{
		{call(1, "nvim_repeat", `{"n":3}`), `"text":"rrr"`},
		{`{"jsonrpc":"2.0","id":"probe","method":"server/discover"}`, `"id":"probe","error":{"code":-32601`},
		{call(2, "none", `{}`), `"id":2,"error":{"code":-32602`},
		{call(3, "nvim_repeat", `{"n":-1}`), `"isError":true`},
	} {
		c.send(request("POST", endpoint, row.body))
		if got := c.read(); got.status != 202 {
			t.Errorf("%s: %+v", row.body, got)
		}
		stream.event(in, row.want)
	}
}

func TestSSE_RefusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	stream := dial(t, d)
	_, endpoint := stream.pipe()
	for _, c := range []rule{
		{"no JSON", request("POST", endpoint, "{"), 400, `"code":-32700`},
		{"no message", request("POST", endpoint, `{"id":1}`), 400, `"code":-32600`},
		{"a batch", request("POST", endpoint, "["+ping+"]"), 400, `"code":-32600`},
		{"Content-Type of text", request("POST", endpoint, ping, "Content-Type: text/plain"), 415, ""},
		{"no such session", request("POST", "/messages?sessionId=x", ping), 404, ""},
		{"no session", request("POST", "/messages", ping), 404, ""},
		{"GET of the other half", request("GET", endpoint, ""), 405, "Allow: POST"},
		{"a client of the other transport", request("POST", "/sse", hello), 405, "Content-Type: text/plain"},
		{"Origin of a page", request("POST", endpoint, ping, "Origin: https://evil.example"), 403, ""},
		{"no token", request("POST", endpoint, ping, "-Authorization"), 401, "WWW-Authenticate: Bearer"},
		{"no token, the stream", request("GET", "/sse", "", "-Authorization"), 401, "WWW-Authenticate: Bearer"},
		{"a stream that takes none", request("GET", "/sse", "", "Accept: application/json"), 406, ""},
	} {
		c.run(t, d)
	}
}

func TestSSE_EndOfTheStreamCancelsItsCalls(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	stream, c := dial(t, d), dial(t, d)
	_, endpoint := stream.pipe()
	c.send(request("POST", endpoint, call(1, "nvim_openDiff", `{}`)))
	until(t, "the call runs", open(t, d, 1))
	_ = stream.tcp.Close()
	until(t, "the call is cancelled", open(t, d, 0))
}

func TestSSE_CancelEndsACallWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	stream, c := dial(t, d), dial(t, d)
	in, endpoint := stream.pipe()
	c.send(request("POST", endpoint, call(1, "nvim_openDiff", `{}`)))
	until(t, "the call runs", open(t, d, 1))
	c.send(request("POST", endpoint, cancels("1")), request("POST", endpoint, ping))
	until(t, "the call is cancelled", open(t, d, 0))
	if line := stream.event(in, "data: "); !strings.Contains(line, `"id":1,"result":{}`) {
		t.Errorf("%q", line)
	}
}
