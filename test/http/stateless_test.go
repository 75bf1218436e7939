// Copyright (c) 2026 the claudecoded authors. MIT license.

package http

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/rig"
)

const (
	metaVersion = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`
	metaClient  = `"io.modelcontextprotocol/clientCapabilities":{}`
)

// swap replaces what must be there.
func swap(t *testing.T, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("no %q in %q", old, text)
	}
	return strings.Replace(text, old, new, 1)
}

// with replaces a part of the body of a stateless request, and its length.
func with(t *testing.T, message, old, new string) string {
	t.Helper()
	head, body, _ := strings.Cut(message, "\r\n\r\n")
	length := fmt.Sprintf("Content-Length: %d", len(body))
	body = swap(t, body, old, new)
	return swap(t, head, length, fmt.Sprintf("Content-Length: %d", len(body))) + "\r\n\r\n" + body
}

// Each row is one rule of the revision without sessions.
func TestRules_OfTheRevisionWithoutSessions(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	discover := stateless(1, "server/discover", "", "")
	tools := stateless(7, "tools/list", "", "")
	repeat := stateless(1, "tools/call", "nvim_repeat", `"name":"nvim_repeat","arguments":{"n":2}`)
	const mismatch, invalid, version = `"code":-32020`, `"code":-32602`, `"code":-32022`
	for _, c := range []rule{
		{"discovery", discover, 200, `"supportedVersions":["2026-07-28","2025-11-25"`},
		{"discovery is complete", discover, 200, `"resultType":"complete"`},
		{"discovery tells how long it holds", discover, 200, `"ttlMs":0,"cacheScope":"private"`},
		{"discovery tells who the server is", discover, 200, `"io.modelcontextprotocol/serverInfo":{"name":`},
		{"discovery tells that tools change", discover, 200, `"tools":{"listChanged":true}`},
		{"discovery with an id that is a string", with(t, discover, `"id":1`, `"id":"server-discover-probe-1"`), 200, `"id":"server-discover-probe-1"`},
		{"tools", tools, 200, `"resultType":"complete"`},
		{"tools tell how long they hold", tools, 200, `"ttlMs":0,"cacheScope":"private"`},
		{"tools from a cursor", stateless(1, "tools/list", "", `"cursor":"x"`), 200, invalid},
		{"call", repeat, 200, `"text":"rr"`},
		{"call is complete", repeat, 200, `"resultType":"complete"`},
		{"call that fails", stateless(1, "tools/call", "nvim_repeat", `"name":"nvim_repeat","arguments":{"n":-1}`), 200, `"isError":true`},
		{"call whose arguments the schema refuses", stateless(1, "tools/call", "nvim_openFile", `"name":"nvim_openFile","arguments":{}`), 200, `"isError":true`},
		{"call of an unknown tool", stateless(1, "tools/call", "none", `"name":"none"`), 200, invalid},
		{"no _meta", with(t, tools, `"_meta":{`+metaVersion+`,`+metaClient+`}`, ``), 400, invalid},
		{"no version in _meta", with(t, tools, metaVersion+`,`, ``), 400, invalid},
		{"no capabilities in _meta", with(t, tools, `,`+metaClient, ``), 400, invalid},
		{"no version in the header", swap(t, tools, "MCP-Protocol-Version: 2026-07-28\r\n", ""), 400, mismatch},
		{"another version in the header", swap(t, tools, "Version: 2026-07-28", "Version: 2025-11-25"), 400, mismatch},
		{"no method in the header", swap(t, tools, "Mcp-Method: tools/list\r\n", ""), 400, mismatch},
		{"another method in the header", swap(t, tools, "Mcp-Method: tools/list", "Mcp-Method: tools/call"), 400, mismatch},
		{"method in another case", swap(t, tools, "Mcp-Method: tools/list", "Mcp-Method: Tools/List"), 400, mismatch},
		{"names of fields in another case", swap(t, tools, "Mcp-Method: tools/list", "mCP-mETHOD: tools/list"), 200, `"tools":[`},
		{"blanks around a value", swap(t, tools, "Mcp-Method: tools/list", "Mcp-Method: \t tools/list \t"), 200, `"tools":[`},
		{"no name in the header", swap(t, repeat, "Mcp-Name: nvim_repeat\r\n", ""), 400, mismatch},
		{"another name in the header", swap(t, repeat, "Mcp-Name: nvim_repeat", "Mcp-Name: nvim_openFile"), 400, mismatch},
		{"name that is encoded", swap(t, repeat, "Mcp-Name: nvim_repeat", "Mcp-Name: =?base64?bnZpbV9yZXBlYXQ=?="), 200, `"text":"rr"`},
		{"version to come", swap(t, with(t, tools, "2026-07-28", "2027-01-01"), "Version: 2026-07-28", "Version: 2027-01-01"), 400, version},
		{"version to come is named", swap(t, with(t, tools, "2026-07-28", "2027-01-01"), "Version: 2026-07-28", "Version: 2027-01-01"), 400, `"data":{"supported":["2026-07-28"],"requested":"2027-01-01"}`},
		{"ping, which is gone", stateless(1, "ping", "", ""), 404, `"code":-32601`},
		{"initialize, which is gone", stateless(1, "initialize", "", ""), 404, `"code":-32601`},
		{"method of another capability", stateless(1, "prompts/list", "", ""), 404, `"code":-32601`},
		{"error with a known id", stateless(7, "logging/setLevel", "", ""), 404, `"id":7`},
		{"batch", with(t, with(t, tools, `{"jsonrpc"`, `[{"jsonrpc"`), `}}}`, `}}}]`), 400, `{"jsonrpc":"2.0","error"`},
		{"answer to what was not asked", with(t, tools, `"method":"tools/list"`, `"result":{}`), 400, `"code":-32600`},
		{"notification", with(t, tools, `"id":7,"method":"tools/list"`, `"method":"notifications/cancelled"`), 202, ""},
		{"session of before", swap(t, tools, "Mcp-Method", "Mcp-Session-Id: gone\r\nLast-Event-ID: 3\r\nMcp-Method"), 200, `"tools":[`},
		{"GET", request("GET", "/mcp", "", "MCP-Protocol-Version: 2026-07-28"), 405, "Allow: POST"},
		{"DELETE", request("DELETE", "/mcp", "", "MCP-Protocol-Version: 2026-07-28"), 405, "Allow: POST"},
		{"listening without streams", swap(t, stateless(1, "subscriptions/listen", "", `"notifications":{}`), ", text/event-stream", ""), 406, ""},
	} {
		c.run(t, d)
	}
}

func TestStateless_NoSessionIsMade(t *testing.T) {
	t.Parallel()
	c := dial(t, rig.Start(t, rig.Config{}))
	for _, ask := range []string{stateless(1, "server/discover", "", ""), stateless(1, "tools/list", "", "")} {
		c.send(ask)
		if got := c.read(); got.status != 200 || got.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%+v", got)
		}
	}
}

func TestListen_AcknowledgesTellsAndSaysGoodbye(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	c, quiet := dial(t, d), dial(t, d)
	ask := stateless(1, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true,"promptsListChanged":true}`)
	c.send(with(t, ask, `"id":1`, `"id":"a"`))
	in := c.events()
	const id = `"_meta":{"io.modelcontextprotocol/subscriptionId":"a"}`
	if first := c.event(in, "data: "); !strings.Contains(first, "subscriptions/acknowledged") ||
		!strings.Contains(first, id) || !strings.Contains(first, `"notifications":{"toolsListChanged":true}`) {
		t.Errorf("first %s", first)
	}
	quiet.send(stateless(2, "subscriptions/listen", "", `"notifications":{}`))
	silent := quiet.events()
	if first := quiet.event(silent, "data: "); !strings.Contains(first, `"io.modelcontextprotocol/subscriptionId":2`) ||
		!strings.Contains(first, `"notifications":{}`) {
		t.Errorf("first %s", first)
	}
	change(t, d)
	if told := c.event(in, "data: "); !strings.Contains(told, "tools/list_changed") || !strings.Contains(told, id) {
		t.Errorf("told %s", told)
	}
	if err := d.Stop(nil); err != nil {
		t.Fatal(err)
	}
	if last := c.event(in, "data: "); !strings.Contains(last, `"id":"a","result":{"resultType":"complete",`+id) {
		t.Errorf("last %s", last)
	}
	// It asked for nothing, so nothing was told before the goodbye.
	if last := quiet.event(silent, "data: "); !strings.Contains(last, `"id":2,"result":{"resultType":"complete"`) {
		t.Errorf("last %s", last)
	}
}
