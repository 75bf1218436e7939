// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"claudecoded/codec"
	"claudecoded/reactor/fake"
	"claudecoded/session"
)

func TestHandshake_AcceptsAndChoosesOneSubprotocol(t *testing.T) {
	t.Parallel()
	for offered, answered := range map[string]string{
		"mcp": "mcp", "foo, mcp": "mcp", "a, b": "a", "MCP": "MCP", "": "",
	} {
		w := newWorld(t)
		p := w.loop.Connect()
		field := "Sec-WebSocket-Protocol: " + offered + "\r\n"
		if offered == "" {
			field = ""
		}
		p.Send(request("Sec-WebSocket-Protocol: mcp\r\n", field))
		w.loop.Settle()
		want := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
		if answered != "" {
			want += "Sec-WebSocket-Protocol: " + answered + "\r\n"
		}
		if got := string(p.Received()); got != want+"\r\n" {
			t.Errorf("%q: answered %q, want %q", offered, got, want)
		}
		w.want("open 1")
	}
}

// The order is: who asks, the request line, the handshake's fields, the token, the limit.
func TestHandshake_RefusesWithStatusBodyAndOneWarning(t *testing.T) {
	t.Parallel()
	const bad = "Bad WebSocket upgrade request: "
	auth := "X-Claude-Code-Ide-Authorization: " + token
	for name, c := range map[string]struct {
		change []string
		status int
		body   string
	}{
		"foreign origin": {[]string{"Host: ", "Origin: https://evil.example\r\nHost: ", "GET", "POST"}, 403, "Forbidden: the Origin is not loopback"},
		"foreign host":   {[]string{"127.0.0.1:1", "evil.example", "GET", "POST"}, 403, "Forbidden: the Host is not loopback (--allowed-host accepts it)"},
		"method":         {[]string{"GET", "POST", "websocket", "x"}, 404, "WebSocket endpoint not found"},
		"version":        {[]string{"HTTP/1.1", "HTTP/1.0"}, 404, "WebSocket endpoint not found"},
		"garbage":        {[]string{"GET / HTTP/1.1", "\x16\x03\x01"}, 404, "WebSocket endpoint not found"},
		"upgrade":        {[]string{"Upgrade: websocket", "Upgrade: h2c", "Connection: Upgrade", "Connection: close"}, 400, bad + "Missing or invalid Upgrade header"},
		"connection":     {[]string{"Connection: Upgrade", "Connection: close"}, 400, bad + "Missing or invalid Connection header"},
		"no key":         {[]string{"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", "13", "8"}, 400, bad + "Missing Sec-WebSocket-Key header"},
		"ws version":     {[]string{"13", "8", "Key: ", "Key: x"}, 400, bad + "Missing or unsupported Sec-WebSocket-Version header"},
		"key format":     {[]string{"Key: ", "Key: x", auth, "X: y"}, 400, bad + "Invalid Sec-WebSocket-Key format"},
		"no token":       {[]string{auth, "X: y"}, 400, bad + "Missing authentication header: x-claude-code-ide-authorization"},
		"short token":    {[]string{token, "short"}, 400, bad + "Authentication token too short (min 10 characters)"},
		"long token":     {[]string{token, strings.Repeat("x", 501)}, 400, bad + "Authentication token too long (max 500 characters)"},
		"wrong token":    {[]string{token, "0123456789abcdeF"}, 400, bad + "Invalid authentication token"},
		"two tokens":     {[]string{auth, auth + "\r\n" + auth}, 400, bad + "Duplicate authentication header: x-claude-code-ide-authorization"},
	} {
		w := newWorld(t)
		p := w.loop.Connect()
		p.Send(request(c.change...), text("never run"))
		w.loop.Settle()
		head, body, _ := strings.Cut(string(p.Received()), "\r\n\r\n")
		status := fmt.Sprintf("HTTP/1.1 %d ", c.status)
		length := fmt.Sprintf("\r\nContent-Length: %d", len(c.body))
		if body != c.body || !strings.HasPrefix(head, status) || !strings.Contains(head, length) ||
			!strings.Contains(head, "Content-Type: text/plain") || !strings.Contains(head, "Connection: close") {
			t.Errorf("%s: answered %q", name, p.Received())
		}
		if !p.Closed() || len(w.server.Clients()) != 0 {
			t.Errorf("%s: still open once the response is written", name)
		}
		w.wantLines(slog.LevelWarn, "Rejected client_1: "+c.body)
		w.want()
	}
}

