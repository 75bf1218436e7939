// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"fmt"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// reads waits until the word is the one that is wanted.
func (d *desk) reads(want string) {
	d.t.Helper()
	d.eventually("the status line says "+want, fmt.Sprintf(`require("claudecode").statusline() == %q`, want))
}

func TestStatusline_FollowsWhatClaudeDoes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim})
		if got := value[string](d, `require("claudecode").statusline()`); got != "" {
			t.Errorf("before it runs: %q", got)
		}
		d.Lua(nil, `require("mcp-tools").register({
			name = "hold", description = "Wait", ide = true,
			execute = function(cb, _, ctx) held = cb; ctx.on_cancel(function() held = nil end) end,
		})`)
		d.Command("ClaudeCodeStart")
		d.reads("disconnected")
		d.lock = stage.Find(t, d.Env)
		d.client = stage.Connect(t, d.lock)
		d.reads("connected")
		d.begin("hold", nil)
		d.reads("1 call")
		d.begin("hold", nil)
		d.reads("2 calls")
		d.begin("openDiff", d.diff("a.txt"))
		d.reads("waiting for your review")
		d.begin("openDiff", d.diff("b.txt"))
		d.reads("waiting for your review (2)")
		d.call("close_tab", map[string]any{"tab_name": "✻ a.txt"})
		d.reads("waiting for your review")
		d.Command("ClaudeCodeCloseAllDiffs")
		d.reads("2 calls")
		d.Lua(nil, `held({})`)
		d.reads("1 call")
		_ = d.client.Close()
		d.reads("disconnected")
		d.client = stage.Connect(t, d.lock)
		d.reads("connected")
		d.Command("ClaudeCodeStop")
		d.reads("")
	})
}

// What a status line costs is counted by how often it is drawn.
func TestStatusline_IsDrawnOnlyWhenItBecameAnother(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim, UI: true})
		// Until it is shown, nothing is drawn for it.
		d.Lua(nil, `
			require("mcp-tools").register({
				name = "later", description = "Answer a moment later", ide = true,
				execute = function(cb) vim.defer_fn(function() cb({}) end, 5) end,
			})
			redrawn = 0
			local cmd = vim.cmd
			vim.cmd = setmetatable({}, {
				__index = cmd,
				__call = function(_, command)
					redrawn = redrawn + (command == "redrawstatus!" and 1 or 0)
					return cmd(command)
				end,
			})`)
		d.eventually("it is up to date", `require("claudecode.activity").text == "connected"`)
		d.begin("openDiff", d.diff("a.txt"))
		d.eventually("it changed", `require("claudecode.activity").text == "waiting for your review"`)
		d.eventually("the diff is shown", `#vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_list_wins()) == 2`)
		if n := value[int](d, "redrawn"); n != 0 {
			t.Errorf("%d times for nobody", n)
		}
		d.Lua(nil, `
			drawn = 0
			function _G.line() drawn = drawn + 1 return require("claudecode").statusline() end
			vim.o.laststatus = 2
			vim.o.statusline = "%{v:lua.line()}"`)
		d.eventually("it is drawn", `drawn > 0`)
		d.Lua(nil, `vim.cmd.redraw() drawn = 0`)
		for range 10 {
			d.call("getWorkspaceFolders", nil)
			d.call("later", nil) // the review is still what matters
		}
		d.Lua(nil, `vim.wait(50)`)
		if drawn, n := value[int](d, "drawn"), value[int](d, "redrawn"); drawn != 0 || n != 0 {
			t.Errorf("drawn %d times, %d asked for", drawn, n)
		}
		_ = d.client.Close()
		d.eventually("it is drawn again", `drawn > 0 and redrawn > 0`)
		d.reads("disconnected")
		// The end of the call may be told a moment before that of the client.
		if n := value[int](d, "redrawn"); n > 2 {
			t.Errorf("drawn for %d words", n)
		}
		nvimtest.Eventually(t, "the screen shows it", func() bool {
			return value[bool](d, `vim.api.nvim_eval_statusline(vim.o.statusline, {}).str == "disconnected"`)
		})
	})
}

func TestStatusline_LoadsNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim})
		if value[bool](d, `require("claudecode").statusline() ~= "" or package.loaded["claudecode.activity"] ~= nil`) {
			t.Error("it loaded the server")
		}
	})
}
