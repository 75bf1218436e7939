// Copyright (c) 2026 the claudecoded authors. MIT license.

package facade_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestRegister_TellsEveryClientThatTheListChanged(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		e.Command("ClaudeCodeStart")
		lock := stage.Find(t, e.Env)
		var clients []*claude.Client
		told := make([]chan string, 2)
		for i := range told {
			told[i] = make(chan string, 16)
			client, err := claude.Dial(stage.Within(t), lock.Port, lock.AuthToken, claude.Options{
				Notification: func(method string, _ json.RawMessage) { told[i] <- method },
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			if _, _, err := client.Start(stage.Within(t)); err != nil {
				t.Fatal(err)
			}
			clients = append(clients, client)
		}
		for _, step := range []struct {
			code string
			want bool
		}{
			{`require("mcp-tools").register({ name = "t", description = "d", ide = true, execute = function() end })`, true},
			{`require("mcp-tools").unregister("t")`, false},
			{`require("claudecode.tools").register("t", { type = "object", description = "d" }, function() end)`, true},
		} {
			e.Lua(nil, step.code)
			for i, client := range clients {
				select {
				case method := <-told[i]:
					if method != "notifications/tools/list_changed" {
						t.Errorf("%s: told %s", step.code, method)
					}
				case <-stage.Within(t).Done():
					t.Fatalf("%s: client %d was not told", step.code, i)
				}
				tools, err := client.Tools(stage.Within(t))
				if err != nil {
					t.Fatal(err)
				}
				if listed := slices.ContainsFunc(tools, func(tool claude.Tool) bool { return tool.Name == "t" }); listed != step.want {
					t.Errorf("%s: listed %v", step.code, listed)
				}
			}
		}
	})
}

func TestRegister_ListsWhatIsNoUTF8Repaired(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, `
			require("mcp-tools").register({ name = "t", description = "a\255b", ide = true, execute = function() end,
				args = { x = { type = "string", description = "c\255d", enum = { "e\255f" } } } })
		`)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		want := `{"description":"a�b","inputSchema":{"properties":{"x":{"description":"c�d","enum":["e�f"],"type":"string"}},"type":"object"},"name":"t"}`
		if list := p.read(); !strings.Contains(list, want) {
			t.Errorf("%.600s", list)
		}
	})
}

// originals are handlers, and what claudecode.tools makes of them.
var originals = []struct{ code, want string }{
	{`return { content = { { type = "text", text = "x" } } }`, `"result":{"content":[{"type":"text","text":"x"}]}}`},
	{`return { ok = 1 }`, text(`{"ok":1}`)},
	{`return "x"`, text("x")},
	{`return false, "bad"`, failure("bad")},
	{`return false, { code = -1, message = "m" }`, `"error":{"code":-1,"message":"m"}}`},
	{`return false`, `"error":{"code":-32000,"message":"Tool failed"}}`},
	{`return`, nothing},
	{`error({ code = -2, message = "m", data = "d" })`, `"error":{"code":-2,"message":"m","data":"d"}}`},
	{`error("bad", 0)`, failure("bad")},
}

func TestTools_HandlersAnswerTheSameOverTheSocketAndThroughLua(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, `
			require("claudecode.tools").register("t", nil, function(args) return handler(args) end)
		`)
		for _, o := range originals {
			p.Lua(nil, `handler = assert(loadstring(...))`, o.code)
			for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
				give(call("7"))
				if got, want := p.read(), spelled(t, begin+o.want); got != want {
					t.Errorf("%s, %s:\n got %s\nwant %s", o.code, way, got, want)
				}
			}
		}
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if list := p.read(); strings.Contains(list, `"name":"t"`) || !strings.Contains(list, `"name":"openFile"`) {
			t.Errorf("a tool without a schema is listed, or no tool: %.300s", list)
		}
	})
}

func TestLogs_OfToolCallsNameKeysAndSizesOnly(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		file := filepath.Join(nvimtest.Lookup(env, "HOME"), "daemon.log")
		e := stage.Open(t, stage.Options{Nvim: nvim, Env: env, Setup: map[string]any{
			"log_level": "debug", "daemon": map[string]any{"log_file": file},
		}})
		e.Lua(nil, scripted+`body = "cb({ content = { { type = 'text', text = 'TREASURE' } } })"`)
		_, client := e.Serve()
		arguments := map[string]any{"path": "TREASURE", "list": []int{1, 2}, "n": 5}
		if _, err := client.Call(stage.Within(t), "t", arguments); err != nil {
			t.Fatal(err)
		}
		e.Lua(nil, `
			local server = require("claudecode.server")
			server.state.handlers["tools/call"]("client_1", { name = "t", arguments = { path = "TREASURE", list = { 1, 2 }, n = 5 } })
			body = "error({ code = -5, message = 'm', data = 'TREASURE' })"
			server.state.handlers["tools/call"]("client_1", { name = "t" })
		`)
		inLua := value[string](e, `return table.concat(require("claudecode.log").recent(), "\n")`)
		for _, want := range []string{
			"tools/call t arguments list:2 entries n:number path:8B",
			"tools/call t result content:1 entries",
			"tools/call t failed: -5, 1 bytes",
		} {
			if !strings.Contains(inLua, want) {
				t.Errorf("%q is not among\n%s", want, inLua)
			}
		}
		var inGo string
		for _, want := range []string{"tools/call done", "tool=t", "path:8B", "list:2 entries", "content:1 entries"} {
			nvimtest.Eventually(t, "the daemon logged "+want, func() bool {
				text, _ := os.ReadFile(file)
				inGo = string(text)
				return strings.Contains(inGo, want)
			})
		}
		for _, log := range []string{inLua, inGo, e.Messages()} {
			if strings.Contains(log, "TREASURE") {
				t.Error(log)
			}
		}
	})
}

func TestBridge_IsTheOneServer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := &peer{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
		p.Lua(nil, `
			heard, notified = {}, {}
			vim.notify = function(text) table.insert(notified, text) end
			mcp = require("mcp-tools")
			mcp.setup({
				tools = { lsp = true },
				on_ready = function(port) table.insert(heard, port) end,
				on_stop = function() table.insert(heard, "stopped") end,
			})
			before = { mcp.is_running(), mcp.get_port() == nil }
			mcp.start()
			before[3], before[4] = mcp.is_running(), mcp.get_port() == nil
		`)
		p.eventually(`#heard == 1`)
		got := inspect(p.Editor, `
			mcp.start()
			local port = mcp.get_port()
			vim.wait(10000, function() return #notified > 0 end, 1)
			local running = { port == heard[1], port == require("claudecode.server").state.port,
				#require("mcp-tools.bridge").get_auth_token(), notified[#notified] == "[mcp-tools] Bridge already running on port " .. port }
			mcp.stop()
			mcp.stop()
			return { before, running, { mcp.is_running(), mcp.get_port() == nil }, heard[2], #heard }
		`)
		if want := `{ { false, true, true, true }, { true, true, 32, true }, { false, true }, "stopped", 2 }`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		taken, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = taken.Close() }()
		port := taken.Addr().(*net.TCPAddr).Port
		got = value[string](p.Editor, `
			mcp.start({ port = ... })
			assert(vim.wait(60000, function() return heard[3] == "stopped" and #notified > 1 end, 1))
			return notified[#notified]
		`, port)
		if want := fmt.Sprintf("[mcp-tools] No free port in %d-%d (EADDRINUSE)", port, port); got != want {
			t.Error(got)
		}
	})
}