func TestHandshake_RejectedClientStaysUntilItsResponseIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.loop.Connect()
	p.SetWindow(10)
	p.Send(request("GET", "PUT"))
	w.loop.Settle()
	if got := w.server.Clients(); p.Closed() || len(got) != 1 || got[0].State != "closing" {
		t.Fatalf("closed %v, clients %v before the response is written", p.Closed(), got)
	}
	p.Send(request())
	p.SetWindow(-1)
	w.loop.Settle()
	if !p.Closed() || bytes.Count(p.Received(), []byte("HTTP/1.1")) != 1 {
		t.Errorf("closed %v after %q", p.Closed(), p.Received())
	}
	w.wantLines(slog.LevelWarn, "Rejected client_1: WebSocket endpoint not found")
}

func TestHandshake_LetsEveryoneInWithoutAToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *session.Config) { c.Token = "" })
	w.connect()
}

func TestHandshake_RefusesEveryoneWhenTheTokenCannotBeSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *session.Config) { c.Token = "short" })
	w.loop.Connect().Send(request(token, "short"))
	w.loop.Settle()
	w.wantLines(slog.LevelWarn, "Rejected client_1: Bad WebSocket upgrade request: "+
		"Server configuration error: invalid expected authentication token")
}

func TestHandshake_AcceptsAnAllowedHost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *session.Config) { c.AllowedHosts = []string{"host.docker.internal"} })
	p := w.loop.Connect()
	p.Send(request("127.0.0.1", "host.docker.internal"))
	w.loop.Settle()
	w.want("open 1")
	if p.Closed() {
		t.Error("refused")
	}
}

func TestHandshake_KeepsWhatFollowsTheHeadHoweverItIsSplit(t *testing.T) {
	t.Parallel()
	stream := append(append(request(), text("first")...), text("second")...)
	for _, size := range []int{1, 7, len(request()), len(request()) + 3, len(stream)} {
		w := newWorld(t)
		p := w.loop.Connect()
		for part := range chunks(stream, size) {
			p.Send(part)
			w.loop.Turn()
		}
		w.loop.Settle()
		w.want("open 1", "message 1 first", "message 1 second")
		if n := bytes.Count(p.Received(), []byte("HTTP/1.1")); n != 1 {
			t.Errorf("reads of %d bytes: %d replies", size, n)
		}
	}
}

func chunks(b []byte, size int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			n := min(size, len(b))
			if !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}

func TestHandshake_AnswersTheRequestOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.loop.Connect()
	p.SetWindow(10)
	p.Send(request())
	w.loop.Settle()
	p.Send(request()) // bytes of a frame, once the client is connected
	w.loop.Settle()
	p.SetWindow(-1)
	w.loop.Settle()
	if n := bytes.Count(p.Received(), []byte("HTTP/1.1")); n != 1 {
		t.Errorf("%d replies", n)
	}
	w.want("open 1", "closed 1 1006 Client error: Reserved opcode 0x7")
}

// upgrading is a client whose 101 reply the kernel does not take.
func (w *world) upgrading() *fake.Peer {
	w.t.Helper()
	p := w.loop.Connect()
	p.SetWindow(10)
	p.Send(request())
	w.loop.Settle()
	if got := w.server.Clients(); got[len(got)-1].State != "upgrading" {
		w.t.Fatalf("clients %v", got)
	}
	return p
}

func TestUpgrading_BytesWaitForThe101ToBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.upgrading()
	p.Send(text("early"), frame(0x89, "ping"))
	w.loop.Settle()
	w.want()
	p.SetWindow(-1)
	w.loop.Settle()
	w.want("open 1", "message 1 early")
	_, rest, _ := bytes.Cut(p.Take(), []byte("\r\n\r\n"))
	if got := frames(t, rest); len(got) != 1 || got[0] != "pong ping" {
		t.Errorf("frames %q", got)
	}
}

