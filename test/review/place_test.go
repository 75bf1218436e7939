// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"testing"

	"claudecoded/test/nvimtest"
)

func TestPlace_IsNeverAWindowOfAnotherKind(t *testing.T) {
	t.Parallel()
	scenes := map[string]string{
		"explorer":               `vim.cmd("enew | setlocal buftype=nofile filetype=NvimTree")`,
		"explorer beside a file": `vim.cmd("set noequalalways | edit g.txt | topleft 30vnew | setlocal buftype=nofile filetype=neo-tree")`,
		"debugger":               `vim.cmd("enew | setlocal buftype=nofile filetype=dapui_scopes")`,
		"quickfix":               `vim.cmd("copen | only")`,
		"terminal":               `vim.cmd("terminal cat | only")`,
		"winfixbuf":              `vim.wo.winfixbuf = true`,
		"preview":                `vim.wo.previewwindow = true`,
		"prompt":                 `vim.cmd("enew | setlocal buftype=prompt")`,
		"float at last":          `vim.cmd("enew | setlocal buftype=quickfix") vim.api.nvim_open_win(0, false, { relative = "editor", row = 1, col = 1, width = 9, height = 2 })`,
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, scene := range scenes {
			for _, layout := range layouts {
				e := open(t, nvim, map[string]any{"layout": layout})
				if name != "winfixbuf" && name != "preview" {
					e.Command("bwipeout f.txt")
				}
				e.Lua(nil, scene)
				e.Lua(nil, `
					kept = vim.api.nvim_get_current_win()
					before = { shape(), #vim.api.nvim_list_bufs(), vim.fn.winrestcmd(), vim.api.nvim_win_get_buf(kept) }
				`)
				e.propose("a", "f.txt", proposed)
				e.expect(`vim.api.nvim_win_is_valid(kept) and vim.api.nvim_get_current_win() == kept
					and vim.api.nvim_win_get_buf(kept) == before[4] and not vim.wo[kept].diff`, "true")
				if name == "explorer beside a file" {
					e.expect(`vim.api.nvim_win_get_width(kept)`, "30")
				}
				e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
				e.expectSoon(`#events`, "2")
				if got := e.value(`{ shape(), #vim.api.nvim_list_bufs(), vim.fn.winrestcmd(), vim.api.nvim_win_get_buf(kept) }`); got != e.value(`before`) {
					t.Errorf("%s %s: left %s, was %s", name, layout, got, e.value(`before`))
				}
			}
		}
	})
}

func TestPlace_OfASecondDiffIsItsOwnTabPage(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, layout := range layouts {
			e := open(t, nvim, map[string]any{"layout": layout})
			e.Command("vertical diffsplit g.txt")
			e.Lua(nil, `before = { shape(), vim.fn.winrestcmd(), vim.fn.winsaveview() }`)
			for _, name := range []string{"a", "b", "c"} {
				e.propose(name, "f.txt", proposed+name)
			}
			e.expect(`{ #vim.api.nvim_list_tabpages(), vim.fn.tabpagenr(), vim.deep_equal(before[1], shape():match("^.- | 1 [^|]- diff")) }`, "{ 4, 1, true }")
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.expectSoon(`#events`, "6")
			e.expect(`{ shape(), vim.fn.winrestcmd(), vim.fn.winsaveview() }`, e.value(`before`))
		}
	})
}

func TestPlace_ForANewFileIsAnEmptyWindow(t *testing.T) {
	t.Parallel()
	const (
		deny   = `require("claudecode.diff").deny_current_diff()`
		accept = `require("claudecode.diff").accept_current_diff() require("claudecode.diff").close_all_diffs()`
	)
	rows := []struct{ how, decide, answer, shape string }{
		{"keep_empty", deny, rejected, "*1 - | 1 g.txt"},
		{"close_window", deny, rejected, "*1 g.txt"},
		{"close_window", accept, `{ { "FILE_SAVED", "fresh" } }`, "*1 - | 1 g.txt"},
	}
	each(t, native, func(t *testing.T, nvim, layout string) {
		for _, row := range rows {
			for _, file := range []string{"new.txt", "f.txt"} {
				e := open(t, nvim, map[string]any{"layout": layout, "on_new_file_reject": row.how})
				e.Lua(nil, `vim.cmd("edit g.txt | aboveleft new | bwipeout f.txt") empty = vim.api.nvim_get_current_buf()`)
				e.propose("a", file, "fresh")
				e.expect(`#vim.api.nvim_list_wins()`, "3")
				e.enter()
				e.Lua(nil, row.decide)
				shape := row.shape
				if file == "f.txt" {
					shape = "*1 - | 1 g.txt" // it is no new file
				}
				e.expectSoon(`shape()`, shape)
				e.expect(`answers.a`, row.answer)
				e.expectSoon(`vim.tbl_filter(function(name) return name:find("f.txt") or name:find("new") end, buffers())`, "{}")
				e.expect(`vim.api.nvim_buf_is_valid(empty) and vim.bo[empty].buflisted`, "true")
			}
		}
	})
}

func TestPlace_OfAFullScreenIsTheTabPageOfItsOwn(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		e.Lua(nil, `
			vim.o.winminwidth, vim.o.winwidth = 10, 10
			for _ = 1, 20 do
				if not pcall(vim.cmd, "vsplit") then break end
			end
			before = { vim.fn.winlayout(), vim.fn.winrestcmd() }
		`)
		e.ask("a", "f.txt", proposed)
		e.until("it is open or refused", `#events > 0 or #answers.a > 0`)
		e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
		e.expectSoon(`vim.deep_equal(before, { vim.fn.winlayout(), vim.fn.winrestcmd() })`, "true")
	})
}
