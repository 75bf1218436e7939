// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// conflict has the user and Claude change the same line, in a window between two others.
func conflict(t *testing.T, nvim string) *desk {
	t.Helper()
	d := open(t, nvim, nil)
	d.put("b.txt", "b\n")
	d.changes("a.txt", "one\ntwo\nthree\n", "one\nTWO\nthree\n")
	d.Command("edit b.txt | belowright vsplit a.txt | belowright vsplit b.txt | wincmd h")
	d.keys("2Gccmine<Esc>:w<CR>")
	d.holds("a.txt", "one\nmine\nthree\n")
	return d
}

func TestConflict_GoesWithItsWindow(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, keys := range []string{"q", ":q<CR>", "<C-w>c", ":bwipeout<CR>"} {
			d := conflict(t, nvim)
			d.keys(":ClaudeCodeRevert<CR>")
			d.soon("shape()", "1 b.txt | 1 a.txt | *1 a.txt (conflict) | 1 b.txt")
			d.expect(`vim.api.nvim_get_current_line()`, "<<<<<<< now")
			d.keys(keys)
			d.soon(`#vim.api.nvim_list_wins() .. " " .. lines_of("a.txt (conflict)")`, "3 no buffer")
			if keys == "q" {
				d.expect("shape()", "1 b.txt | *1 a.txt | 1 b.txt")
			}
			d.holds("a.txt", "one\nmine\nthree\n")
		}
	})
}

// The user comes to it from one window, and goes to another before it is closed.
func TestConflict_LeavesTheCursorWhereTheReviewEnds(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := conflict(t, nvim)
		d.review()
		d.keys("do")
		d.soon(`shape():find("(conflict)", 1, true) ~= nil`, "true")
		d.keys("q") // of the conflict
		d.soon(`lines_of("a.txt (conflict)")`, "no buffer")
		d.expect(`require("claudecode.turns.review").current() ~= nil`, "true")
		d.soon("shape()", "1 b.txt | 1 a.txt | 1 b.txt | 2 a.txt (before) diff | *2 a.txt diff | 2 Claude's changes")
		d.keys("do")
		d.soon(`shape():find("*2 a.txt (conflict)", 1, true) ~= nil`, "true")
		d.keys("<C-w>bq") // of the list
		d.soon("shape()", "1 b.txt | *1 a.txt | 1 b.txt")
		d.expect(`lines_of("a.txt (conflict)")`, "no buffer")
	})
}
