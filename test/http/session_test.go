// Copyright (c) 2026 the claudecoded authors. MIT license.

package http

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"testing"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// change makes the tools others.
func change(t *testing.T, d *rig.Daemon) {
	t.Helper()
	d.Do(t, func() {
		if left := d.Protocol.SetCatalogue(d.Editor.Catalogue()[1:]); len(left) > 0 {
			t.Error(left)
		}
	})
}

// rest reads a stream to its end.
func (c *conn) rest(in *bufio.Reader) string {
	c.t.Helper()
	c.within(wire.Patience)
	text, err := io.ReadAll(in)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

var visible = regexp.MustCompile(`^Mcp-Session-Id: [!-~]{20,}$`)

func TestSession_IDIsVisibleLongAndNeverTheSame(t *testing.T) {
	t.Parallel()
	c := dial(t, rig.Start(t, rig.Config{}))
	a, b := c.begin(), c.begin()
	if !visible.MatchString(a) || a == b {
		t.Errorf("%q, %q", a, b)
	}
}

func TestStream_HasTheHeaderThatKeepsItAliveAndNoIDs(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := dial(t, d)
	session := c.begin()
	c.send(request("POST", "/mcp", ping, session, "Accept: text/event-stream"))
	got := c.read()
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q", name, got.header.Get(name))
		}
	}
	// Nothing can be replayed, so nothing may look as if it could.
	if strings.Contains(got.body, "id: ") || strings.Contains(got.body, "retry: ") {
		t.Errorf("%q", got.body)
	}
	// The stream ends with the answer, the connection does not.
	c.send(request("POST", "/mcp", ping, session))
	if got := c.read(); got.status != 200 {
		t.Errorf("%+v", got)
	}
}

func TestStream_OfASessionBeginsAtOnceAndIgnoresWhereItWas(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := dial(t, d)
	c.send(request("GET", "/mcp", "", c.begin(), "Last-Event-ID: 17"))
	in := c.events()
	c.event(in, ": ")
	change(t, d)
	if line := c.event(in, "data: "); line != `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`+"\n" {
		t.Errorf("%q", line)
	}
}

// Answers belong to the response of their POST, and to no other stream of the session.
func TestStream_OfASessionCarriesNoAnswers(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c, feed := dial(t, d), dial(t, d)
	session := c.begin()
	feed.send(request("GET", "/mcp", "", session))
	in := feed.events()
	c.send(request("POST", "/mcp", call(1, "nvim_repeat", `{"n":3}`), session))
	if got := c.read(); !strings.Contains(got.body, "rrr") {
		t.Errorf("%+v", got)
	}
	c.send(request("DELETE", "/mcp", "", session))
	c.read()
	if text := feed.rest(in); strings.Contains(text, "data: ") {
		t.Errorf("%q", text)
	}
}

func cancels(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"x"}}`
}

func TestSession_CancelEndsTheResponseWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c, other, stranger := dial(t, d), dial(t, d), dial(t, d)
	session := c.begin()
	c.send(request("POST", "/mcp", call(1, "nvim_openDiff", `{}`), session))
	until(t, "the call runs", open(t, d, 1))
	for _, in := range []string{stranger.begin(), session} {
		// Another session's id, and an id of another type, are others.
		id := "1"
		if in == session {
			id = `"1"`
		}
		other.send(request("POST", "/mcp", cancels(id), in))
		if got := other.read(); got.status != 202 || got.body != "" {
			t.Errorf("%+v", got)
		}
	}
	if !open(t, d, 1)() {
		t.Error("the call is gone")
	}
	other.send(request("POST", "/mcp", cancels("1"), session))
	if got := other.read(); got.status != 202 {
		t.Errorf("%+v", got)
	}
	if got := c.read(); got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" || got.body != "" {
		t.Errorf("%+v", got)
	}
	until(t, "the call is cancelled", open(t, d, 0))
}

func TestSession_ConnectionThatEndsCancelsNothing(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c, other := dial(t, d), dial(t, d)
	session := c.begin()
	c.send(request("POST", "/mcp", call(1, "nvim_openDiff", `{}`), session))
	until(t, "the call runs", open(t, d, 1))
	_ = c.tcp.SetLinger(0)
	_ = c.tcp.Close()
	until(t, "the connection is gone", func() bool {
		return len(d.Lines("msg=left", "client=client_1 ")) > 0
	})
	if !open(t, d, 1)() {
		t.Error("the call is gone")
	}
	// Its id is still taken, and it can still be cancelled.
	other.send(request("POST", "/mcp", call(1, "nvim_repeat", `{"n":1}`), session))
	if got := other.read(); got.status != 400 {
		t.Errorf("%+v", got)
	}
	other.send(request("POST", "/mcp", cancels("1"), session))
	other.read()
	until(t, "the call is cancelled", open(t, d, 0))
}

func TestBatch_IsServedWhereTheRevisionHasThem(t *testing.T) {
	t.Parallel()
	c := dial(t, rig.Start(t, rig.Config{}))
	c.send(request("POST", "/mcp", strings.Replace(hello, "2025-11-25", "2025-03-26", 1)))
	session := "Mcp-Session-Id: " + c.read().header.Get("Mcp-Session-Id")
	noted := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for _, row := range []struct {
		body   string
		status int
		want   []string
	}{
		{"[" + ping + "," + noted + "," + call(2, "nvim_repeat", `{"n":3}`) + "]", 200, []string{`[{"jsonrpc":"2.0","id":1,"result":{}}`, `"id":2,"result":{`, "rrr"}},
		{"[" + noted + "]", 202, nil},
		{"[" + hello + "]", 200, []string{`[{"jsonrpc":"2.0","id":0,"error":{"code":-32600`}},
		{"[]", 400, []string{`{"jsonrpc":"2.0","error"`}},
		{"[1," + ping + "]", 200, []string{`"error":{"code":-32600`, `"id":1,"result":{}`}},
	} {
		c.send(request("POST", "/mcp", row.body, session))
		got := c.read()
		ok := got.status == row.status
		for _, want := range row.want {
			ok = ok && strings.Contains(got.body, want)
		}
		if !ok {
			t.Errorf("%s: %d %s", row.body, got.status, got.body)
		}
	}
	c.send(request("POST", "/mcp", "["+ping+"]"))
	if got := c.read(); got.status != 400 {
		t.Errorf("without a session: %+v", got)
	}
}
