// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"claudecoded/session"
	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// replaced is an acceptable request with texts replaced in it, pairwise.
func replaced(oldnew ...string) []byte {
	return []byte(strings.NewReplacer(oldnew...).Replace(string(wire.Request(rig.Token))))
}

// refusal is the whole answer to a request that is refused.
func refusal(status, body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

const (
	key     = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	auth    = "X-Claude-Code-Ide-Authorization: "
	version = "Sec-WebSocket-Version: 13\r\n"
)

func TestHandshake_RefusesBeforeThe101AndLogsTheReasonOnce(t *testing.T) {
	t.Parallel()
	const origin, host = "Forbidden: the Origin is not loopback", "Forbidden: the Host is not loopback (--allowed-host accepts it)"
	d := rig.Start(t, rig.Config{})
	for name, c := range map[string]struct {
		request []byte
		status  string
		reason  string
	}{
		"a web page":              {wire.Request(rig.Token, "Origin: https://evil.example"), "403 Forbidden", origin},
		"a web page, no token":    {wire.Request("", "Origin: https://evil.example"), "403 Forbidden", origin},
		"a file":                  {wire.Request(rig.Token, "Origin: null"), "403 Forbidden", origin},
		"almost loopback":         {wire.Request(rig.Token, "Origin: http://127.0.0.1.evil.example"), "403 Forbidden", origin},
		"one page of two":         {wire.Request(rig.Token, "Origin: http://localhost", "Origin: https://evil.example"), "403 Forbidden", origin},
		"a foreign host":          {replaced("Host: 127.0.0.1", "Host: evil.example"), "403 Forbidden", host},
		"a container's host":      {replaced("Host: 127.0.0.1", "Host: host.docker.internal:1234"), "403 Forbidden", host},
		"a second, foreign host":  {wire.Request(rig.Token, "Host: evil.example"), "403 Forbidden", host},
		"not a GET":               {replaced("GET / ", "POST /elsewhere "), "404 Not Found", "WebSocket endpoint not found"},
		"HTTP/1.0":                {replaced("HTTP/1.1", "HTTP/1.0"), "404 Not Found", "WebSocket endpoint not found"},
		"no request line":         {replaced("GET / HTTP/1.1", "hello"), "404 Not Found", "WebSocket endpoint not found"},
		"no Upgrade":              {replaced("Upgrade: websocket\r\n", ""), "400 Bad Request", "Missing or invalid Upgrade header"},
		"another Upgrade":         {replaced("Upgrade: websocket", "Upgrade: h2c"), "400 Bad Request", "Missing or invalid Upgrade header"},
		"no Connection":           {replaced("Connection: Upgrade\r\n", ""), "400 Bad Request", "Missing or invalid Connection header"},
		"another Connection":      {replaced("Connection: Upgrade", "Connection: close"), "400 Bad Request", "Missing or invalid Connection header"},
		"no key":                  {replaced(key, ""), "400 Bad Request", "Missing Sec-WebSocket-Key header"},
		"a short key":             {replaced(key, "Sec-WebSocket-Key: dGhl\r\n"), "400 Bad Request", "Invalid Sec-WebSocket-Key format"},
		"no version":              {replaced(version, ""), "400 Bad Request", "Missing or unsupported Sec-WebSocket-Version header"},
		"version 8":               {replaced(version, "Sec-WebSocket-Version: 8\r\n"), "400 Bad Request", "Missing or unsupported Sec-WebSocket-Version header"},
		"no token":                {wire.Request(""), "400 Bad Request", "Missing authentication header: x-claude-code-ide-authorization"},
		"a token with no bytes":   {wire.Request("", strings.TrimSuffix(auth, " ")), "400 Bad Request", "Missing authentication header: x-claude-code-ide-authorization"},
		"a blank token":           {wire.Request("", auth), "400 Bad Request", "Authentication token too short (min 10 characters)"},
		"a short token":           {wire.Request("123456789"), "400 Bad Request", "Authentication token too short (min 10 characters)"},
		"a long token":            {wire.Request(strings.Repeat("x", 501)), "400 Bad Request", "Authentication token too long (max 500 characters)"},
		"a token of other length": {wire.Request(rig.Token + "0"), "400 Bad Request", "Invalid authentication token"},
		"a part of the token":     {wire.Request(rig.Token[:12]), "400 Bad Request", "Invalid authentication token"},
		"another token":           {wire.Request(strings.ToUpper(rig.Token)), "400 Bad Request", "Invalid authentication token"},
		"a token with a blank":    {wire.Request(rig.Token + " "), "400 Bad Request", "Invalid authentication token"},
		"the token twice":         {wire.Request(rig.Token, auth+rig.Token), "400 Bad Request", "Duplicate authentication header: x-claude-code-ide-authorization"},
		"the right one first":     {wire.Request("a-token-of-another", auth+rig.Token), "400 Bad Request", "Duplicate authentication header: x-claude-code-ide-authorization"},
	} {
		t.Run(name, func(t *testing.T) {
			reason := c.reason
			if c.status == "400 Bad Request" {
				reason = "Bad WebSocket upgrade request: " + reason
			}
			before := len(d.Lines("level=WARN", ": "+reason+`"`))
			conn := wire.Dial(t, d.Port)
			conn.Send(c.request, say(call(1, "openDiff", "{}")))
			conn.Expect(refusal(c.status, reason))
			conn.ExpectEnd()
			if got := d.Lines("level=WARN", `msg="Rejected client_`, ": "+reason+`"`); len(got) != before+1 {
				t.Errorf("the log says %q", got)
			}
		})
	}
	if n := d.Opens(); n > 0 {
		t.Errorf("%d clients were connected", n)
	}
	if lines := d.Lines(rig.Token); len(lines) > 0 {
		t.Errorf("the token is in the log: %q", lines)
	}
	answers(d.Open(t))
}

func TestHandshake_AnswersTheSubprotocol(t *testing.T) {
	t.Parallel()
	const accepted = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
	d := rig.Start(t, rig.Config{})
	for name, c := range map[string]struct {
		offers []string
		answer string
	}{
		"none":             {nil, ""},
		"mcp":              {[]string{"mcp"}, "mcp"},
		"mcp at the end":   {[]string{"foo, mcp"}, "mcp"},
		"mcp without room": {[]string{"foo,mcp,bar"}, "mcp"},
		"mcp elsewhere":    {[]string{"foo", "bar, mcp"}, "mcp"},
		"MCP":              {[]string{"MCP"}, "MCP"},
		"others":           {[]string{"foo, bar"}, "foo"},
		"almost":           {[]string{"mcp2"}, "mcp2"},
		"no token":         {[]string{"f(o)o, b@r"}, ""},
		"nothing in it":    {[]string{""}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var fields []string
			for _, offer := range c.offers {
				fields = append(fields, "Sec-WebSocket-Protocol: "+offer)
			}
			answer := accepted
			if c.answer != "" {
				answer += "Sec-WebSocket-Protocol: " + c.answer + "\r\n"
			}
			conn := wire.Dial(t, d.Port)
			conn.Send(wire.Request(rig.Token, fields...))
			conn.Expect([]byte(answer + "\r\n"))
			answers(conn)
			conn.Leave()
		})
	}
}

