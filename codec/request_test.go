// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"fmt"
	"strings"
	"testing"
)

// post is the head of a POST to /mcp with these lines behind the Host.
func post(lines ...string) string {
	return strings.Join(append([]string{"POST /mcp HTTP/1.1", "Host: 127.0.0.1:1"}, lines...), "\r\n") + "\r\n\r\n"
}

func TestParseRequest_FramesTheBody(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]int{
		post():                                     NoLength,
		post("Content-Length: 0"):                  0,
		post("content-length:\t 12 "):              12,
		post("Content-Length: 007"):                7,
		post("Content-Length: 16777216"):           MaxBody,
		post("Transfer-Encoding: Chunked"):         Chunked,
		post("transfer-encoding:chunked \t"):       Chunked,
		post("X: y", "Transfer-Encoding: chunked"): Chunked,
	} {
		r, ref := ParseRequest(parseHead(t, head))
		if ref != nil || r.Length != want {
			t.Errorf("%q: %+v, %v, want %d", head, r, ref, want)
		}
	}
}

func TestParseRequest_RefusesWhatTwoReadersCouldTakeForTwoRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		head   string
		status int
	}{
		{post("Content-Length: 1", "Content-Length: 2"), 400},
		{post("Content-Length: 1", "Content-Length: 1"), 400},
		{post("Content-Length: 1, 1"), 400},
		{post("Content-Length:"), 400},
		{post("Content-Length: +1"), 400},
		{post("Content-Length: -1"), 400},
		{post("Content-Length: 0x1"), 400},
		{post("Content-Length: 1_0"), 400},
		{post("Content-Length: 1 2"), 400},
		{post("Content-Length: 1\v"), 400},
		{post("Content-Length : 1"), 400},
		{post(" Content-Length: 1"), 400},
		{post("Content-Length: 16777217"), 413},
		{post("Content-Length: 99999999999999999999999999"), 413},
		{post("Content-Length: 1", "Transfer-Encoding: chunked"), 400},
		{post("Transfer-Encoding: chunked", "Content-Length:"), 400},
		{post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 400},
		{post("Transfer-Encoding: chunked, chunked"), 400},
		{post("Transfer-Encoding: gzip, chunked"), 400},
		{post("Transfer-Encoding: identity"), 400},
		{post("Transfer-Encoding: xchunked"), 400},
		{post("Transfer-Encoding: \vchunked"), 400},
		{post("Transfer-Encoding:"), 400},
		{post("Transfer-Encoding : chunked"), 400},
		{post("X: y\r\n Transfer-Encoding: chunked"), 400},
		{post("X: y\nTransfer-Encoding: chunked"), 400},
		{post("X: y\rTransfer-Encoding: chunked"), 400},
		{post("X: \x00"), 400},
		{post("X\x00: y"), 400},
		{post("Host: 127.0.0.1:1"), 400},
		{"POST /mcp HTTP/1.1\r\n\r\n", 400},
		{"POST /mcp HTTP/1.1\r\nHost: localhost\n\r\n\r\n", 400},
		{"POST /mcp?\x01 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
		{"POST  /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
		{"POST http://localhost/mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400},
		{"POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", 400},
		{post("Expect: 200-ok"), 417},
	} {
		r, ref := ParseRequest(parseHead(t, c.head))
		if ref == nil || ref.Status != c.status {
			t.Errorf("%q: %+v, %v, want %d", c.head, r, ref, c.status)
		}
	}
}

func TestParseRequest_SplitsTheTarget(t *testing.T) {
	t.Parallel()
	for target, want := range map[string][2]string{
		"/mcp":                     {"/mcp", ""},
		"/mcp?a=b?c":               {"/mcp", "a=b?c"},
		"/?":                       {"/", ""},
		"http://localhost:1/mcp?x": {"/mcp", "x"},
		"HTTP://localhost:1":       {"/", ""},
		"http://localhost:1?x":     {"/", "x"},
		"https://localhost:1/mcp":  {"https://localhost:1/mcp", ""},
		"*":                        {"*", ""},
	} {
		h := parseHead(t, "GET "+target+" HTTP/1.1\r\nHost: localhost:1\r\n\r\n")
		r, ref := ParseRequest(h)
		if ref != nil || [2]string{r.Path, r.Query} != want || h.Path() != want[0] {
			t.Errorf("%s: %+v, %v, path %q", target, r, ref, h.Path())
		}
	}
}

func TestParseRequest_KnowsWhatTheClientExpects(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		post():                                           "false false",
		post("Connection: keep-alive"):                   "false false",
		post("Connection: keep-alive, Close"):            "true false",
		post("Connection: x", "connection: close"):       "true false",
		post("Connection: closed"):                       "false false",
		post("Expect: 100-Continue"):                     "false true",
		post("Expect: 100-continue", "Connection:close"): "true true",
	} {
		r, ref := ParseRequest(parseHead(t, head))
		if ref != nil {
			t.Errorf("%q: %v", head, ref)
		} else if got := fmt.Sprint(r.Close, r.Continue); got != want {
			t.Errorf("%q: %s, want %s", head, got, want)
		}
	}
}

func TestRequest_GetJoinsTheValuesOfAName(t *testing.T) {
	t.Parallel()
	r, _ := ParseRequest(parseHead(t, post("Accept:  text/event-stream\t", "ACCEPT: */*", "Empty:")))
	for name, want := range map[string]string{
		"accept": "text/event-stream, */* true", "Empty": " true", "absent": " false",
	} {
		value, ok := r.Get(name)
		if got := fmt.Sprintf("%s %v", value, ok); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestCheckToken_TakesEitherHeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"Authorization: Bearer " + testToken, true},
		{"authorization: bearer  " + testToken + " ", true},
		{"X-Claude-Code-Ide-Authorization: " + testToken, true},
		{"X: y", false},
		{"Authorization: Bearer", false},
		{"Authorization: Bearer ", false},
		{"Authorization: " + testToken, false},
		{"Authorization: Basic " + testToken, false},
		{"Authorization: Bearer " + testToken + "x", false},
		{"Authorization: Bearer " + testToken[1:], false},
		{"X-Claude-Code-Ide-Authorization: wrong", false},
		{"Authorization: Bearer x\r\nX-Claude-Code-Ide-Authorization: " + testToken, false},
		{"Authorization: Bearer " + testToken + "\r\nAuthorization: Bearer " + testToken, false},
	} {
		r, ref := ParseRequest(parseHead(t, post(c.line)))
		if ref != nil {
			t.Fatal(ref)
		}
		if ref = CheckToken(r, testToken); (ref == nil) != c.ok || ref != nil && ref.Status != 401 {
			t.Errorf("%q: %v", c.line, ref)
		}
	}
	r, _ := ParseRequest(parseHead(t, post()))
	if ref := CheckToken(r, ""); ref != nil {
		t.Errorf("without a token to present: %v", ref)
	}
}

func TestBareHead_EndsAtABlankLineOfLFs(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{
		"POST /mcp HTTP/1.1\nHost: x\n\nbody": "POST /mcp HTTP/1.1",
		"POST /mcp HTTP/1.1\r\nHost: x\n\n":   "POST /mcp HTTP/1.1",
		"POST /mcp HTTP/1.1\n\n":              "POST /mcp HTTP/1.1",
		"POST /mcp HTTP/1.1\nHost: x\n":       "",
		"POST /mcp HTTP/1.1\r\nHost: x\r\n":   "",
		"":                                    "",
	} {
		got := ""
		if h := BareHead([]byte(p)); h != nil {
			got = h.line
		}
		if got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
	}
}
