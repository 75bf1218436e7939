// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"maps"
	"testing"

	"claudecoded/test/nvimtest"
)

// disturbances are what a careless diff does to an editor.
var disturbances = map[string]string{
	"focus": `vim.cmd("split") vim.cmd("wincmd p | only")`,
	"previous window": `
		local here, last = vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#"))
		vim.api.nvim_set_current_win(vim.iter(vim.api.nvim_list_wins()):find(function(win)
			return win ~= here and win ~= last
		end))
		vim.api.nvim_set_current_win(here)`,
	"layout":            `vim.cmd("wincmd J")`,
	"sizes":             `vim.cmd("wincmd =")`,
	"window of a float": `vim.api.nvim_open_win(0, false, { relative = "editor", row = 1, col = 1, width = 9, height = 2 })`,
	"tab page":          `vim.cmd("tabnew | tabclose")`,
	"diff mode":         `vim.cmd("diffthis")`,
	"scrollbind":        `vim.wo[0][0].scrollbind = true`,
	"folds":             `vim.cmd("normal! zE")`,
	"fold method":       `vim.wo[0][0].foldmethod = "diff"`,
	"global value":      `vim.go.foldcolumn = "2"`,
	"wrap":              `vim.wo[0][0].wrap = true`,
	"cursor":            `vim.cmd("normal! j")`,
	"topline":           `vim.cmd([[exe "normal! \<C-E>"]])`,
	"unnamed register":  `vim.cmd("normal! yy")`,
	"numbered register": `vim.fn.setreg("3", "x")`,
	"search":            `vim.fn.setreg("/", "x")`,
	"mark":              `vim.cmd("normal! mz")`,
	"global mark":       `vim.cmd("normal! mZ")`,
	"jump":              `vim.cmd("normal! m'")`,
	"alternate file":    `vim.cmd("balt x.txt")`,
	"a buffer":          `vim.api.nvim_create_buf(false, true)`,
	"loaded buffer":     `vim.fn.bufload(vim.fn.bufadd("y.txt"))`,
	"modified":          `vim.bo.modified = true`,
	"undo":              `vim.cmd("silent redo")`,
	"text":              `vim.api.nvim_buf_set_lines(0, 0, 0, true, { "x" })`,
	"mapping":           `vim.keymap.del("n", "<leader>da", { buffer = 0 })`,
	"another mapping":   `vim.keymap.set("n", "<leader>da", function() end, { buffer = 0 })`,
	"eventignore":       `vim.o.eventignore = "all"`,
	"autocommand":       `vim.api.nvim_create_autocmd("BufEnter", { callback = function() end })`,
	"buffer variable":   `vim.b.x = 1`,
	"window variable":   `vim.w.x = 1`,
	"extmark":           `vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace("x"), 0, 0, {})`,
	"error":             `vim.notify("E99: no", vim.log.levels.ERROR)`,
	"hidden error":      `vim.cmd("silent! nosuchcommand")`,
}

// TestLook_SeesEachDisturbance keeps the matrix from passing blindly.
func TestLook_SeesEachDisturbance(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, layouts[0].options)
		defer e.leave()
		for name, code := range disturbances {
			t.Run(name, func(t *testing.T) {
				before, _, err := cell{situation: situationNamed("splitright")}.set(e)
				if err != nil {
					t.Fatal(err)
				}
				if err := e.lua(nil, code); err != nil {
					t.Fatal(err)
				}
				after, err := e.look()
				if err != nil || maps.Equal(before, after) {
					t.Errorf("nothing is seen, %v", err)
				}
			})
		}
	})
}

// TestReset_LeavesNothingOfAScene holds for the cells that share an editor.
func TestReset_LeavesNothingOfAScene(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, layouts[0].options)
		defer e.leave()
		want, err := e.bare()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range situations {
			t.Run(s.name, func(t *testing.T) {
				if _, _, err := (cell{situation: s}).set(e); err != nil {
					t.Fatal(err)
				}
				got, err := e.bare()
				if err != nil {
					t.Fatal(err)
				}
				if diff := differences(want, got); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
}