func TestHandshake_AcceptsWhatIsLoopback(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{Session: session.Config{AllowedHosts: []string{"host.docker.internal"}}})
	for name, request := range map[string][]byte{
		"no Host":          replaced("Host: 127.0.0.1\r\n", ""),
		"localhost":        replaced("Host: 127.0.0.1", "Host: localhost:1234"),
		"IPv6":             replaced("Host: 127.0.0.1", "Host: [::1]:1234"),
		"an allowed host":  replaced("Host: 127.0.0.1", "Host: host.docker.internal:1234"),
		"a page from here": wire.Request(rig.Token, "Origin: http://localhost:3000"),
		"any path":         replaced("GET / ", "GET /any/path?at=all "),
		"any case":         replaced("Upgrade: websocket", "uPGRADE: WebSocket", auth, strings.ToLower(auth)),
	} {
		t.Run(name, func(t *testing.T) {
			c := wire.Dial(t, d.Port)
			c.Send(request)
			c.Expect([]byte(wire.Accepted))
			answers(c)
			c.Leave()
		})
	}
}

func TestHandshake_AnswersInitializeWithTheVersionItSpeaks(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c := d.Open(t)
	for id, offered := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "9999-01-01", ""} {
		c.Send(say(request(id, "initialize", `{"protocolVersion":"`+offered+`"}`)))
		c.Expect(reply(id, `{"protocolVersion":"2024-11-05","capabilities":{"logging":{},"prompts":{"listChanged":true},`+
			`"tools":{"listChanged":true}},"serverInfo":{"name":"claudecode-neovim","version":"1"}}`))
	}
}

