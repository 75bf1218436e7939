// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import "testing"

var layouts = []string{"vertical", "horizontal", "unified"}

// at is the mode, and what the current window is in the tab page with that number.
const at = `("%s %d %s"):format(vim.api.nvim_get_mode().mode, vim.fn.tabpagenr(),
	vim.bo.buftype == "terminal" and "terminal" or vim.fs.basename(vim.api.nvim_buf_get_name(0)))`

func TestFocus_StaysWhereTheUserEdits(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		for _, tab := range []bool{false, true} {
			e := open(t, nvim, map[string]any{"layout": layout, "open_in_new_tab": tab})
			e.Command("split g.txt")
			e.Command("wincmd p")
			const places = `{ vim.fn.winnr("#"), vim.fn.expand("#"), #vim.fn.getjumplist()[1] }`
			before := e.value(places)
			e.propose("a", "f.txt", proposed)
			e.expect(at, "n 1 f.txt")
			e.expect(places, before)
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.expectSoon(`shape()`, "1 g.txt | *1 f.txt")
			e.expect(places, before)
		}
	})
}

func TestFocus_GoesIntoTheDiffIfTheUserWantsIt(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		for _, tab := range []bool{false, true} {
			e := open(t, nvim, map[string]any{"layout": layout, "open_in_new_tab": tab, "focus": true})
			e.Command("split g.txt")
			e.Command("wincmd p")
			e.propose("a", "f.txt", proposed)
			e.expect(`vim.b.claudecode_diff_tab_name`, "a")
			e.keys(":q<CR>")
			e.expectSoon(`shape()`, "1 g.txt | *1 f.txt")
			e.expectSoon(`vim.fn.winnr("#")`, "1")
		}
	})
}

func TestFocus_FollowsFromTheTerminalAndReturnsToIt(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		for _, tab := range []bool{false, true} {
			e := open(t, nvim, map[string]any{"layout": layout, "open_in_new_tab": tab})
			e.terminal()
			e.Lua(nil, `sizes = vim.fn.winrestcmd()`)
			e.keys("i")
			e.expectSoon(at, "t 1 terminal")
			e.propose("a", "f.txt", proposed)
			e.expectSoon(`{ vim.b.claudecode_diff_tab_name, vim.api.nvim_get_mode().mode }`, `{ "a", "n" }`)
			e.keys(":w<CR>")
			e.expectSoon(`answers.a`, saved)
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.expectSoon(at, "t 1 terminal")
			e.expectSoon(`sizes == vim.fn.winrestcmd() and #vim.api.nvim_list_tabpages() == 1`, "true")
		}
	})
}

func TestFocus_StaysInTheTerminalIfItIsKeptThere(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		for _, tab := range []bool{false, true} {
			e := open(t, nvim, map[string]any{"layout": layout, "open_in_new_tab": tab, "keep_terminal_focus": true})
			e.terminal()
			e.keys("i")
			e.expectSoon(at, "t 1 terminal")
			e.propose("a", "f.txt", proposed)
			if tab {
				e.expectSoon(at, "t 2 terminal")
			} else {
				e.expectSoon(at, "t 1 terminal")
			}
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.expectSoon(at, "t 1 terminal")
			e.expectSoon(`#vim.api.nvim_list_wins()`, "2")
		}
	})
}

// TestFocus_ReturnsThoughTheClientIsFaster has it close the diff before anything follows the
// user's :q.
func TestFocus_ReturnsThoughTheClientIsFaster(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		for _, tab := range []bool{false, true} {
			e := open(t, nvim, map[string]any{"layout": layout, "open_in_new_tab": tab})
			e.terminal()
			e.keys("i")
			e.expectSoon(at, "t 1 terminal")
			e.propose("a", "f.txt", proposed)
			e.expectSoon(`{ vim.b.claudecode_diff_tab_name, vim.api.nvim_get_mode().mode }`, `{ "a", "n" }`)
			e.Lua(nil, `vim.cmd("quit") require("claudecode.diff").close_all_diffs()`)
			e.expectSoon(at, "t 1 terminal")
			e.expectSoon(`#vim.api.nvim_list_wins()`, "2")
		}
	})
}

func TestFocus_StaysIfOnlyOneOfTheProposalsWindowsWasClosed(t *testing.T) {
	t.Parallel()
	each(t, []string{"vertical", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Command("split g.txt")
		e.propose("a", "f.txt", proposed)
		e.Lua(nil, `
			vim.cmd("botright sbuffer " .. vim.api.nvim_win_get_buf(events[1][2].diff_window))
			vim.cmd("quit")
		`)
		e.expect(at, "n 1 f.txt")
		e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
		e.expectSoon(`shape()`, "1 g.txt | *1 f.txt")
	})
}

func TestTerminal_HasItsShareOfTheScreen(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.terminal()
		e.Command("wincmd p")
		e.Lua(nil, `
			require("claudecode").state.config.terminal.diff_split_width_percentage = 0.25
			term = vim.fn.win_getid(vim.fn.winnr("$"))
			vim.api.nvim_win_set_width(term, 61)
		`)
		e.propose("a", "f.txt", proposed)
		e.expect(`vim.api.nvim_win_get_width(term)`, "40")
		e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
		e.expectSoon(`vim.api.nvim_win_get_width(term)`, "61")
		e.Lua(nil, `require("claudecode").state.config.diff_opts.auto_resize_terminal = false events = {}`)
		e.propose("a", "f.txt", proposed)
		e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
		e.expectSoon(`vim.api.nvim_win_get_width(term)`, "61")
	})
}

func TestTerminal_CanBeLeftOutOfTheNewTabPage(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout, "open_in_new_tab": true, "hide_terminal_in_new_tab": true})
		e.terminal()
		e.Command("wincmd p")
		e.propose("a", "f.txt", proposed)
		e.expect(`vim.iter(vim.api.nvim_tabpage_list_wins(events[1][2].tab_number)):any(function(win)
			return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == "terminal"
		end)`, "false")
		e.Command("tabnext")
		e.Command("tabclose!")
		e.expectSoon(`answers.a`, rejected)
		e.expectSoon(`#vim.api.nvim_list_tabpages()`, "1")
	})
}
