// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

func TestServer_MirrorsTheClients(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		status := `
			local status = require("claudecode.server").get_status()
			for _, client in ipairs(status.clients or {}) do
				client.connected_at = nil
			end
			return vim.inspect({ status, require("claudecode").is_claude_connected() }):gsub("%s+", " ")
		`
		stopped := `{ { client_count = 0, running = false }, false }`
		if got := value[string](e, status); got != stopped {
			t.Error(got)
		}
		e.start()
		e.say("client_opened", 12)
		e.say("client_opened", 3)
		e.eventually(`require("claudecode.server").get_status().client_count == 2`)
		want := `{ { client_count = 2, clients = { ` +
			`{ handshake_complete = true, id = "client_3", state = "connected" }, ` +
			`{ handshake_complete = true, id = "client_12", state = "connected" } ` +
			`}, port = 4242, running = true }, true }`
		if diff := cmp.Diff(want, value[string](e, status)); diff != "" {
			t.Error(diff)
		}
		e.say("client_closed", 12, 1000, "bye")
		e.say("client_closed", 3, 1006, "")
		e.eventually(`not require("claudecode").is_claude_connected()`)
		if n := value[int](e, `return _G.claudecode_clients_created`); n != 12 {
			t.Errorf("%d clients created", n)
		}
		e.lua(nil, `require("claudecode").stop()`)
		if got := value[string](e, status); got != stopped {
			t.Error(got)
		}
	})
}

func TestServer_SendsOnlyToClientsThatAreThere(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		send := func(code string) bool {
			return value[bool](e, `local server = require("claudecode.server") return server.`+code)
		}
		if send(`broadcast("m", {})`) || send(`send("client_1", "m", {})`) {
			t.Error("sent without a server")
		}
		e.start()
		if send(`broadcast("m", {})`) || send(`send("client_1", "m", {})`) {
			t.Error("sent without a client")
		}
		e.say("client_opened", 1)
		e.eventually(`require("claudecode").is_claude_connected()`)
		for _, client := range []string{`"client_1"`, `1`, `{ id = "client_1" }`, `server.get_status().clients[1]`} {
			if !send(`send(` + client + `, "m", { a = 1 })`) {
				t.Errorf("not sent to %s", client)
			}
		}
		want := map[string]any{"client": 1.0, "method": "m", "params": `{"a":1}`}
		if diff := cmp.Diff(want, e.awaitTold("send", 4)); diff != "" {
			t.Error(diff)
		}
		for _, client := range []string{`"client_2"`, `2`, `"x"`, `nil`, `{}`} {
			if send(`send(` + client + `, "m", {})`) {
				t.Errorf("sent to %s", client)
			}
		}
		if !send(`broadcast("b")`) {
			t.Error("not broadcast")
		}
		if got := e.awaitTold("broadcast", 1); got["method"] != "b" || got["params"] != "{}" {
			t.Errorf("broadcast %v", got)
		}
		err := e.ExecLua(`require("claudecode.server").broadcast("b", { f = print })`, nil)
		if err == nil || !strings.Contains(err.Error(), "params.f: a function has no JSON form") {
			t.Errorf("a function as a parameter: %v", err)
		}
	})
}

func TestBroadcast_ReportsWhatWasWritten(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		e.say("client_opened", 1)
		e.eventually(`require("claudecode").is_claude_connected()`)
		e.lua(nil, `
			counts = {}
			for i = 1, 2 do
				require("claudecode.server").broadcast("m", nil, function(n)
					table.insert(counts, { i, n })
				end)
			end
		`)
		first, second := e.awaitTold("broadcast", 1)["id"], e.awaitTold("broadcast", 2)["id"]
		e.say("written", second, 1)
		e.say("written", first, 0)
		e.say("written", first, 5)
		e.say("written", 77, 5)
		e.eventually(`#counts == 2`)
		if got := value[string](e, `return vim.json.encode(counts)`); got != "[[2,1],[1,0]]" {
			t.Error(got)
		}
	})
}

