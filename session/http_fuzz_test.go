// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"claudecoded/codec"
	"claudecoded/reactor"
	"claudecoded/reactor/fake"
	"claudecoded/session"
)

// converse sends a stream in pieces of at most size bytes, and then no more. It returns
// what the handler was asked, and what was answered but for what depends on the pieces:
// interim responses, and the words of a refusal.
func converse(t *testing.T, stream []byte, size int) (asked, answered []string) {
	loop, s := fake.New(), &site{}
	server := session.New(loop, session.Config{HTTP: s, Log: slog.New(slog.DiscardHandler)})
	if _, err := server.Listen(reactor.PortRange{}, &world{t: t, loop: loop}); err != nil {
		t.Fatal(err)
	}
	p := loop.Connect()
	for piece := range slices.Chunk(stream, size) {
		p.Send(piece)
	}
	loop.Settle()
	if n := server.Buffered(1); n > 4*len(stream)+64<<10 {
		t.Errorf("%d bytes kept of %d", n, len(stream))
	}
	p.CloseWrite()
	loop.Settle()
	for len(s.kept)+len(s.streams) > 0 { // a response that ends lets the next request in
		kept, streams := s.kept, s.streams
		s.kept, s.streams = nil, nil
		for _, w := range kept {
			w.Respond(200, nil, []byte("kept"))
		}
		for _, stream := range streams {
			stream.Event("message", []byte("{}"))
			stream.End()
		}
		loop.Settle()
	}
	loop.Advance(session.LingerTimeout + session.HandshakeTimeout)
	loop.Settle()
	if len(loop.Panics) > 0 || !p.Closed() {
		t.Errorf("closed is %v, panics %v", p.Closed(), loop.Panics)
	}
	if got := p.Take(); !slices.Contains([]string{"HTTP/1.1 101"}, string(got[:min(12, len(got))])) {
		for _, reply := range replies(got) {
			switch {
			case strings.HasPrefix(reply, "10"):
			case strings.HasPrefix(reply, "4"):
				answered = append(answered, reply[:3]) // a fault can be found early, or with the whole head
			default:
				answered = append(answered, reply)
			}
		}
	}
	return s.asked, answered
}

// FuzzHTTP: however the bytes of a connection are cut, the handler is asked the same and
// the client is answered the same; none is asked more than a strict reader would find.
func FuzzHTTP(f *testing.F) {
	plain := string(ask("POST", "/mcp", "body"))
	for i, stream := range []string{
		plain + plain,
		plain + "\r\n\r\n" + string(ask("GET", "/?stream", "")) + string(ask("POST", "/mcp?later", "x")) + plain,
		string(ask("POST", "/mcp?panic", "x")) + plain,
		string(ask("HEAD", "/health", "")) + plain,
		string(ask("DELETE", "http://127.0.0.1:1/mcp?x", "", "Connection: close")) + plain,
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3;x\r\nabc\r\n0\r\nX: y\r\n\r\n" + plain,
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n" + plain,
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 0\r\n\r\nabc" + plain,
		"POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 0\n\n" + plain,
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: y\r\n Content-Length: 3\r\n\r\n" + plain,
		"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 3\r\n\r\nabc" + plain,
		plain + string(request()) + string(text("hello")),
		plain + "GET /elsewhere HTTP/1.0\r\n\r\n",
		plain + "POST /mcp HTTP/1.1\r\nX: " + strings.Repeat("x", codec.MaxHead),
	} {
		f.Add([]byte(stream), uint16(i))
	}
	f.Fuzz(func(t *testing.T, stream []byte, size uint16) {
		asked, answered := converse(t, stream, len(stream)+1)
		askedCut, answeredCut := converse(t, stream, 1+int(size))
		if !slices.Equal(asked, askedCut) {
			t.Errorf("asked %q\nin pieces of %d: %q", asked, 1+int(size), askedCut)
		}
		if !slices.Equal(answered, answeredCut) {
			t.Errorf("answered %q\nin pieces of %d: %q", answered, 1+int(size), answeredCut)
		}
	})
}
