// Copyright (c) 2026 the claudecoded authors. MIT license.

package moment

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// inClaude puts the user into a terminal that runs a program whose name has Claude's in it.
func (d *desk) inClaude() {
	d.t.Helper()
	d.typing(":botright vsplit | terminal sh -c cat Claude<CR>i", "t")
}

func TestUITool_DoesNotWaitForWhoIsInClaudesTerminal(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		name  string
		value any
		want  string
	}{
		"shown":    {"preview", false, "f.txt n"},
		"selected": {"startText", "two", "f.txt v"},
		"behind":   {"makeFrontmost", false, "terminal t"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim)
				d.inClaude()
				<-d.openFile("f.txt", row.name, row.value).answer
				d.eventually(`(vim.bo.buftype == "terminal" and "terminal" or ` + shown + `) .. " " .. vim.fn.mode() == "` + row.want + `"`)
			})
		})
	}
}

func TestTerminal_IsFoundWhereverItIs(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim)
		where := func() string {
			t.Helper()
			return eval[string](d, `(function()
				local terminal = require("claudecode.terminal")
				local buf, win = terminal.get_active_terminal_bufnr(), terminal.window()
				return ("%s %s"):format(
					buf and buf == claude,
					win and ("%d"):format(vim.api.nvim_tabpage_get_number(vim.api.nvim_win_get_tabpage(win)))
				)
			end)()`)
		}
		if got := where(); got != "nil nil" {
			t.Error("without one:", got)
		}
		d.Lua(nil, `
			vim.cmd("terminal cat")
			vim.cmd("tabnew | terminal sh -c cat claude")
			claude = vim.api.nvim_get_current_buf()
			vim.cmd.tabfirst()
		`)
		if got := where(); got != "true 2" {
			t.Error("on another tab page:", got)
		}
		d.Lua(nil, `vim.cmd.sbuffer(claude) vim.cmd.wincmd("p")`)
		if got := where(); got != "true 1" {
			t.Error("on both:", got)
		}
		d.Lua(nil, `
			vim.cmd("tabnew | terminal sh -c cat claude")
			claude, former = vim.api.nvim_get_current_buf(), claude
		`)
		if got := where(); got != "true 2" {
			t.Error("in the second:", got)
		}
		d.Lua(nil, `
			vim.cmd("bwipeout!")
			claude = former
			for _, win in ipairs(vim.fn.win_findbuf(claude)) do vim.api.nvim_win_set_buf(win, vim.api.nvim_create_buf(true, false)) end
		`)
		if got := where(); got != "true nil" {
			t.Error("hidden:", got)
		}
	})
}

// TestRun_FindsTheModeThatTheOneBeforeItLedTo holds for Terminal mode, which begins and ends
// some time after what one does.
func TestRun_FindsTheModeThatTheOneBeforeItLedTo(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.inClaude()
		d.Lua(nil, `
			local claude = vim.api.nvim_get_current_win()
			local function mode() table.insert(ran, vim.api.nvim_get_mode().mode) end
			moment.run(function() vim.cmd("wincmd p | stopinsert") end)
			moment.run(mode)
			moment.run(function() vim.api.nvim_set_current_win(claude) vim.cmd.startinsert() end)
			moment.run(mode)
		`)
		d.eventually(`#ran == 2`)
		if got := eval[string](d, `table.concat(ran, " ")`); got != "n t" {
			t.Errorf("the modes were %s", got)
		}
	})
}