func TestBroadcast_ForgetsTheOldestBeyondItsBound(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		e.say("client_opened", 1)
		e.eventually(`require("claudecode").is_claude_connected()`)
		got := value[[]int](e, `
			local told = {}
			for i = 1, 258 do
				require("claudecode.server").broadcast("m", nil, function(n)
					table.insert(told, i)
				end)
			end
			return told
		`)
		if diff := cmp.Diff([]int{1, 2}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCall_AnswersTheDaemon(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		e.lua(nil, `
			later = {}
			local function register(name, execute)
				require("mcp-tools").register({ name = name, description = "d", execute = execute })
			end
			register("echo", function(cb, args, ctx) cb({ args = args, client = ctx.client }) end)
			register("nothing", function(cb) cb() end)
			register("function", function(cb) cb({ f = print }) end)
			register("fails", function(cb) cb(nil, { code = -7, message = "m", data = { 1 } }) end)
			register("odd", function(cb) cb(nil, { code = "x", message = "m", data = print }) end)
			register("number", function(cb) cb(nil, 5) end)
			register("later", function(cb, _, ctx)
				later.cb, later.ctx = cb, ctx
				ctx.progress(1, 2, "half")
			end)
		`)
		call := func(name, arguments string) map[string]any {
			return value[map[string]any](e, `return require("claudecode.rpc").handle("call", 7, ...)`,
				name, arguments, map[string]any{"client": "client_2"})
		}
		object := func(pairs ...any) map[string]any {
			m := map[string]any{"done": true}
			for i := 0; i < len(pairs); i += 2 {
				m[pairs[i].(string)] = pairs[i+1]
			}
			return m
		}
		rows := []struct {
			name, arguments string
			want            map[string]any
		}{
			{"echo", `{"a":null,"b":{"c":null,"d":[]}}`, object("result", map[string]any{
				"args": map[string]any{"b": map[string]any{"d": []any{}}}, "client": "client_2"})},
			{"echo", `[]`, object("result", map[string]any{"args": []any{}, "client": "client_2"})},
			{"echo", `{`, object("error", map[string]any{
				"code": int64(-32602), "message": "Invalid params", "data": "arguments must be an object"})},
			{"nothing", `{}`, object("result", nil)},
			{"function", `{}`, object("error", "result.f: a function has no JSON form")},
			{"fails", `{}`, object("error", map[string]any{"code": int64(-7), "message": "m", "data": []any{int64(1)}})},
			{"number", `{}`, object("error", "5")},
			{"unknown", `{}`, object("error", "Unknown tool: unknown")},
		}
		for _, row := range rows {
			if diff := cmp.Diff(row.want, call(row.name, row.arguments)); diff != "" {
				t.Errorf("%s %s: %s", row.name, row.arguments, diff)
			}
		}
		odd := call("odd", "{}")["error"].(map[string]any)
		if odd["code"] != int64(-32000) || !strings.HasPrefix(odd["data"].(string), "<function") {
			t.Errorf("odd: %v", odd)
		}
		if answer := call("later", "{}"); answer["pending"] != true || answer["task_id"] == "" {
			t.Errorf("later: %v", answer)
		}
		want := map[string]any{"token": 7.0, "progress": 1.0, "total": 2.0, "message": "half"}
		if diff := cmp.Diff(want, e.awaitTold("tool_progress", 1)); diff != "" {
			t.Error(diff)
		}
		e.lua(nil, `later.cb({ cb = later.cb })`)
		want = map[string]any{"token": 7.0, "error": "result.cb: a function has no JSON form"}
		if diff := cmp.Diff(want, e.awaitTold("tool_done", 1)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCancel_ReachesTheTool(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		e.lua(nil, `
			require("mcp-tools").register({ name = "w", description = "d", execute = function(cb, _, ctx)
				later = { cb = cb, ctx = ctx }
			end })
			require("claudecode.rpc").handle("call", 7, "w", "{}", {})
			one = later
			require("claudecode.rpc").handle("call", 8, "w", "{}", {})
		`)
		e.say("cancel", 7)
		e.say("cancel", 99)
		e.eventually(`one.ctx.cancelled()`)
		e.lua(nil, `one.cb("dropped") later.cb("kept")`)
		want := map[string]any{"token": 8.0, "result": "kept"}
		if diff := cmp.Diff(want, e.awaitTold("tool_done", 1)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCalls_AreCancelledWhenTheDaemonIsGone(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		e.lua(nil, `
			require("mcp-tools").register({ name = "w", description = "d", execute = function(_, _, ctx)
				context = ctx
			end })
			require("claudecode.rpc").handle("call", 7, "w", "{}", {})
			require("claudecode.daemon").notify("die")
		`)
		e.eventually(`context.cancelled() and require("mcp-tools.registry").pending_count() == 0`)
	})
}

func TestHandle_RefusesAnUnknownMessage(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		err := e.ExecLua(`require("claudecode.rpc").handle("nonsense")`, nil)
		if err == nil || !strings.Contains(err.Error(), `unknown message "nonsense"`) {
			t.Error(err)
		}
	})
}

func TestHandle_ShowsTheDaemonsLines(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `require("claudecode.rpc").handle("log", "warn", "take care")`)
		want := []string{"[ClaudeCode] [daemon] [WARN] take care"}
		if diff := cmp.Diff(want, e.notices(1)); diff != "" {
			t.Error(diff)
		}
	})
}
