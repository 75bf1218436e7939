// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import "testing"

// strays are what a user types in the window of the original, after which a window of it is in
// diff mode that was not when the diff opened.
var strays = []struct{ name, keys, shown string }{
	{"a split", "<C-w>s", "f.txt"},
	{"a split in a tab page", ":tab split<CR>", "f.txt"},
	{"a window moved to a tab page", "<C-w>T", "f.txt"},
	{"another buffer in it", ":e g.txt<CR>", "g.txt"},
	{"another buffer that goes with its window", ":enew | setlocal bufhidden=wipe<CR>", "wipe"},
}

// TestDiff_LeavesNoWindowOfTheFileInDiffMode looks at every window, and at those in which the
// file is shown again: Neovim remembers the options of a window for each buffer.
func TestDiff_LeavesNoWindowOfTheFileInDiffMode(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		for _, stray := range strays {
			e.Lua(nil, `events, answers = {}, {}`)
			e.propose("a", "f.txt", proposed)
			t.Log(stray.name)
			e.Lua(nil, `vim.api.nvim_set_current_win(events[1][2].target_window)`)
			e.keys(stray.keys)
			e.settled()
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.until("the diff is closed", `#events == 2`)
			e.Lua(nil, `
				shown = vim.fs.basename(vim.api.nvim_buf_get_name(0)) .. vim.bo.bufhidden
				diffing = vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_list_wins())
				vim.cmd("silent buffer f.txt")
				vim.cmd("silent tab split")
			`)
			e.expect(`line(diffing)`, "{}")
			e.expect(`shown`, stray.shown)
			e.expect(`{ vim.wo.diff, vim.wo.scrollbind, vim.wo.wrap, vim.wo.foldmethod, vim.wo.foldcolumn }`,
				`{ false, false, true, "manual", "0" }`)
			e.Command("silent tabonly")
			e.Command("silent only")
			e.Lua(nil, `pcall(vim.cmd, "silent bwipeout g.txt")`)
		}
	})
}

// TestDiff_LeavesADiffOfTheUsersOfTheSameFile has one that began in a split of the original.
func TestDiff_LeavesADiffOfTheUsersOfTheSameFile(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.propose("a", "f.txt", proposed)
		e.keys(":tab split<CR>:vert diffsplit g.txt<CR>")
		e.settled()
		e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
		e.until("the diff is closed", `#events == 2`)
		e.expect(`shape()`, "1 f.txt | *2 g.txt diff | 2 f.txt diff")
	})
}

// TestDiff_LeavesTheCursorInAWindowThatTheUserTookOver: where the proposal was the user edits now.
func TestDiff_LeavesTheCursorInAWindowThatTheUserTookOver(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.propose("a", "f.txt", proposed)
		e.enter()
		e.keys(":e g.txt<CR>")
		e.settled()
		e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
		e.until("the diff is closed", `#events == 2`)
		e.expect(`shape()`, "1 f.txt | *1 g.txt")
	})
}
