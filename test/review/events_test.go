// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"testing"

	"claudecoded/test/nvimtest"
)

func TestEvents_HaveTheDocumentedData(t *testing.T) {
	t.Parallel()
	each(t, []string{"vertical", "horizontal", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Lua(nil, `vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeDiff*", callback = function() error("of the user") end })`)
		e.propose("a", "f.txt", proposed)
		e.Lua(nil, `data = events[1][2]`)
		e.expect(`{ data.tab_name, vim.fs.basename(data.file_path), data.file_path == data.new_file_path, data.is_new_file,
			vim.b[vim.api.nvim_win_get_buf(data.diff_window)].claudecode_diff_tab_name,
			vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(data.target_window))),
			data.terminal_window == nil, data.tab_number == nil }`,
			`{ "a", "f.txt", true, false, "a", "f.txt", true, true }`)
		e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name("a")`)
		e.expectSoon(`events[2] and { events[2][1], events[2][2].tab_name, vim.fs.basename(events[2][2].file_path), events[2][2].reason }`,
			`{ "Closed", "a", "f.txt", "diff tab closed after reject" }`)
	})
}

func TestEvents_NameTheReason(t *testing.T) {
	t.Parallel()
	rows := []struct{ file, lua, reason string }{
		{"f.txt", `require("claudecode.diff").close_diff_by_tab_name("a")`, "diff tab closed after reject"},
		{"f.txt", `require("claudecode.diff").accept_current_diff() require("claudecode.diff").close_diff_by_tab_name("a")`,
			"diff tab closed after save"},
		{"f.txt", `propose("a", "/nowhere", "x")`, "replaced by new diff"},
		{"new.txt", `require("claudecode.diff").deny_current_diff()`, "diff rejected (keep_empty)"},
		{"f.txt", `require("claudecode.diff").close_pending_diffs("server stopping")`, "shutdown"},
		{"f.txt", `drop()`, "diff tab closed after reject"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, map[string]any{"focus": true})
		for _, row := range rows {
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.expectSoon(`shape()`, alone)
			e.Lua(nil, `events = {}`)
			e.propose("a", row.file, proposed)
			e.Lua(nil, row.lua)
			e.expectSoon(`events[2] and events[2][2].reason or "nothing"`, row.reason)
		}
	})
}

func TestEvents_NameTheTabPageAndTheTerminal(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, map[string]any{"open_in_new_tab": true})
		e.terminal()
		e.Command("wincmd p")
		e.propose("a", "f.txt", proposed)
		e.Lua(nil, `data = events[1][2]`)
		e.expect(`{ data.tab_number == vim.api.nvim_list_tabpages()[2], vim.bo[vim.api.nvim_win_get_buf(data.terminal_window)].buftype,
			vim.api.nvim_win_get_tabpage(data.terminal_window) == data.tab_number, vim.api.nvim_get_current_tabpage() ~= data.tab_number }`,
			`{ true, "terminal", true, true }`)
	})
}
