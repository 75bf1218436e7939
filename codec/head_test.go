// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func parseHead(t testing.TB, s string) *Head {
	t.Helper()
	h, n, err := ParseHead([]byte(s))
	if err != nil || n != len(s) {
		t.Fatalf("ParseHead(%q) consumed %d bytes, %v", s, n, err)
	}
	return h
}

func TestParseHead_LeavesTheBytesBehindTheHead(t *testing.T) {
	t.Parallel()
	head := "GET /x?y HTTP/1.1\r\nHost: localhost\r\n\r\n"
	p := append([]byte(head), "\x81\x85frames\r\n\r\n"...)
	before := bytes.Clone(p)
	h, n, err := ParseHead(p)
	if err != nil || n != len(head) || !bytes.Equal(p, before) {
		t.Fatalf("consumed %d of a head of %d, %v", n, len(head), err)
	}
	for i := range p {
		p[i] = 'X'
	}
	if host, _ := h.Get("host"); host != "localhost" || h.Method != "GET" || h.Target != "/x?y" || h.Version != "HTTP/1.1" {
		t.Errorf("the head did not survive its bytes: %+v, Host %q", *h, host)
	}
}

func TestParseHead_WaitsForTheBlankLine(t *testing.T) {
	t.Parallel()
	head := "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n"
	for i := range len(head) {
		if h, n, err := ParseHead([]byte(head[:i])); h != nil || n != 0 || err != nil {
			t.Errorf("%d of %d bytes gave %v, %d, %v", i, len(head), h, n, err)
		}
	}
	for _, s := range []string{"GET / HTTP/1.1\n\n", "GET / HTTP/1.1\r\r", "\n\r\n\n"} {
		if _, n, err := ParseHead([]byte(s)); n != 0 || err != nil {
			t.Errorf("%q ended a head: %d, %v", s, n, err)
		}
	}
}

func TestParseHead_BoundsTheHead(t *testing.T) {
	t.Parallel()
	sized := func(n int) string {
		const start, end = "GET / HTTP/1.1\r\nX: ", "\r\n\r\n"
		return start + strings.Repeat("x", n-len(start)-len(end)) + end
	}
	for _, c := range []struct {
		name, head string
		n          int
		err        error
	}{
		{"of the limit", sized(MaxHead) + "rest", MaxHead, nil},
		{"one byte over", sized(MaxHead + 1), 0, ErrHeadTooLarge},
		{"that never ends", strings.Repeat("x", MaxHead), 0, ErrHeadTooLarge},
		{"that may still end", strings.Repeat("x", MaxHead-1), 0, nil},
	} {
		_, n, err := ParseHead([]byte(c.head))
		if n != c.n || !errors.Is(err, c.err) || err != nil && err.Error() != "Request head too large" {
			t.Errorf("a head %s: %d, %v", c.name, n, err)
		}
	}
}

func TestParseHead_RequestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, method, target, version string }{
		{"GET / HTTP/1.1", "GET", "/", "HTTP/1.1"},
		{"GET \t/  HTTP/1.1", "GET", "/", "HTTP/1.1"},
		{"POST /mcp HTTP/1.0", "POST", "/mcp", "HTTP/1.0"},
		{"GET /", "", "", ""},
		{"GET / HTTP/1.1 x", "", "", ""},
		{" GET / HTTP/1.1", "", "", ""},
		{"GET / HTTP/1.1 ", "", "", ""},
		{"", "", "", ""},
		{"\x16\x03\x01\x02", "", "", ""},
	} {
		h := parseHead(t, c.line+"\r\n\r\n")
		if h.Method != c.method || h.Target != c.target || h.Version != c.version {
			t.Errorf("%q: %q %q %q", c.line, h.Method, h.Target, h.Version)
		}
	}
}

func TestHead_FieldsAreReadLeniently(t *testing.T) {
	t.Parallel()
	h := parseHead(t, "GET / HTTP/1.1\r\nHost:localhost\r\nEMPTY:\r\nblank: \t \r\nno colon\r\n: no name\r\n"+
		"Trail: x \r\nTwice: 1\r\ntWICE: \t2\r\nlone: a\nfeed: b\rreturn: c\r\nspace : x\r\nColon: a:b\r\n\r\n")
	for name, want := range map[string]string{
		"HOST": "localhost", "blank": " ", "trail": "x ", "twice": "2", "lone": "a", "feed": "b",
		"return": "c", "space ": "x", "colon": "a:b",
	} {
		if got, ok := h.Get(name); !ok || got != want {
			t.Errorf("%s is %q, %v, want %q", name, got, ok, want)
		}
	}
	for name, want := range map[string]int{"twice": 2, "host": 1, "empty": 0, "space": 0, "no colon": 0, "": 0, "GET / HTTP/1.1": 0} {
		if got := h.Count(name); got != want {
			t.Errorf("%d fields called %q, want %d", got, name, want)
		}
	}
	if got := slices.Collect(h.Values("twice")); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("the values are %q", got)
	}
	for first := range h.Values("twice") {
		if first != "1" {
			t.Errorf("the first value is %q", first)
		}
		break
	}
}

func TestHead_WantsWebSocket(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]bool{
		"GET / HTTP/1.1\r\nUpgrade: anything\r\n\r\n":               true,
		"GET /mcp HTTP/1.1\r\nsec-websocket-key: x\r\n\r\n":         true,
		"GET /mcp HTTP/1.1\r\nSEC-WEBSOCKET-Protocol: x\r\n\r\n":    true,
		"GET /mcp HTTP/1.1\r\nHost: x\r\n\r\n":                      false,
		"GET /mcp HTTP/1.1\r\nUpgrade-Insecure-Requests: 1\r\n\r\n": false,
		"POST /mcp HTTP/1.1\r\nUpgrade: websocket\r\n\r\n":          false,
		"GET /mcp\r\nUpgrade: websocket\r\n\r\n":                    false,
	} {
		if got := parseHead(t, head).WantsWebSocket(); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

func TestHead_FaultNamesWhatIsNotAllowed(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nEmpty:\r\n\r\n":  "",
		"POST /mcp HTTP/1.1\r\n\r\n":                               "",
		"POST  /mcp HTTP/1.1\r\n\r\n":                              "Malformed request line",
		"POST\t/mcp HTTP/1.1\r\n\r\n":                              "Malformed request line",
		"P(ST /mcp HTTP/1.1\r\n\r\n":                               "Malformed request line",
		"POST /mcp\r\n\r\n":                                        "Malformed request line",
		"POST /mcp HTTP/1.1\r\nno colon\r\n\r\n":                   "Malformed header line",
		"POST /mcp HTTP/1.1\r\nContent-Length : 4\r\n\r\n":         "Malformed header line",
		"POST /mcp HTTP/1.1\r\nA: b\r\n folded\r\n\r\n":            "Malformed header line",
		"POST /mcp HTTP/1.1\r\n: x\r\n\r\n":                        "Malformed header line",
		"POST /mcp HTTP/1.1\nA: b\r\n\r\n":                         "Malformed header line",
		"POST /mcp HTTP/1.1\r\nA: b\nContent-Length: 4\r\n\r\n":    "Control character in a header value",
		"POST /mcp HTTP/1.1\r\nA: b\rTransfer-Encoding: x\r\n\r\n": "Control character in a header value",
		"POST /mcp HTTP/1.1\r\nA: \x00\r\n\r\n":                    "Control character in a header value",
	} {
		if got := parseHead(t, head).Fault(); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}
