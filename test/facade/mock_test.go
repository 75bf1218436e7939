// Copyright (c) 2026 the claudecoded authors. MIT license.

package facade_test

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
	"claudecoded/test/wire"
)

// mocked are pieces of Lua code with a fresh mock, and what they return.
var mocked = []struct{ name, code, want string }{
	{"the port is the lowest", `return { mock.find_available_port(7000, 8000), mock.start({ port_range = { min = 7000, max = 8000 } }) }`,
		`{ 7000, true, 7000 }`},
	{"the state of a server", `mock.start(config)
		return { mock.state.port, mock.state.server ~= nil, mock.state.clients, mock.state.messages, vim.tbl_count(mock.state.handlers) }`,
		`{ 10000, true, {}, {}, 2 }`},
	{"a second start", `mock.start(config) return { mock.start(config) }`, `{ false, "Server already running" }`},
	{"stop", `mock.start(config) mock.add_client("c") return { mock.stop(), mock.state.server == nil, mock.state.clients, { mock.stop() } }`,
		`{ true, true, {}, { false, "Server not running" } }`},
	{"a client without a server", `return pcall(mock.add_client, "c")`, `false`},
	{"clients come and go", `mock.start(config)
		local client = mock.add_client("c")
		return { client, mock.state.clients.c == client, mock.remove_client("c"), client.connected, mock.remove_client("c") }`,
		`{ { connected = false, id = "c", messages = {} }, true, true, false, false }`},
	{"send", `mock.start(config) local c = mock.add_client("c")
		return { mock.send("c", "m", { a = 1 }), mock.send(c, "m"), mock.send("d", "m"), c.messages, #mock.state.messages }`,
		`{ true, true, false, { { jsonrpc = "2.0", method = "m", params = { a = 1 } }, ` +
			`{ jsonrpc = "2.0", method = "m", params = vim.empty_dict() } }, 2 }`},
	{"send_response", `mock.start(config) local c = mock.add_client("c")
		return { mock.send_response(c, 1, { a = 1 }), mock.send_response("c", nil, nil, { code = -1, message = "m" }), mock.send_response("d", 1, 1), c.messages }`,
		`{ true, true, false, { { id = 1, jsonrpc = "2.0", result = { a = 1 } }, ` +
			`{ error = { code = -1, message = "m" }, id = vim.NIL, jsonrpc = "2.0" } } }`},
	{"broadcast", `mock.start(config)
		local nobody = mock.broadcast("m")
		local a, b = mock.add_client("a"), mock.add_client("b")
		return { nobody, mock.broadcast("m", { 1 }), #a.messages, #b.messages }`, `{ false, true, 1, 1 }`},
	{"connect", `mock.start(config) local c = mock.add_client("c")
		return { mock.simulate_message("c", { id = 1, method = "mcp.connect" }), c.messages[1].id, c.messages[1].result ~= nil }`, `{ true, 1, true }`},
	{"a message of nobody", `mock.start(config) return mock.simulate_message("c", { id = 1, method = "mcp.connect" })`, `false`},
	{"an unknown method", `mock.start(config) local c = mock.add_client("c") mock.simulate_message("c", { id = 1, method = "x" }) return c.messages[1].error`,
		`{ code = -32601, message = "Method not found" }`},
	{"a notification", `mock.start(config) local c = mock.add_client("c") mock.simulate_message("c", { method = "mcp.connect" }) return #c.messages`, `0`},
	{"a handler that raises", `mock.start(config) local c = mock.add_client("c")
		mock.state.handlers.x = function() error("bad", 0) end
		mock.simulate_message("c", { id = 1, method = "x" })
		return c.messages[1].error`, `{ code = -32603, data = "bad", message = "Internal error" }`},
	{"each message is kept, until it is cleared", `mock.start(config) local c = mock.add_client("c")
		mock.simulate_message("c", { id = 1, method = "mcp.connect" })
		local directions = { mock.state.messages[1].direction, mock.state.messages[2].direction, mock.state.messages[2].client }
		mock.clear_messages()
		return { directions, mock.state.messages, c.messages }`, `{ { "inbound", "outbound", "c" }, {}, {} }`},
	{"an unknown tool", `mock.start(config) local c = mock.add_client("c")
		mock.simulate_message("c", { id = 1, method = "mcp.tool.invoke", params = { name = "nope" } })
		return c.messages[1].error`, `{ code = -32601, message = "Tool not found: nope" }`},
	{"tools are the real ones", `mock.start(config) local c = mock.add_client("c")
		require("claudecode.tools").setup()
		vim.fn.writefile({ "one", "two" }, "mocked.txt")
		local path = vim.fs.joinpath(vim.uv.cwd(), "mocked.txt")
		mock.simulate_message("c", { id = 1, method = "mcp.tool.invoke", params = { name = "openFile", arguments = { filePath = path } } })
		return { c.messages[1].error or "no error", vim.api.nvim_buf_get_lines(vim.fn.bufnr(path), 0, -1, false) }`,
		`{ "no error", { "one", "two" } }`},
	{"a tool that answers later", `mock.start(config) local c = mock.add_client("c")
		require("claudecode.tools").register("late", nil, function() co = coroutine.running() return coroutine.yield() end, true)
		mock.simulate_message("c", { id = 4, method = "mcp.tool.invoke", params = { name = "late" } })
		local first = #c.messages
		coroutine.resume(co, { content = { 1 } })
		return { first, c.messages }`, `{ 0, { { id = 4, jsonrpc = "2.0", result = { content = { 1 } } } } }`},
	{"a call ends with its client", `mock.start(config) local c = mock.add_client("c")
		require("claudecode.tools").register("late", nil, function() co = coroutine.running() return coroutine.yield() end, true)
		mock.simulate_message("c", { id = 4, method = "mcp.tool.invoke", params = { name = "late" } })
		mock.remove_client("c")
		return { _G.claude_deferred_responses, require("mcp-tools.registry").pending_count() }`, `{ {}, 0 }`},
}

func TestMock_StandsInForTheServer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		for _, m := range mocked {
			got := inspect(e, `
				package.loaded["claudecode.server.mock"] = nil
				local mock = require("claudecode.server.mock")
				local config = { port_range = { min = 10000, max = 65535 } }
			`+m.code)
			if got != m.want {
				t.Errorf("%s:\n got %s\nwant %s", m.name, got, m.want)
			}
		}
	})
}

func TestMock_OpensNoSocket(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		port := value[int](e, `
			local _, port = require("claudecode.server.mock").start({ port_range = { min = ..., max = 65535 } })
			return port
		`, wire.FreePorts(t, 1))
		if stage.Listening(port) {
			t.Errorf("something listens on %d", port)
		}
		if got := value[bool](e, `return require("claudecode.daemon").current() == nil`); !got {
			t.Error("a daemon was started")
		}
	})
}
