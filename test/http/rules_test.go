// Copyright (c) 2026 the claudecoded authors. MIT license.

package http

import (
	"strings"
	"testing"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// rule is one of the transport's: a request, and what it is answered with.
type rule struct {
	name, request string
	status        int
	want          string // in the body, or "Name: value" of the header
}

// run asks on a connection of its own, one rule after the other: all use the same id.
func (r rule) run(t *testing.T, d *rig.Daemon) {
	t.Run(r.name, func(t *testing.T) {
		conn := dial(t, d)
		conn.send(r.request)
		got := conn.read()
		name, value, isField := strings.Cut(r.want, ": ")
		found := strings.Contains(got.body, r.want)
		if isField && got.header.Get(name) != "" {
			found = got.header.Get(name) == value
		}
		if got.status != r.status || !found {
			t.Errorf("%d %v %s\nwant %d with %s", got.status, got.header, got.body, r.status, r.want)
		}
		if got.header.Get("Access-Control-Allow-Origin") != "" || got.header.Get("Date") == "" && !strings.HasPrefix(r.want, "WebSocket") {
			t.Errorf("header %v", got.header)
		}
	})
}

// Each row is one rule of the transport.
func TestRules_EachIsAnsweredAsTheRevisionsDemand(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	session := dial(t, d).begin()
	const foreign = "Mcp-Session-Id: no-such-session"
	for _, c := range []rule{
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
		{"no Accept", request("POST", "/mcp", ping, session, "-Accept"), 200, `"result":{}`},
		{"Accept of JSON alone", request("POST", "/mcp", ping, session, "Accept: application/json"), 200, "Content-Type: application/json"},
		{"Accept of streams alone", request("POST", "/mcp", ping, session, "Accept: text/event-stream"), 200, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"},
		{"Accept with the weight 0", request("POST", "/mcp", ping, session, "Accept: application/json;q=0, text/event-stream;q=0.0"), 406, ""},
		{"Origin of the other loopback", request("POST", "/mcp", ping, session, "Origin: https://[::1]:8443"), 200, `"result":{}`},
		{"Host of the other loopback", request("POST", "/mcp", ping, session, "Host: [::1]:80"), 200, `"result":{}`},
		{"Host that only begins so", request("POST", "/mcp", ping, session, "Host: localhost.evil.example"), 403, "Host"},
		{"no JSON", request("POST", "/mcp", "{", session), 400, `"code":-32700`},
		{"no UTF-8", request("POST", "/mcp", strings.Replace(ping, "ping", "pi\xffng", 1), session), 400, `"code":-32700`},
		{"no object", request("POST", "/mcp", `"ping"`, session), 400, `"code":-32600`},
		{"id that is a string", request("POST", "/mcp", strings.Replace(ping, `"id":1`, `"id":"1"`, 1), session), 200, `"id":"1"`},
		{"id that is large", request("POST", "/mcp", strings.Replace(ping, `"id":1`, `"id":9007199254740993`, 1), session), 200, `"id":9007199254740993,`},
		{"id that is null", request("POST", "/mcp", strings.Replace(ping, `"id":1`, `"id":null`, 1), session), 400, `{"jsonrpc":"2.0","error":{"code":-32600`},
		{"empty body", request("POST", "/mcp", "", session), 400, `"error"`},
		{"no length", request("POST", "/mcp", "", session, "-Content-Length"), 411, ""},
		{"too long", request("POST", "/mcp", "", session, "Content-Length: 16777217"), 413, ""},
		{"the root", request("POST", "/", ping, session), 200, `"result":{}`},
		{"notification", request("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session), 202, ""},
		{"answer to what was not asked", request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"result":{}}`, session), 202, ""},
		{"notification that cancels what is not", request("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, session), 202, ""},
		{"initialize of a revision to come", request("POST", "/mcp", strings.Replace(hello, "2025-11-25", "2999-01-01", 1)), 200, `"protocolVersion":"2025-11-25"`},
		{"initialize of the revision without sessions", request("POST", "/mcp", strings.Replace(hello, "2025-11-25", "2026-07-28", 1)), 200, `"protocolVersion":"2025-11-25"`},
		{"initialize of an older revision", request("POST", "/mcp", strings.Replace(hello, "2025-11-25", "2025-03-26", 1)), 200, `"protocolVersion":"2025-03-26"`},
		{"initialize with its version in the header", request("POST", "/mcp", hello, "MCP-Protocol-Version: 2025-11-25"), 200, `"protocolVersion":"2025-11-25"`},
		{"initialize that names a session of before", request("POST", "/mcp", hello, foreign), 200, `"protocolVersion":"2025-11-25"`},
		{"error with a known id", request("POST", "/mcp", `{"jsonrpc":"2.0","id":"x","method":"nonsense"}`, session), 200, `"id":"x","error":{"code":-32601`},
		{"error without an id", request("POST", "/mcp", "{", session), 400, `{"jsonrpc":"2.0","error"`},
		{"no session", request("POST", "/mcp", ping), 400, ""},
		{"unknown session", request("POST", "/mcp", ping, foreign), 404, ""},
		{"unknown session, GET", request("GET", "/mcp", "", foreign), 404, ""},
		{"unknown session, DELETE", request("DELETE", "/mcp", "", foreign), 404, ""},
		{"GET without a session", request("GET", "/mcp", ""), 405, "Allow: POST"},
		{"GET that takes no stream", request("GET", "/mcp", "", session, "Accept: application/json"), 406, ""},
		{"DELETE without a session", request("DELETE", "/mcp", ""), 400, ""},
		{"version of another session", request("POST", "/mcp", ping, session, "MCP-Protocol-Version: 2025-06-18"), 200, `"result":{}`},
		{"unknown version", request("POST", "/mcp", ping, session, "MCP-Protocol-Version: 1999-01-01"), 400, ""},
		{"batch in a session that has none", request("POST", "/mcp", "["+ping+"]", session, "MCP-Protocol-Version: 2025-11-25"), 400, ""},
		{"tools", request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, session), 200, `"name":"nvim_repeat"`},
		{"call", request("POST", "/mcp", call(1, "nvim_repeat", `{"n":3}`), session), 200, `"text":"rrr"`},
		{"tools from a cursor", request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, session), 200, `"code":-32602`},
		{"method of another capability", request("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, session), 200, `"code":-32601`},
		{"arguments that are no object", request("POST", "/mcp", call(1, "nvim_repeat", `[1]`), session), 200, `"code":-32602`},
		{"arguments that the schema refuses", request("POST", "/mcp", call(1, "nvim_openFile", `{}`), session), 200, `"isError":true`},
		{"tool that fails", request("POST", "/mcp", call(1, "nvim_repeat", `{"n":-1}`), session), 200, `"isError":true`},
		{"unknown tool", request("POST", "/mcp", call(1, "nvim_none", `{}`), session), 200, `"code":-32602`},
		{"another path", request("POST", "/elsewhere", ping, session), 404, "WebSocket endpoint not found"},
		{"HTTP/1.0", strings.Replace(request("POST", "/mcp", ping, session), "HTTP/1.1", "HTTP/1.0", 1), 404, "WebSocket endpoint not found"},
	} {
		c.run(t, d)
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
