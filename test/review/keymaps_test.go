// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import "testing"

func TestKeymaps_AreInBothSidesAndGiveBackTheUsers(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Lua(nil, `
			vim.keymap.set("n", "<leader>da", function() mine = "da" end, { buffer = true, desc = "of the user", silent = true })
			vim.keymap.set("n", "<leader>dq", "<Cmd>let g:mine = 'global'<CR>")
			function map(lhs)
				local map = vim.fn.maparg(lhs, "n", false, true)
				return { map.buffer, map.desc, map.silent, map.rhs }
			end
		`)
		before := e.value(`{ map("\\da"), map("\\dq") }`)
		e.propose("a", "f.txt", proposed)
		e.propose("b", "f.txt", "other\n")
		const ours = `{ 1, "Accept Claude's change", 0 }`
		e.expect(`map("\\da")`, ours)
		e.enter()
		e.expect(`map("\\da")`, ours)
		e.expect(`map("\\dq")`, `{ 1, "Reject Claude's change", 0 }`)
		e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name("b")`)
		e.expectSoon(`#events`, "3")
		e.Lua(nil, `vim.api.nvim_set_current_win(events[1][2].target_window)`)
		e.expect(`map("\\da")`, ours)
		e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name("a")`)
		e.expectSoon(`shape()`, alone)
		e.expect(`{ map("\\da"), map("\\dq") }`, before)
		e.keys(`\da\dq`)
		e.expectSoon(`mine .. (vim.g.mine or "")`, "daglobal")
	})
}

func TestKeymaps_CanBeLeftOut(t *testing.T) {
	t.Parallel()
	each(t, []string{"vertical", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout, "keymaps": false, "focus": true})
		e.propose("a", "f.txt", proposed)
		e.expect(`vim.fn.maparg("\\da", "n") .. vim.fn.maparg("\\dq", "n")`, "")
	})
}