// Half a request may become a whole one, end, or wait for the deadline.
func TestHandshake_HalfARequestIsWaitedFor(t *testing.T) {
	t.Parallel()
	const deadline = 4 * time.Second
	request := wire.Request(rig.Token)
	d := rig.Start(t, rig.Config{Session: session.Config{HandshakeTimeout: deadline}})
	began := time.Now()
	mute := wire.Dial(t, d.Port)
	mute.Send(request[:len(request)-1])

	for at := 1; at < len(request); at += 7 {
		c := wire.Dial(t, d.Port)
		c.Send(request[:at])
		c.Send(request[at:], say(request99()))
		c.Expect([]byte(wire.Accepted))
		c.Expect(reply(99, "{}"))
		c.Leave()
	}
	ends := wire.Dial(t, d.Port)
	ends.Send(request[:len(request)-1])
	if err := ends.TCP.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	ends.ExpectEnd()

	if got := mute.Read(); len(got) > 0 {
		t.Errorf("half a request is answered with %q", got)
	}
	if took := time.Since(began); took < deadline {
		t.Errorf("half a request is dropped after %v", took)
	}
	nvimtest.Eventually(t, "the log says why", func() bool {
		return len(d.Lines("level=DEBUG", "client_1", "handshake timeout")) == 1
	})
}

func request99() string { return request(99, "ping", "") }

// halves are peers that send half a request to a daemon with a deadline for the whole one.
func halves(t *testing.T, deadline time.Duration) (*rig.Daemon, []*wire.Conn) {
	t.Helper()
	d := rig.Start(t, rig.Config{Session: session.Config{HandshakeTimeout: deadline}})
	half := make([]*wire.Conn, 256)
	for i := range half {
		half[i] = wire.Dial(t, d.Port)
		half[i].Send([]byte("GET / HT"))
	}
	return d, half
}

// Whoever had to wait for one of them would wait for an hour.
func TestHandshake_HalfOf256KeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	d, half := halves(t, time.Hour)
	for range 5 {
		d.Open(t).Leave()
	}
	var waiting int
	d.Do(t, func() { waiting = len(d.Server.Clients()) })
	if waiting < len(half) {
		t.Errorf("%d of %d still wait", waiting, len(half))
	}
}

func TestHandshake_HalfOf256IsDroppedUnanswered(t *testing.T) {
	t.Parallel()
	const deadline = time.Second
	began := time.Now()
	_, half := halves(t, deadline)
	for i, c := range half {
		if got := c.Read(); len(got) > 0 {
			t.Fatalf("peer %d is answered with %q", i, got)
		}
	}
	if took := time.Since(began); took < deadline {
		t.Errorf("all are dropped after %v", took)
	}
}

func TestHandshake_TheNewestOfTooManyIsRefused(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{Session: session.Config{MaxClients: 2}})
	first, second := d.Open(t), d.Open(t)
	third := wire.Dial(t, d.Port)
	third.Send(wire.Request(rig.Token))
	third.Expect(refusal("503 Service Unavailable", "Too many clients"))
	third.ExpectEnd()
	answers(first)
	second.Leave()
	answers(d.Open(t))
}
