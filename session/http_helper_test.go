// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"claudecoded/session"
)

// site is an HTTPHandler that writes down what it is asked and answers at once, unless a
// path of its own says otherwise by query: ?later keeps the writer, ?stream begins a stream
// and keeps it, ?big answers with 1 MiB, ?panic and ?stream-panic panic.
type site struct {
	asked   []string
	kept    []session.HTTPWriter
	streams []session.HTTPStream
	left    []string // requests whose connection ended before their response
}

func (s *site) ServeHTTP(r session.HTTPRequest, w session.HTTPWriter) {
	name := fmt.Sprintf("%s %s?%s %q", r.Method, r.Path, r.Query, r.Body)
	s.asked = append(s.asked, name)
	w.OnClose(func() { s.left = append(s.left, name) })
	switch {
	case strings.HasPrefix(r.Query, "later"):
		s.kept = append(s.kept, w)
	case r.Query == "stream":
		s.streams = append(s.streams, w.Stream([]session.HeaderField{{Name: "Mcp-Session-Id", Value: "s"}}))
	case r.Query == "big":
		w.Respond(200, nil, make([]byte, 1<<20))
	case r.Query == "panic":
		panic("of the handler")
	case r.Query == "stream-panic":
		w.Stream(nil)
		panic("of the handler")
	default:
		w.Respond(200, []session.HeaderField{{Name: "Content-Type", Value: "text/plain"}}, []byte(r.Method+" "+string(r.Body)))
	}
}

// newSite is newWorld with HTTP.
func newSite(t *testing.T, change ...func(*session.Config)) (*world, *site) {
	t.Helper()
	s := &site{}
	return newWorld(t, append([]func(*session.Config){func(c *session.Config) { c.HTTP = s }}, change...)...), s
}

func (s *site) want(t *testing.T, asked ...string) {
	t.Helper()
	if got, want := strings.Join(s.asked, "\n"), strings.Join(asked, "\n"); got != want {
		t.Errorf("asked:\n%s\nwant:\n%s", got, want)
	}
	s.asked = nil
}

func (s *site) wantLeft(t *testing.T, names ...string) {
	t.Helper()
	if got, want := strings.Join(s.left, "\n"), strings.Join(names, "\n"); got != want {
		t.Errorf("left:\n%s\nwant:\n%s", got, want)
	}
	s.left = nil
}

// ask is a request with the token and a body whose length is said.
func ask(method, target, body string, lines ...string) []byte {
	lines = append([]string{method + " " + target + " HTTP/1.1", "Host: 127.0.0.1:1", "Authorization: Bearer " + token}, lines...)
	if body != "" || method == "POST" {
		lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)))
	}
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n" + body)
}

// replies reads what the peer received as responses: "status body" each. What is no
// response that ended is "cut".
func replies(b []byte) (got []string) {
	in := bufio.NewReader(bytes.NewReader(b))
	for {
		if _, err := in.Peek(1); err != nil {
			return got
		}
		resp, err := http.ReadResponse(in, nil)
		if err != nil {
			return append(got, "cut: "+err.Error())
		}
		if resp.StatusCode < 200 {
			got = append(got, fmt.Sprint(resp.StatusCode))
			continue
		}
		body, err := io.ReadAll(resp.Body)
		reply := fmt.Sprintf("%d %s", resp.StatusCode, body)
		if resp.Close {
			reply += " close"
		}
		if err != nil {
			reply += " cut"
		}
		got = append(got, strings.ReplaceAll(reply, "\n", "|"))
	}
}

func wantReplies(t *testing.T, p *peer, want ...string) {
	t.Helper()
	got := replies(p.Take())
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("answered:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
