// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

var layouts = []string{"vertical", "horizontal", "unified"}

// each runs f for each Neovim and each layout.
func each(t *testing.T, f func(t *testing.T, d *desk, layout string)) {
	t.Helper()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, layout := range layouts {
			t.Run(layout, func(t *testing.T) {
				f(t, open(t, nvim, map[string]any{"diff_opts": map[string]any{"layout": layout}}), layout)
			})
		}
	})
}

// numbered is a text of n lines, with changes by number.
func numbered(n int, changes map[int]string) string {
	var text strings.Builder
	for i := 1; i <= n; i++ {
		line := fmt.Sprintf("line %d\n", i)
		if change, ok := changes[i]; ok {
			line = change
		}
		text.WriteString(line)
	}
	return text.String()
}

func TestReview_ListsWhatTheLastPromptChanged(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, layout string) {
		d.put("a.txt", "one\ntwo\nthree\n")
		d.put("gone.txt", "old\n")
		d.put("same.txt", "same\n")
		d.edits("a.txt", "one\nTWO\nmore\nthree\n", "gone.txt", "no file", "new.txt", "x\ny\n", "same.txt", "same\n")
		d.review()
		d.expect(list, "  modified  a.txt     +2  -1|  deleted   gone.txt  +0  -1|  created   new.txt   +2  -0")
		d.soon("shape()", map[string]string{
			"vertical":   "1 - | 2 a.txt (before) diff | *2 a.txt diff | 2 Claude's changes",
			"horizontal": "1 - | 2 a.txt (before) diff | *2 a.txt diff | 2 Claude's changes",
			"unified":    "1 - | *2 a.txt (review) | 2 Claude's changes",
		}[layout])
		if layout == "unified" {
			d.expect(`lines_of("a.txt (review)")`, "one|two|TWO|more|three")
		} else {
			d.expect(`lines_of("a.txt (before)")`, "one|two|three")
			d.expect(`lines_of("a.txt")`, "one|TWO|more|three")
		}
		d.expect(`vim.api.nvim_win_get_cursor(0)`, "{ 2, 0 }")
	})
}

func TestReview_GoesThroughTheChangesOfAllFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, layout string) {
		d.put("a.txt", numbered(40, nil))
		d.put("b.txt", numbered(40, nil))
		changed := numbered(40, map[int]string{1: "new\n", 40: "new\n"})
		d.edits("a.txt", changed, "b.txt", changed)
		d.review()
		// In one buffer each change takes a line more.
		more := 0
		if layout == "unified" {
			more = 1
		}
		here := `vim.fs.basename(vim.api.nvim_buf_get_name(0)):sub(1, 1) .. " " .. vim.api.nvim_win_get_cursor(0)[1]`
		d.soon(here, "a 1")
		for _, step := range []struct {
			keys, want string
		}{
			{"]c", fmt.Sprint("a ", 40+more)},
			{"]c", "b 1"},
			{"]c", fmt.Sprint("b ", 40+more)},
			{"[c", "b 1"},
			{"[c", fmt.Sprint("a ", 40+more)},
			{"[c", "a 1"},
		} {
			d.keys(step.keys)
			d.soon(here, step.want)
		}
		d.keys("[c")
		d.says("This is the first change")
		d.expect(here, "a 1")
	})
}

func TestReview_IsOfTheNthLastPromptThatChangedFiles(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.keys(":ClaudeCodeReview<CR>")
		d.says("Claude has changed no file, as far as is known")
		d.edits("a.txt", "a\n")
		d.prompt()
		d.edits("b.txt", "b\n")
		d.prompt()
		d.review()
		d.expect(list, "  created  b.txt  +1  -0")
		d.keys("q")
		d.soon("shape()", "*1 -")
		d.review("2")
		d.expect(list, "  created  a.txt  +1  -0")
		d.keys("q")
		d.soon("shape()", "*1 -")
		d.keys(":ClaudeCodeReview 3<CR>")
		d.says("only 2 of Claude's prompts changed files")
		d.keys(":ClaudeCodeReview x<CR>")
		d.says("The argument is a number")
	})
}

func TestReview_LeavesAllAsItWas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, _ string) {
		d.put("a.txt", numbered(60, nil))
		d.put("b.txt", numbered(60, nil))
		d.put("hidden.txt", numbered(60, nil))
		d.Lua(nil, `
			vim.cmd("edit hidden.txt | 20 | edit a.txt | split b.txt | vsplit | setlocal foldmethod=manual scrollbind nowrap | 10,20fold | wincmd p")
			vim.cmd("normal! 5Gyy\"add")
			vim.cmd("undo | normal! 30Gma50G")
			vim.fn.setreg("/", "line")
		`)
		d.edits("a.txt", numbered(60, map[int]string{3: "new\n", 30: "new\n"}), "hidden.txt", numbered(60, map[int]string{3: "new\n"}))
		d.soon(`vim.api.nvim_buf_get_lines(vim.fn.bufnr("^a.txt$"), 2, 3, false)[1]`, "new")
		before := d.value("state()")
		d.review()
		d.keys("]c")
		d.soon(`vim.api.nvim_win_get_cursor(0)[1] >= 30`, "true")
		d.keys("]c")
		d.soon(`vim.fs.basename(vim.api.nvim_buf_get_name(0)):sub(1, 6)`, "hidden")
		d.keys("[c")
		d.soon(`vim.fs.basename(vim.api.nvim_buf_get_name(0)):sub(1, 5)`, "a.txt")
		d.keys("q")
		d.soon(`#vim.api.nvim_list_tabpages()`, "1")
		d.soon("state()", before)
	})
}

// The text before is shown with the line ends of the file now, so that others show.
func TestReview_ShowsChangedLineEnds(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", "one\r\ntwo\r\n", "one\ntwo\n")
		d.review()
		d.expect(`lines_of("a.txt (before)")`, "one\r|two\r")
		d.expect(`vim.o.fileformats`, "unix,dos")
	})
}

// Each of its windows stands for a file, whatever the name of its buffer.
func TestReview_IsOfTheFileThatAMentionMeans(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, _ string) {
		d.replaces("a.txt")
		d.Lua(nil, `
			mentioned = {}
			require("claudecode.mention").send = function(path)
				table.insert(mentioned, vim.fs.basename(path))
				return true
			end`)
		d.review()
		for range 3 {
			d.keys(":ClaudeCodeAdd %<CR><C-w>w")
		}
		d.soon("mentioned", `{ "a.txt", "a.txt", "a.txt" }`)
	})
}
