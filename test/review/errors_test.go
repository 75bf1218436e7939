// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// TestDiff_ThatCannotOpenLeavesNothingBehind has autocommands of the user's throw, each the first
// or the second time it is triggered.
func TestDiff_ThatCannotOpenLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	events := []string{"BufReadPre", "BufReadPost", "FileType", "BufWinEnter", "WinNew"}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, layout := range []string{"vertical", "horizontal", "unified"} {
			for _, tab := range []bool{false, true} {
				e := open(t, nvim, map[string]any{"layout": layout, "open_in_new_tab": tab})
				e.write("code.lua", "return 1\n")
				e.Lua(nil, `before = { vim.fn.winlayout(), vim.fn.winsaveview(), #vim.api.nvim_list_bufs(), vim.fn.winrestcmd() }`)
				for _, event := range events {
					for _, at := range []int{1, 2} {
						e.Lua(nil, `
							local event, at = ...
							answers, events = {}, {}
							local count = 0
							thrower = vim.api.nvim_create_autocmd(event, { callback = function()
								count = count + 1
								if count == at then
									error("thrown by " .. event)
								end
							end })
						`, event, at)
						e.ask("a", "code.lua", "return 2\n")
						e.until(event+" is over", `#answers.a > 0 or #events > 0`)
						if e.value(`#answers.a`) == "0" {
							// It was not triggered so often.
							e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
						} else if got := e.value(`answers.a[1]`); got != `{ -32000, "Diff setup failed", "Failed to setup diff operation: thrown by `+event+`" }` {
							t.Errorf("%s %s: answered %s", layout, event, got)
						} else if at == 1 && e.value(`#events`) != "0" {
							t.Errorf("%s %s: events %s", layout, event, e.value(`events`))
						}
						e.Lua(nil, `vim.api.nvim_del_autocmd(thrower)`)
						e.expectSoon(`shape()`, alone)
						e.expect(`vim.deep_equal(before, { vim.fn.winlayout(), vim.fn.winsaveview(), #vim.api.nvim_list_bufs(), vim.fn.winrestcmd() })`, "true")
						e.expect(`select(2, pcall(vim.api.nvim_get_autocmds, { group = "ClaudeCodeMCPDiff" }))[1] or "none"`, "none")
					}
				}
			}
		}
	})
}

// TestDiff_ThatCannotGetTheFocusLeavesNothingBehind has WinEnter throw.
func TestDiff_ThatCannotGetTheFocusLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout, "focus": true})
		e.Lua(nil, `vim.api.nvim_create_autocmd("WinEnter", { once = true, callback = function() error("thrown by WinEnter") end })`)
		e.ask("a", "f.txt", proposed)
		e.expectSoon(`answers.a`,
			`{ { -32000, "Diff setup failed", "Failed to setup diff operation: thrown by WinEnter" } }`)
		e.expect(`shape()`, alone)
		e.expect(`buffers()`, `{ "f.txt" }`)
	})
}
