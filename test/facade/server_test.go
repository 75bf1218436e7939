// Copyright (c) 2026 the claudecoded authors. MIT license.

package facade_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// lifecycle shows what claudecode.server says of itself.
const lifecycle = `
	local server = require("claudecode.server")
	local methods = vim.tbl_keys(server.state.handlers)
	table.sort(methods)
	local status = server.get_status()
	return {
		server.state.server ~= nil, server.state.port ~= nil, server.state.auth_token ~= nil, server.state.ping_timer or "none",
		status.running, status.client_count, status.clients ~= nil, table.concat(methods, " "),
		require("claudecode.tools").get_tool_list()[1] ~= nil,
	}
`

func TestServer_StartSetsUpAllAndStopForgetsAll(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		expect := func(what, code, want string) {
			t.Helper()
			if got := inspect(e, code); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		const methods = "initialize notifications/initialized ping prompts/list tools/call tools/list"
		expect("before", lifecycle, `{ false, false, false, "none", false, 0, false, "", false }`)
		expect("stop", `return { require("claudecode.server").stop() }`, `{ false, "Server not running" }`)
		expect("start", `
			local server, config = require("claudecode.server"), vim.deepcopy(require("claudecode").state.config)
			config.daemon.ping_interval_ms = 20000
			local ok, port = server.start(config, "0123456789abcdef")
			return { ok, port == server.state.port, type(port), server.state.auth_token, { server.start(config) },
				port == require("claudecode").state.port, require("claudecode").state.server == server }
		`, `{ true, true, "number", "0123456789abcdef", { false, "Server already running" }, true, true }`)
		expect("running", lifecycle, `{ true, true, true, 20000, true, 0, true, "`+methods+`", true }`)
		expect("stop", `
			_G.claude_deferred_responses.x = print
			return { require("claudecode.server").stop(), _G.claude_deferred_responses }
		`, `{ true, {} }`)
		expect("stopped", lifecycle, `{ false, false, false, "none", false, 0, false, "`+methods+`", true }`)
	})
}

func TestServer_StartSaysWhyItFailed(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		got := inspect(e, `
			local config = vim.deepcopy(require("claudecode").state.config)
			config.daemon.cmd = { "/nonexistent/claudecoded" }
			local ok, err = require("claudecode.server").start(config)
			return { ok, type(err), require("claudecode.server").state.server == nil }
		`)
		if got != `{ false, "string", true }` {
			t.Error(got)
		}
	})
}

// conversations are messages, and what both the daemon and Lua answer.
var conversations = []struct{ name, message, want string }{
	{"not JSON", `{"jsonrpc":"2.0"`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error","data":"Invalid JSON"}}`},
	{"a number", `5`, invalid("null")},
	{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, invalid("null")},
	{"no version", `{"id":1,"method":"ping"}`, invalid("1")},
	{"a malformed notification", `{"method":"ping"}`, invalid("null")},
	{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, invalid("null")},
	{"true as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, invalid("null")},
	{"a number as method", `{"jsonrpc":"2.0","id":1,"method":1}`, invalid("1")},
	{"no method", `{"jsonrpc":"2.0","id":"a"}`, invalid(`"a"`)},
	{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"result":{}}`},
	{"0 as id", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `{"jsonrpc":"2.0","id":0,"result":{}}`},
	{"an empty id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, `{"jsonrpc":"2.0","id":"","result":{}}`},
	{"a large id", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, `{"jsonrpc":"2.0","id":9007199254740991,"result":{}}`},
	{"false as id", `{"jsonrpc":"2.0","id":false,"method":"ping"}`, ``},
	{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
	{"a notification whose tool fails", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}`, ``},
	{"an unknown notification", `{"jsonrpc":"2.0","method":"nope"}`, ``},
	{"an answer", `{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
	{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found","data":"Unknown method: resources/list"}}`},
	{"initialized with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
	{"prompts", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"prompts":[]}}`},
	{"no tool name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`,
		params("params.name must be a string, the name of the tool")},
	{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, params("params.name must be a string, the name of the tool")},
	{"a number as arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":5}}`,
		params("params.arguments must be an object")},
	{"a list as arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":[1]}}`,
		params("params.arguments must be an object")},
	{"an unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Tool not found: nope"}}`},
	{"null among the arguments", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"a":null,"b":{"c":null,"d":1}}}}`,
		begin + text(`{"b":{"d":1}}`)},
	{"null as arguments", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":null}}`, begin + text(`[]`)},
}

func invalid(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"Invalid Request","data":"Not a valid JSON-RPC 2.0 request"}}`
}

func params(why string) string {
	return `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params","data":"` + why + `"}}`
}

