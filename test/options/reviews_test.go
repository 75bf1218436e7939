// Copyright (c) 2026 the claudecoded authors. MIT license.

package options

import (
	"fmt"
	"slices"

	"claudecoded/bench/claude"
)

// propose asks for a diff of a file and waits until something comes of it.
func (s *scene) propose(file string) {
	s.t.Helper()
	s.Lua(nil, `
		local path = vim.fn.getcwd() .. "/" .. ...
		vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeDiffOpened", callback = function() outcome = "opened" end })
		vim.ui.select = function() outcome = "asked" end
		require("claudecode.diff").propose({ tab_name = "a", old_path = path, new_path = path, text = "one\n2\n" },
			function(_, err) outcome = err and err.message or "answered" end)
	`, file)
	s.until("outcome")
}

// layout describes the windows of every tab page.
const layout = `vim.tbl_map(function(page)
	return vim.inspect({
		(vim.inspect(vim.fn.winlayout(vim.api.nvim_tabpage_get_number(page))):gsub("[%d%s]", "")),
		vim.tbl_map(function(win)
			local buf = vim.api.nvim_win_get_buf(win)
			return { vim.fs.basename(vim.api.nvim_buf_get_name(buf)), vim.b[buf].claudecode_inline_diff or false }
		end, vim.api.nvim_tabpage_list_wins(page)),
	}):gsub("%s+", " ")
end, vim.api.nvim_list_tabpages())`

func shape(s *scene) string {
	s.propose("f.txt")
	return s.value(layout)
}

// current is the kind of buffer that the cursor is in.
const current = `vim.b.claudecode_diff_tab_name and "the proposal" or vim.bo.buftype == "terminal" and "Claude" or "the file"`

func where(s *scene) string {
	s.propose("f.txt")
	s.turns()
	return s.value(current)
}

// width is that of Claude's terminal after somebody has made it 40, and a diff has opened.
func width(s *scene) string {
	s.claude()
	s.Lua(nil, `vim.api.nvim_win_set_width(require("claudecode.terminal").window(), 40)`)
	s.propose("f.txt")
	s.turns()
	return s.value(`vim.api.nvim_win_get_width(require("claudecode.terminal").window())`)
}

var reviews = map[string]probe{
	"diff_opts.enabled": {see: func(s *scene) string {
		_, tools := s.serve()
		return fmt.Sprint(slices.ContainsFunc(tools, func(tool claude.Tool) bool { return tool.Name == "openDiff" }))
	}},
	"diff_opts.layout":              {see: shape},
	"diff_opts.vertical_split":      {see: shape, alias: true},
	"diff_opts.open_in_new_tab":     {see: shape},
	"diff_opts.open_in_current_tab": {see: shape, alias: true},
	"diff_opts.focus":               {see: where},
	"diff_opts.keep_terminal_focus": {with: native, see: func(s *scene) string {
		s.claude()
		return where(s)
	}},
	"diff_opts.hide_terminal_in_new_tab": {
		with: `{ terminal = { provider = "native" }, diff_opts = { open_in_new_tab = true } }`,
		see: func(s *scene) string {
			s.claude()
			s.propose("f.txt")
			return s.value(`#vim.tbl_filter(function(win)
				return vim.bo[vim.api.nvim_win_get_buf(win)].buftype == "terminal"
			end, vim.api.nvim_tabpage_list_wins(0))`) + " terminals"
		},
	},
	"diff_opts.on_new_file_reject": {see: func(s *scene) string {
		s.Command("aboveleft new")
		s.propose("new.txt")
		s.Lua(nil, `vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeDiffClosed", callback = function() closed = true end })
			require("claudecode.diff").close_all_diffs()`)
		s.until("closed")
		return s.value("#vim.api.nvim_list_wins()") + " windows"
	}},
	"diff_opts.on_modified": {see: func(s *scene) string {
		s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, 0, true, { "unsaved" })`)
		s.propose("f.txt")
		return s.value("outcome")
	}},
	"diff_opts.auto_resize_terminal":       {with: native, see: width},
	"terminal.diff_split_width_percentage": {with: native, more: []string{"0.5"}, see: width},
	"diff_opts.keymaps": {see: func(s *scene) string {
		s.propose("f.txt")
		return s.value(`#vim.api.nvim_buf_get_keymap(0, "n")`)
	}},
}
