// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import "testing"

func TestTerminal_KeepsItsWidthIfTheUserWantsIt(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout, "auto_resize_terminal": false})
		e.terminal()
		e.Command("wincmd p")
		e.Lua(nil, `
			require("claudecode").state.config.terminal.diff_split_width_percentage = 0.25
			term = vim.fn.win_getid(vim.fn.winnr("$"))
			vim.wo[term].winfixwidth = true
			vim.api.nvim_win_set_width(term, 61)
		`)
		e.propose("a", "f.txt", proposed)
		e.expect(`vim.api.nvim_win_get_width(term)`, "61")
	})
}