func TestHandleMessage_AnswersAsTheDaemonDoes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, scripted+`body = "cb(next(args) and args or {})"`)
		for _, c := range conversations {
			for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
				give(c.message)
				want := c.want
				if want == "" {
					give(`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
					want = `{"jsonrpc":"2.0","id":"end","result":{}}`
				}
				if got := p.read(); got != spelled(t, want) {
					t.Errorf("%s, %s:\n got %s\nwant %s", c.name, way, got, want)
				}
			}
		}
		for _, method := range []string{"initialize", "tools/list"} {
			message := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{}}`
			p.send(message)
			want := p.read()
			p.handle(message)
			if diff := cmp.Diff(want, p.read()); diff != "" || !strings.Contains(want, `"result"`) {
				t.Errorf("%s: %s", method, diff)
			}
		}
	})
}

func TestHandleRequest_TakesWhatWasParsedAlready(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, `raised = 0`)
		p.Lua(nil, `
			local client = ...
			local server = require("claudecode.server")
			server.state.handlers.mine = function(from, params)
				return { from = from, given = params }
			end
			server.state.handlers.bad = function()
				raised = raised + 1
				error("bad", 0)
			end
			server._handle_notification(client, { method = "bad" })
			server._handle_notification(client, { method = "nope" })
			server._handle_request(client, { id = 1, method = "mine", params = { a = 1 } })
			server._handle_request(client, { id = 2, method = "bad" })
			server._handle_request(client, { id = 3, method = "nope" })
		`, p.name)
		for _, want := range []string{
			`{"id":1,"jsonrpc":"2.0","result":{"from":"client_1","given":{"a":1}}}`,
			`{"error":{"code":-32603,"data":"bad","message":"Internal error"},"id":2,"jsonrpc":"2.0"}`,
			`{"error":{"code":-32601,"data":"Unknown method: nope","message":"Method not found"},"id":3,"jsonrpc":"2.0"}`,
		} {
			if got := p.read(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		if n := value[int](p.Editor, `return raised`); n != 2 {
			t.Errorf("the handler ran %d times", n)
		}
	})
}

func TestSendResponse_ReachesAClientThatIsThere(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, "")
		respond := func(code string) bool {
			return value[bool](p.Editor, `return require("claudecode.server").send_response(`+code+`)`)
		}
		for code, want := range map[string]string{
			`"client_1", 5, { a = {} }`:                    `{"id":5,"jsonrpc":"2.0","result":{"a":[]}}`,
			`1, "x", vim.empty_dict()`:                     `{"id":"x","jsonrpc":"2.0","result":{}}`,
			`{ id = "client_1" }, nil, nil`:                `{"id":null,"jsonrpc":"2.0","result":null}`,
			`1, 5, "unused", { code = -1, message = "m" }`: `{"error":{"code":-1,"message":"m"},"id":5,"jsonrpc":"2.0"}`,
			`1, 5, { f = print }`:                          spelled(t, `{"jsonrpc":"2.0","id":5,`+failure("result.f: a function has no JSON form")),
			`1, 123456789012345, 1234567890123456`:         `{"id":123456789012345,"jsonrpc":"2.0","result":1234567890123456}`,
		} {
			if !respond(code) {
				t.Errorf("%s: not sent", code)
			}
			if got := p.read(); got != want {
				t.Errorf("%s: %s, want %s", code, got, want)
			}
		}
		if respond(`"client_2", 5, {}`) || respond(`nil, 5, {}`) {
			t.Error("sent to nobody")
		}
		p.Lua(nil, `require("claudecode.server").stop()`)
		if respond(`"client_1", 5, {}`) {
			t.Error("sent without a server")
		}
	})
}

// hooks stand in for the parts that the server tells of its clients.
const hooks = `
	heard = {}
	local function hear(name)
		return function(...) table.insert(heard, { name, ... }) end
	end
	require("claudecode").process_mention_queue = hear("mentions")
	package.loaded["claudecode.diff"] = {
		close_diffs_for_client = hear("client"),
		close_pending_diffs = hear("pending"),
	}
`

func TestServer_TellsTheOtherPartsOfItsClients(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, hooks)
		p.eventually(`#heard == 1`)
		if err := p.conn.Close(); err != nil {
			t.Fatal(err)
		}
		p.eventually(`#heard == 2`)
		p.Lua(nil, `require("claudecode.server").stop()`)
		got := inspect(p.Editor, `return { heard, _G.claudecode_clients_created }`)
		want := `{ { { "mentions", true }, { "client", "client_1", "client disconnected" }, { "pending", "server stopping" } }, 1 }`
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func TestServer_NeedsNoneOfTheOtherParts(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, `
			require("claudecode").process_mention_queue = nil
			package.loaded["claudecode.diff"] = nil
			vim.cmd("messages clear")
		`)
		if err := p.conn.Close(); err != nil {
			t.Fatal(err)
		}
		p.eventually(`require("claudecode.server").get_status().client_count == 0`)
		p.Lua(nil, `require("claudecode.server").stop()`)
		if got := p.Messages(); strings.Contains(got, "Error") {
			t.Error(got)
		}
	})
}
