// Copyright (c) 2026 the claudecoded authors. MIT license.

package mention

import (
	"fmt"
	"strings"
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
		e := open(t, nvim, map[string]any{"connection_timeout": 60000, "queue_timeout": 60000})
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
		e := still(t, nvim, map[string]any{"connection_wait_delay": 700})
		client := serve(t, e)
		path := e.Write("a.txt", "x\n")
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path)
		e.Advance(699)
		leaves(t, e, 0)
		e.Advance(1)
		leaves(t, e, 1)
		expect(t, client, sent{path, -1, -1})
		other := connect(t, stage.Find(t, e.Env)) // for which the others wait too
		e.Lua(nil, `
			vim.wait(15000, function() return require("claudecode.server").get_status().client_count == 2 end, 5)
			assert(require("claudecode").send_at_mention(...))
		`, path)
		e.Advance(699)
		leaves(t, e, 1)
		e.Advance(1)
		expect(t, other, sent{path, -1, -1})
		expect(t, client, sent{path, -1, -1}, sent{path, -1, -1})
	})
}

func TestMention_IsGivenUpWithAMessage(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := still(t, nvim, nil)
		e.Command("ClaudeCodeStart")
		mention := func(names ...string) {
			for _, name := range names {
				e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, e.Write(name, "x\n"))
				e.Advance(100)
			}
		}
		e.Lua(nil, `vim.fn.mkdir("folder")`)
		for _, round := range []struct { // the time starts anew for each that waits
			names []string
			told  string
		}{
			{[]string{"a.txt"}, "a.txt"},
			{[]string{"a.txt", "b.txt", "c.txt", "d.txt", "e.txt"}, "a.txt, b.txt, c.txt and 2 more"},
		} {
			e.Command("messages clear")
			mention(round.names...)
			e.Advance(9999 - 100*len(round.names))
			if said := e.Messages(); strings.Contains(said, "No Claude") {
				t.Errorf("too early: %s", said)
			}
			e.Advance(1)
			says(t, e, "No Claude connected within 10 s, so it was not told of "+round.told+": start it and send that again")
		}
		e.Lua(nil, `assert(require("claudecode").send_at_mention("folder"))`)
		e.Advance(10_000)
		says(t, e, "not told of folder: ")
		client := connect(t, stage.Find(t, e.Env))
		nvimtest.Eventually(t, "Neovim knows the client", func() (connected bool) {
			e.Lua(&connected, `return require("claudecode").is_claude_connected()`)
			return connected
		})
		mention("b.txt")
		e.Advance(1000)
		expect(t, client, sent{e.Write("b.txt", "x\n"), -1, -1})
	})
}

func TestMention_ThatIsTooOldIsDroppedWithAMessage(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := still(t, nvim, nil)
		client := serve(t, e)
		var old []string
		for _, name := range []string{"old.txt", "older.txt"} {
			old = append(old, e.Write(name, "x\n"))
		}
		path := e.Write("new.txt", "x\n")
		e.Lua(nil, `
			for _, path in ipairs({ ... }) do
				assert(require("claudecode").send_at_mention(path))
			end
			time = time + 5000 -- the editor was busy
		`, old[0])
		e.Advance(0)
		expect(t, client, sent{old[0], -1, -1})
		written(t, e, 1)
		e.Lua(nil, `
			for _, path in ipairs({ ... }) do
				assert(require("claudecode").send_at_mention(path))
			end
			time = time + 5001
		`, old[0], old[1])
		e.Advance(0)
		says(t, e, "Claude could not be told in time of old.txt, older.txt: send that again")
		e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path)
		e.Advance(50)
		expect(t, client, sent{old[0], -1, -1}, sent{path, -1, -1})
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
		says(t, e, "The server stops before Claude was told of a.txt")
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

func TestMention_LeavesTogether50msAfterTheLast(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := still(t, nvim, nil)
		client := serve(t, e)
		e.Advance(1000)
		path := e.Write("a.txt", "x\n")
		mention := func() { e.Lua(nil, `assert(require("claudecode").send_at_mention(...))`, path) }
		mention()
		e.Advance(49)
		mention()
		e.Advance(49)
		leaves(t, e, 0)
		e.Advance(1)
		leaves(t, e, 1)
		expect(t, client, sent{path, -1, -1})
		written(t, e, 1)
		e.Advance(24) // between two, for Claude types each
		leaves(t, e, 1)
		e.Advance(1)
		leaves(t, e, 2)
		written(t, e, 2)
		e.Lua(nil, `require("claudecode").state.config.disable_broadcast_debouncing = true`)
		mention()
		leaves(t, e, 3)
		expect(t, client, sent{path, -1, -1}, sent{path, -1, -1}, sent{path, -1, -1})
	})
}
