// Copyright (c) 2026 the claudecoded authors. MIT license.

package http

import (
	"strings"
	"testing"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// Each row is one rule of the transport, asked on a connection of its own.
func TestRules_EachIsAnsweredAsTheRevisionsDemand(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	session := dial(t, d).begin()
	const foreign = "Mcp-Session-Id: no-such-session"
	for _, c := range []struct {
		name, request string
		status        int
		want          string // in the body, or "Name: value" of the header
	}{
		{"Origin that is loopback", request("POST", "/mcp", ping, session, "Origin: http://localhost:3000"), 200, `"result":{}`},
		{"Origin of a page", request("POST", "/mcp", ping, session, "Origin: https://evil.example"), 403, "Origin"},
		{"Origin null", request("POST", "/mcp", ping, session, "Origin: null"), 403, "Origin"},
		{"Host that was rebound", request("POST", "/mcp", ping, session, "Host: evil.example"), 403, "Host"},
		{"Host that was rebound, of health", request("GET", "/health", "", "Host: evil.example"), 403, "Host"},
		{"no token", request("POST", "/mcp", ping, session, "-Authorization"), 401, "WWW-Authenticate: Bearer"},
		{"wrong token", request("POST", "/mcp", ping, session, "Authorization: Bearer x"), 401, "WWW-Authenticate: Bearer"},
		{"token of the IDE header", request("POST", "/mcp", ping, session, "-Authorization", "X-Claude-Code-Ide-Authorization: "+rig.Token), 200, `"result":{}`},
		{"health without a token", request("GET", "/health", "", "-Authorization"), 200, `"status":"ok"`},
		{"preflight", request("OPTIONS", "/mcp", ""), 405, "Allow: GET, POST, DELETE"},
		{"PUT", request("PUT", "/mcp", "{}"), 405, "Allow: GET, POST, DELETE"},
		{"POST to health", request("POST", "/health", "{}"), 405, "Allow: GET"},
		{"POST to sse", request("POST", "/sse", hello), 405, ""},
		{"no Content-Type", request("POST", "/mcp", ping, session, "-Content-Type"), 415, ""},
		{"Content-Type of text", request("POST", "/mcp", ping, session, "Content-Type: text/plain"), 415, ""},
		{"Content-Type with parameters", request("POST", "/mcp", ping, session, "Content-Type: Application/JSON; charset=utf-8"), 200, `"result":{}`},
		{"Accept of anything", request("POST", "/mcp", ping, session, "Accept: */*"), 200, `"result":{}`},
		{"Accept with weights", request("POST", "/mcp", ping, session, "Accept: text/html;q=0.5, APPLICATION/JSON;q=0.9"), 200, `"result":{}`},
		{"Accept of neither", request("POST", "/mcp", ping, session, "Accept: text/html"), 406, ""},
		{"no JSON", request("POST", "/mcp", "{", session), 400, `"code":-32700`},
		{"empty body", request("POST", "/mcp", "", session), 400, `"error"`},
		{"no length", request("POST", "/mcp", "", session, "-Content-Length"), 411, ""},
		{"too long", request("POST", "/mcp", "", session, "Content-Length: 16777217"), 413, ""},
		{"the root", request("POST", "/", ping, session), 200, `"result":{}`},
		{"notification", request("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session), 202, ""},
		{"error with a known id", request("POST", "/mcp", `{"jsonrpc":"2.0","id":"x","method":"nonsense"}`, session), 200, `"id":"x","error":{"code":-32601`},
		{"error without an id", request("POST", "/mcp", "{", session), 400, `{"jsonrpc":"2.0","error"`},
		{"no session", request("POST", "/mcp", ping), 400, ""},
		{"unknown session", request("POST", "/mcp", ping, foreign), 404, ""},
		{"unknown session, GET", request("GET", "/mcp", "", foreign), 404, ""},
		{"unknown session, DELETE", request("DELETE", "/mcp", "", foreign), 404, ""},
		{"unknown version", request("POST", "/mcp", ping, session, "MCP-Protocol-Version: 1999-01-01"), 400, ""},
		{"batch in a session that has none", request("POST", "/mcp", "["+ping+"]", session, "MCP-Protocol-Version: 2025-11-25"), 400, ""},
		{"tools", request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, session), 200, `"name":"nvim_repeat"`},
		{"call", request("POST", "/mcp", call(1, "nvim_repeat", `{"n":3}`), session), 200, `"text":"rrr"`},
		{"unknown tool", request("POST", "/mcp", call(1, "nvim_none", `{}`), session), 200, `"code":-32602`},
		{"discovery", stateless(1, "server/discover", "", ""), 200, `"2026-07-28"`},
		{"stateless tools", stateless(1, "tools/list", "", ""), 200, `"ttlMs"`},
		{"stateless call", stateless(1, "tools/call", "nvim_repeat", `"name":"nvim_repeat","arguments":{"n":2}`), 200, `"text":"rr"`},
		{"stateless method that is gone", stateless(1, "ping", "", ""), 404, `"code":-32601`},
		{"stateless without its fields", request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`), 400, `"code":-32020`},
		{"stateless GET", request("GET", "/mcp", "", "MCP-Protocol-Version: 2026-07-28"), 405, ""},
		{"another path", request("POST", "/elsewhere", ping, session), 404, "WebSocket endpoint not found"},
		{"HTTP/1.0", strings.Replace(request("POST", "/mcp", ping, session), "HTTP/1.1", "HTTP/1.0", 1), 404, "WebSocket endpoint not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn := dial(t, d)
			conn.send(c.request)
			got := conn.read()
			name, value, isField := strings.Cut(c.want, ": ")
			found := strings.Contains(got.body, c.want)
			if isField && got.header.Get(name) != "" {
				found = got.header.Get(name) == value
			}
			if got.status != c.status || !found {
				t.Errorf("%d %v %s\nwant %d with %s", got.status, got.header, got.body, c.status, c.want)
			}
			if got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Date") == "" && !strings.HasPrefix(c.want, "WebSocket") {
				t.Errorf("header %v", got.header)
			}
		})
	}
}

func TestSession_EndsWithItsDelete(t *testing.T) {
	t.Parallel()
	c := dial(t, rig.Start(t, rig.Config{}))
	session := c.begin()
	c.send(request("DELETE", "/mcp", "", session))
	if got := c.read(); got.status != 200 {
		t.Errorf("%+v", got)
	}
	c.send(request("POST", "/mcp", ping, session), request("POST", "/mcp", hello, session))
	if got := c.read(); got.status != 404 {
		t.Errorf("%+v", got)
	}
	if got := c.read(); got.status != 200 || "Mcp-Session-Id: "+got.header.Get("Mcp-Session-Id") == session {
		t.Errorf("%+v", got)
	}
}

func TestStream_OfASessionTellsThatTheToolsChanged(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c, other := dial(t, d), dial(t, d)
	session := c.begin()
	c.send(request("GET", "/mcp", "", session, "Accept: text/event-stream"))
	first := c.events()
	other.send(request("GET", "/mcp", "", session, "Accept: text/event-stream"))
	second := other.events()
	// The newer takes over; the older ends, and its connection serves on.
	c.within(wire.Patience)
	for {
		if _, err := first.ReadString('\n'); err != nil {
			break
		}
	}
	c.send(request("POST", "/mcp", ping, session))
	if got := c.read(); got.status != 200 {
		t.Errorf("%+v", got)
	}
	d.Do(t, func() {
		if left := d.Protocol.SetCatalogue(d.Editor.Catalogue()[1:]); len(left) > 0 {
			t.Error(left)
		}
	})
	other.event(second, `"method":"notifications/tools/list_changed"`)
}

func TestSSE_ServesTheOldTransport(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	stream, c := dial(t, d), dial(t, d)
	stream.send(request("GET", "/sse", "", "Accept: text/event-stream"))
	in := stream.events()
	stream.event(in, "event: endpoint")
	endpoint := strings.TrimSpace(strings.TrimPrefix(stream.event(in, "data: "), "data: "))
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
