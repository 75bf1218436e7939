// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// Neovim adds the end of the last line to what the user writes, in the line that Claude changed.
func TestRevert_KeepsTheFinalNewlineThatTheUsersWriteAdded(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		for name, c := range map[string]struct{ before, after, written, want string }{
			"unix":    {"one\ntwo", "one\nTWO", "one\nTWO\n", "one\ntwo\n"},
			"dos":     {"one\r\ntwo", "one\r\nTWO", "one\r\nTWO\r\n", "one\r\ntwo\r\n"},
			"created": {"no file", "one\nTWO", "one\nTWO\n", "no file"},
		} {
			if c.before != "no file" {
				d.put(name, c.before)
			}
			d.edits(name, c.after)
			d.Command("edit " + name)
			d.keys(":w<CR>")
			d.holds(name, c.written)
			d.keys(":ClaudeCodeRevert<CR>")
			d.holds(name, c.want)
		}
	})
}

// The end of the last line by itself overlaps with nothing, and what else does is still shown.
func TestRevert_ShowsAConflictInALastLineThatTheUserChangedToo(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", "one\ntwo", "one\nTWO")
		d.Command("edit a.txt")
		d.keys("Gccmine<Esc>:w<CR>")
		d.holds("a.txt", "one\nmine\n")
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("overlaps, nothing is written")
		d.soon(`lines_of("a.txt (conflict)")`,
			"one|<<<<<<< now|mine|||||||| after Claude's change|TWO|=======|two|>>>>>>> before it")
		d.holds("a.txt", "one\nmine\n")
	})
}

// format is what a buffer says of its text besides the lines.
const format = `(vim.bo.endofline and "" or "no ") .. "end" .. (vim.bo.bomb and ", mark" or "")`

// The user goes back and forth in the undo history, and along another branch of it.
func TestRevert_UndoBringsBackWhatIsNoneOfTheLines(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, c := range map[string]struct{ before, after, now, back string }{
			"an end more": {"1\n2\n3\n4\n5", "1\n2\n3\n4\n5\n", "end", "no end"},
			"an end less": {"1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5", "no end", "end"},
			"a mark more": {"1\n2\n3\n4\n5\n", "\ufeff1\n2\n3\n4\n5\n", "end, mark", "end"},
			"a mark less": {"\ufeff1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n", "end", "end, mark"},
		} {
			t.Run(name, func(t *testing.T) {
				d := open(t, nvim, nil)
				d.changes("a.txt", c.before, c.after)
				d.Command("edit a.txt | set nofixendofline")
				step := func(keys, line, want string) {
					t.Helper()
					d.keys(keys)
					d.soon(`vim.fn.getline(3) .. " " .. `+format, line+" "+want)
				}
				step("3GA!<Esc>", "3!", c.now)
				step(":ClaudeCodeRevert<CR>", "3!", c.back)
				step("u", "3!", c.now)
				step("u", "3", c.now)
				step("2<C-r>", "3!", c.back)
				step("3GA?<Esc>", "3!?", c.back)
				step("2u", "3!", c.now)
				step("3GA:<Esc>", "3!:", c.now)
				step("g-", "3!?", c.back)
				step(":undo 2<CR>", "3!", c.back)
				d.keys("u:w<CR>")
				d.holds("a.txt", map[bool]string{true: "", false: "\ufeff"}[c.after[0] == '1']+
					"1\n2\n3!\n4\n5"+map[bool]string{true: "\n", false: ""}[c.after[len(c.after)-1] == '\n'])
			})
		}
	})
}

// What the user sets by hand stays.
func TestRevert_UndoLeavesAFormatThatTheUserChose(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", "1\n2\n3\n4", "1\n2\n3\n4\n")
		d.Command("edit a.txt")
		d.keys("2GA!<Esc>:ClaudeCodeRevert<CR>")
		d.soon(format, "no end")
		d.keys(":set endofline<CR>A?<Esc>")
		d.soon(`vim.fn.getline(2) .. " " .. `+format, "2!? end")
	})
}

// What was taken back in the file comes back with u, the end of its last line too.
func TestRevert_UndoOfAWrittenFileBringsBackItsEnd(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", "1\n2", "1\n2\n3\n")
		d.Command("edit a.txt | set nofixendofline")
		d.keys(":ClaudeCodeRevert<CR>")
		d.holds("a.txt", "1\n2")
		d.soon(`lines_of("a.txt") .. " " .. `+format, "1|2 no end")
		d.keys("u:w<CR>")
		d.holds("a.txt", "1\n2\n3\n")
	})
}

func TestRevert_FollowsSoManyChangesOfAFormat(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.Lua(nil, `
			local follow = require("claudecode.turns.follow")
			local buf = vim.api.nvim_get_current_buf()
			follow.max_followed = 2
			local function change(line, endofline)
				local before = follow.format(buf)
				vim.api.nvim_buf_set_lines(0, 0, -1, false, { line })
				vim.bo.endofline = endofline
				follow.change(buf, before)
				vim.cmd("let &g:undolevels = &g:undolevels") -- closes the block
			end
			change("a", false)
			change("b", true)
			change("c", false)`)
		for _, want := range []string{"b end", "a no end", " no end"} {
			d.keys("u")
			d.soon(`vim.fn.getline(1) .. " " .. `+format, want)
		}
	})
}

// What undo has forgotten is in the text for good, as is what it never knew.
func TestRevert_KeepsAFormatWhoseChangeUndoForgot(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, levels := range []string{"2", "0", "-1"} {
			d := open(t, nvim, nil)
			d.changes("a.txt", "1\n2\n3\n4", "1\n2\n3\n4\n")
			d.Command("edit a.txt | set nofixendofline")
			d.Command("setlocal undolevels=" + levels)
			d.keys("2GA!<Esc>:ClaudeCodeRevert<CR>")
			d.soon(`vim.fn.getline(2) .. " " .. `+format, "2! no end")
			for _, line := range []string{"2!a", "2!aa", "2!aaa", "2!aaaa"} {
				d.keys("Aa<Esc>")
				d.soon(`vim.fn.getline(2) .. " " .. `+format, line+" no end")
			}
			d.keys(":w<CR>")
			d.holds("a.txt", "1\n2!aaaa\n3\n4")
		}
	})
}
