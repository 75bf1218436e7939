// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAppendRefusal_ClosesWithAPlainBody(t *testing.T) {
	t.Parallel()
	for _, ref := range []*Refusal{errNoEndpoint, errHost, ErrHeadTooLarge, {400, bad + "Invalid authentication token"}} {
		resp, body := readResponse(t, AppendRefusal(nil, ref))
		if resp.StatusCode != ref.Status || body != ref.Reason || !resp.Close ||
			resp.Header.Get("Content-Type") != "text/plain" || resp.ContentLength != int64(len(body)) {
			t.Errorf("%v was answered with %+v %q", ref, resp, body)
		}
		if resp.Status != http.StatusText(ref.Status) && !strings.HasSuffix(resp.Status, http.StatusText(ref.Status)) {
			t.Errorf("status line %q", resp.Status)
		}
	}
}

func TestAppendResponse_SaysHowLongItsBodyIs(t *testing.T) {
	t.Parallel()
	got := string(AppendResponse([]byte("dst"), 200, []byte("{}"), Field{"Content-Type", "application/json"}))
	if want := "dstHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"; got != want {
		t.Errorf("%q", got)
	}
	got = string(AppendResponse(nil, 202, nil))
	if want := "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"; got != want {
		t.Errorf("%q", got)
	}
	got = string(AppendResponse(nil, 204, nil))
	if want := "HTTP/1.1 204 No Content\r\n\r\n"; got != want {
		t.Errorf("%q", got)
	}
}

func TestAppendResponse_FieldCannotAddFields(t *testing.T) {
	t.Parallel()
	resp, body := readResponse(t, AppendResponse(nil, 200, []byte("x"), Field{"A", "b\r\nSet-Cookie: c\x00"}))
	if resp.Header.Get("Set-Cookie") != "" || resp.Header.Get("A") != "b  Set-Cookie: c" || body != "x" {
		t.Errorf("%v %q", resp.Header, body)
	}
}

func TestPhrases_AreThoseOfTheRegistry(t *testing.T) {
	t.Parallel()
	for status, phrase := range phrases {
		if want := http.StatusText(status); phrase != want && status != 413 { // the former name of 413
			t.Errorf("%d %q, want %q", status, phrase, want)
		}
	}
}

func TestPhrases_AreThereForEveryStatusInUse(t *testing.T) {
	t.Parallel()
	for _, status := range []int{
		100, 101, 102, 200, 202, 204, 400, 401, 403, 404, 405, 406, 408, 411, 413, 415, 417, 431, 500, 503,
	} {
		if phrases[status] == "" {
			t.Errorf("%d has none", status)
		}
	}
}

func TestAppendStreamHead_StreamsEventsInChunks(t *testing.T) {
	t.Parallel()
	p := AppendStreamHead(nil, Field{"Mcp-Session-Id", "s"})
	p = AppendChunk(p, AppendSSEComment(nil, "ok\r\n"))
	p = AppendChunk(p, AppendSSEEvent(nil, "message", bytes.Repeat([]byte("x"), 300)))
	p = AppendChunk(p, nil)
	resp, body := readResponse(t, p)
	if want := ": ok  \n\nevent: message\ndata: " + strings.Repeat("x", 300) + "\n\n"; body != want {
		t.Errorf("%q", body)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform",
		"X-Accel-Buffering": "no", "Mcp-Session-Id": "s",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestAppendSSEEvent_OneDataLineForEachLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ event, data, want string }{
		{"message", `{"a":1}`, "event: message\ndata: {\"a\":1}\n\n"},
		{"", "x", "data: x\n\n"},
		{"", "", "data: \n\n"},
		{"e", "a\nb\r\nc\rd", "event: e\ndata: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"", "a\n", "data: a\ndata: \n\n"},
		{"e\ndata: x", "y", "event: e data: x\ndata: y\n\n"},
	} {
		if got := string(AppendSSEEvent([]byte("dst"), c.event, []byte(c.data))); got != "dst"+c.want {
			t.Errorf("%q of %q: %q", c.event, c.data, got)
		}
	}
}

// readResponse reads p as net/http's client does; nothing may be left of it.
func readResponse(t *testing.T, p []byte) (*http.Response, string) {
	t.Helper()
	in := bufio.NewReader(bytes.NewReader(p))
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || in.Buffered() > 0 {
		t.Fatalf("%v, %d bytes behind the body", err, in.Buffered())
	}
	return resp, string(body)
}