func TestUpgrading_IsNotSentMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.upgrading()
	if w.server.Send(1, []byte("x")) || w.server.Give(1, []byte("x")) || w.server.Broadcast([]byte("x"), nil) {
		t.Error("took a message")
	}
}

func TestUpgrading_ClientThatHangsUpNeverConnects(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*fake.Peer){
		"EOF":   (*fake.Peer).CloseWrite,
		"reset": (*fake.Peer).Reset,
	} {
		w := newWorld(t)
		p := w.upgrading()
		p.Send(text("never run"))
		leave(p)
		w.loop.Settle()
		p.SetWindow(-1)
		w.loop.Settle()
		w.want()
		if !p.Closed() || len(w.server.Clients()) != 0 {
			t.Errorf("%s: still there", name)
		}
	}
}

func TestUpgrading_ServerThatStopsClosesWith1001BehindThe101(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.upgrading()
	p.Send(text("never run"))
	stops := 0
	w.server.Stop(func() { stops++ })
	w.loop.Settle()
	p.SetWindow(-1)
	w.loop.Settle()
	w.want()
	head, rest, _ := bytes.Cut(p.Take(), []byte("\r\n\r\n"))
	if got := frames(t, rest); !bytes.HasPrefix(head, []byte("HTTP/1.1 101")) || len(got) != 1 || got[0] != "close 1001 Server shutting down" {
		t.Errorf("%q then %q", head, got)
	}
	if stops != 1 {
		t.Errorf("done ran %d times", stops)
	}
}

func TestUpgrading_ReadingPausesAboveMaxHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.upgrading()
	for range 3 {
		p.Send(text(strings.Repeat("x", session.MaxHeld)))
	}
	w.loop.Settle()
	if !p.Paused() {
		t.Fatal("reads on")
	}
	p.SetWindow(-1)
	w.loop.Settle()
	x := strings.Repeat("x", 40)
	w.want("open 1", "message 1 "+x, "message 1 "+x, "message 1 "+x)
	if p.Paused() {
		t.Error("still paused")
	}
}

func TestUpgrading_KeepaliveWindowStartsWhenConnected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *session.Config) { c.HandshakeTimeout = time.Hour })
	w.loop.Advance(20 * time.Second)
	p := w.upgrading()
	w.loop.Advance(69 * time.Second) // the main loop of the client was blocked
	p.SetWindow(-1)
	w.loop.Settle()
	w.want("open 1")
	w.loop.Advance(2 * time.Second)
	p.Take()
	w.loop.Advance(2 * interval) // two ticks, the second 60 s after the 101
	if p.Closed() {
		t.Error("dropped for the time before it was connected")
	}
}

func TestHandshakeTimeout_ClosesWhoeverIsNotConnectedByThen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	silent, half := w.loop.Connect(), w.loop.Connect()
	half.Send([]byte("GET / HT"))
	upgrading := w.upgrading()
	refused := w.loop.Connect()
	refused.SetWindow(10)
	refused.Send(request("GET", "PUT"))
	fine := w.connected()
	w.loop.Advance(10*time.Second - 1)
	for _, p := range []*fake.Peer{silent, half, upgrading, refused} {
		if p.Closed() {
			t.Error("closed early")
		}
	}
	w.loop.Advance(1)
	for _, p := range []*fake.Peer{silent, half, upgrading, refused} {
		if !p.Closed() {
			t.Error("still open")
		}
	}
	if fine.Closed() {
		t.Error("a connected client was closed")
	}
	w.want()
	if len(silent.Received())+len(half.Received()) > 0 {
		t.Error("a half request was answered")
	}
}

func TestHandshake_HeadIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size   int
		status string
	}{{codec.MaxHead, "101"}, {codec.MaxHead + 1, "431"}} {
		for _, read := range []int{1 << 20, 1000} {
			w := newWorld(t)
			w.loop.ReadSize = read
			p := w.loop.Connect()
			pad := strings.Repeat("x", c.size-len(request())-len("X: \r\n"))
			p.Send(request("Upgrade: websocket", "X: "+pad+"\r\nUpgrade: websocket"))
			w.loop.Settle()
			if !bytes.HasPrefix(p.Received(), []byte("HTTP/1.1 "+c.status)) {
				t.Errorf("head of %d bytes in reads of %d: %.40q", c.size, read, p.Received())
			}
		}
	}
}

