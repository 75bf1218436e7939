// Copyright (c) 2026 the claudecoded authors. MIT license.

package mention

import (
	"fmt"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMention_IsSentInOrderAndAnnounced(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		var want []sent
		for i := range 5 {
			path := e.Write(fmt.Sprintf("f%d.txt", i), "x\n")
			want = append(want, sent{path, i, i + 1})
			e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path, i, i+1, "a test")
		}
		expect(t, client, want...)
		nvimtest.Eventually(t, "each is announced", func() bool {
			var n int
			e.Lua(&n, "return #completed")
			return n == len(want)
		})
		var first map[string]any
		e.Lua(&first, "return completed[1]")
		if got := fmt.Sprint(first); got != fmt.Sprint(map[string]any{
			"file_path": want[0].path, "start_line": 0, "end_line": 1, "context": "a test",
		}) {
			t.Errorf("the event's data are %s", got)
		}
	})
}

func TestMention_WaitsForAClientAndIsSentOnce(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		path := e.Write("a b.txt", "x\n")
		e.Command("ClaudeCodeStart")
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path)
		client := connect(t, stage.Find(t, e.Env))
		expect(t, client, sent{path, -1, -1})
		other := connect(t, stage.Find(t, e.Env))
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path, 3)
		expect(t, other, sent{path, 3, 3})
		expect(t, client, sent{path, -1, -1}, sent{path, 3, 3})
	})
}

// A client drops what comes while it is being set up.
func TestMention_IsNotSentBeforeTheClientCanTakeIt(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, map[string]any{"connection_wait_delay": 3_600_000})
		client := serve(t, e)
		path := e.Write("a.txt", "x\n")
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path)
		e.Lua(nil, `vim.wait(200)`)
		if got := client.list(); len(got) != 0 {
			t.Fatalf("the client was sent %v", got)
		}
		e.Lua(nil, `
			require("claudecode").state.config.connection_wait_delay = 1
			require("claudecode").process_mention_queue()
		`)
		expect(t, client, sent{path, -1, -1})
	})
}

func TestMention_IsGivenUpWithAMessage(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, map[string]any{"connection_timeout": 1})
		path := e.Write("a.txt", "x\n")
		e.Command("ClaudeCodeStart")
		for range 2 { // the clock starts anew for each that waits
			e.Command("messages clear")
			e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path)
			says(t, e, "Connection timeout - clearing 1 queued @ mentions")
		}
		client := connect(t, stage.Find(t, e.Env))
		other := e.Write("b.txt", "x\n")
		nvimtest.Eventually(t, "Neovim knows the client", func() (connected bool) {
			e.Lua(&connected, `return require("claudecode").is_claude_connected()`)
			return connected
		})
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, other)
		expect(t, client, sent{other, -1, -1})
	})
}

func TestMention_ThatIsTooOldIsDroppedWithAMessage(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, map[string]any{"queue_timeout": 1})
		client := serve(t, e)
		path, other := e.Write("old.txt", "x\n"), e.Write("new.txt", "x\n")
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path)
		says(t, e, "not sent: "+path)
		e.Lua(nil, `
			require("claudecode").state.config.queue_timeout = 60000
			assert(require("claudecode").send_at_mention(...))
		`, other)
		expect(t, client, sent{other, -1, -1})
	})
}

// What was on its way to a client that left is sent to the next one.
func TestMention_IsSentAgainIfNobodyGotIt(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		path := e.Write("a.txt", "x\n")
		e.Lua(nil, `
			local server = require("claudecode.server")
			local broadcast = server.broadcast
			server.broadcast = function(method, params, on_written)
				server.broadcast = broadcast
				vim.schedule(function() on_written(0) end)
				return true
			end
			assert(require("claudecode").send_at_mention(...))
		`, path)
		expect(t, client, sent{path, -1, -1})
		var n int
		e.Lua(&n, "return #completed")
		nvimtest.Eventually(t, "it is announced", func() bool {
			e.Lua(&n, "return #completed")
			return n == 1
		})
	})
}

func TestMention_OfAServerThatStopsIsReported(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		path := e.Write("a.txt", "x\n")
		e.Command("ClaudeCodeStart")
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path)
		e.Command("ClaudeCodeStop")
		says(t, e, "1 @ mentions were not sent")
		var left int
		e.Lua(&left, `return #require("claudecode").state.mention_queue`)
		if left != 0 {
			t.Errorf("%d mentions are left", left)
		}
	})
}

func TestMention_IsRefusedWithAReason(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		path := e.Write("a.txt", "x\n")
		refused := func(want string, arguments ...any) {
			t.Helper()
			var answer []any
			e.Lua(&answer, "return { require('claudecode').send_at_mention(...) }", arguments...)
			if len(answer) != 2 || answer[0] != false || answer[1] != want {
				t.Errorf("the answer is %v, not %q", answer, want)
			}
		}
		refused("Claude Code integration is not running", path)
		e.Command("ClaudeCodeStart")
		refused("path does not exist: /no/such/file", "/no/such/file")
		refused("path must be a non-empty string", "")
		refused("path must be a non-empty string", 7)
		e.Lua(nil, `
			for _ = 1, require("claudecode.mention.queue").max_queued do
				assert(require("claudecode").send_at_mention(...))
			end
		`, path)
		refused("256 @ mentions wait for Claude already", path)
	})
}

// Claude may run in another folder than Neovim.
func TestMention_NamesTheWholePath(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		path := e.Write("$a [b] %#~.txt", "x\n")
		e.Lua(nil, `
			vim.fn.mkdir("sub dir")
			assert(require("claudecode").send_at_mention("$a [b] %#~.txt", 1, 2))
			assert(require("claudecode").send_at_mention("sub dir", 1, 2))
			vim.cmd.cd("sub dir")
			assert(require("claudecode").send_at_mention("../$a [b] %#~.txt"))
		`)
		expect(t, client, sent{path, 1, 2}, sent{e.Project + "/sub dir/", -1, -1}, sent{path, -1, -1})
	})
}

func TestMention_LeavesAtOnceWithoutDebouncing(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		path := e.Write("a.txt", "x\n")
		nvimtest.Eventually(t, "the client can be told", func() (ready bool) {
			e.Lua(&ready, `
				local client = require("claudecode.server").get_status().clients[1]
				return vim.uv.now() > client.connected_at + 1
			`)
			return ready
		})
		for at_once, wanted := range map[bool]bool{false: false, true: true} {
			var left bool
			e.Lua(&left, `
				local path, at_once = ...
				local claudecode, server = require("claudecode"), require("claudecode.server")
				claudecode.state.config.disable_broadcast_debouncing = at_once
				local broadcast, left = server.broadcast, false
				server.broadcast = function(...)
					left = true
					return broadcast(...)
				end
				assert(claudecode.send_at_mention(path))
				local told = left
				vim.wait(5000, function() return #claudecode.state.mention_queue == 0 end, 1)
				server.broadcast = broadcast
				return told
			`, path, at_once)
			if left != wanted {
				t.Errorf("disable_broadcast_debouncing = %v: it left at once: %v", at_once, left)
			}
		}
		expect(t, client, sent{path, -1, -1}, sent{path, -1, -1})
	})
}