func TestMaxClients_RefusesTheNewestWith503(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *session.Config) { c.MaxClients = 2 })
	first := w.connect()
	w.connect()
	third := w.loop.Connect()
	third.Send(request())
	w.loop.Settle()
	if !bytes.HasPrefix(third.Received(), []byte("HTTP/1.1 503 ")) || !third.Closed() {
		t.Errorf("answered %q", third.Received())
	}
	w.wantLines(slog.LevelWarn, "Rejected client_3: Too many clients")
	first.CloseWrite()
	w.loop.Settle()
	w.connect()
}

func TestMaxPending_HalfHandshakesKeepNobodyOutAndAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range session.MaxPending - 1 {
		w.loop.Connect().Send([]byte("GET / HT"))
	}
	w.loop.Settle()
	w.connect()
	w.loop.Connect()
	over := w.loop.Connect()
	w.loop.Settle()
	if !bytes.HasPrefix(over.Received(), []byte("HTTP/1.1 503 ")) || !over.Closed() {
		t.Errorf("one too many was answered %q", over.Received())
	}
	w.loop.Advance(10 * time.Second)
	if n := len(w.server.Clients()); n != 1 {
		t.Errorf("%d clients after the handshake timeout", n)
	}
}

func TestClientIDs_CountEveryConnectionAndNeverRepeat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *session.Config) { c.ClientsCreated = 41 })
	first := w.connect()
	w.loop.Connect().Send(request("GET", "PUT"))
	first.CloseWrite()
	w.loop.Settle()
	w.connect()
	w.want("open 42", "closed 42 1006 EOF", "open 44")
	left := w.slow() // its Close frame waits behind what it does not read
	w.server.Give(45, make([]byte, backlog))
	left.Send(frame(0x83, ""))
	w.loop.Settle()
	if left.Closed() {
		t.Error("its socket is closed")
	}
	if got := w.server.Clients(); len(got) != 1 || got[0].ID != "client_44" || got[0].Number != 44 ||
		got[0].State != "connected" || !got[0].ConnectedAt.Equal(w.loop.Now()) {
		t.Errorf("clients %+v", got)
	}
	if n := w.server.ClientsCreated(); n != 45 {
		t.Errorf("%d clients created", n)
	}
}

// A loop that was held up past the deadline has not looked yet at what came in time.
func TestHandshakeTimeout_LooksFirstAtWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request []byte
		want    string
	}{
		"a handshake": {request(), "HTTP/1.1 101 "},
		"a refusal":   {request(token, "another"), "HTTP/1.1 400 "},
		"nothing":     {nil, ""},
		"half of one": {request()[:20], ""},
	} {
		w := newWorld(t)
		p := w.loop.Connect()
		w.loop.Turn()
		w.loop.InPoll(func() {
			p.Send(c.request)
			w.loop.Block(session.HandshakeTimeout)
		})
		w.loop.Turn()
		w.loop.Settle()
		if got := string(p.Take()); !strings.HasPrefix(got, c.want) || (c.want == "") != p.Closed() && c.want != "HTTP/1.1 400 " {
			t.Errorf("%s: answered %q, closed: %t", name, got, p.Closed())
		}
	}
}

// Progress gives as long again, once: nobody is kept who does not read the answer.
func TestHandshakeTimeout_EndsAnAnswerThatNobodyReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.loop.Connect()
	p.SetWindow(0)
	w.loop.Turn()
	w.loop.InPoll(func() {
		p.Send(request())
		w.loop.Block(session.HandshakeTimeout)
	})
	w.loop.Turn()
	w.loop.Settle()
	w.loop.Advance(session.HandshakeTimeout - time.Millisecond)
	if p.Closed() {
		t.Error("closed before it had as long again")
	}
	w.loop.Advance(2 * time.Millisecond)
	if !p.Closed() {
		t.Error("it is still there")
	}
}
