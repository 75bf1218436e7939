// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"os"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

const taken = "taken back"

func TestRevert_TakesBackTheHunkUnderTheCursor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, layout string) {
		before := numbered(40, nil)
		d.changes("a.txt", before, numbered(40, map[int]string{3: "new\n", 20: "", 30: "new\nmore\n"}))
		d.review()
		// In one buffer old lines stand above new ones.
		unified := layout == "unified"
		either := func(a, b string) string {
			if unified {
				return b
			}
			return a
		}
		at := func(line, count string) {
			d.soon(`vim.api.nvim_win_get_cursor(0)[1] .. " of " .. vim.api.nvim_buf_line_count(0)`, line+" of "+count)
		}
		d.keys("]c]c")
		at(either("29", "31"), either("40", "43"))
		d.keys("do")
		d.holds("a.txt", numbered(40, map[int]string{3: "new\n", 20: ""}))
		at(either("29", "31"), either("39", "41"))
		d.says(taken)
		// The hunk above takes away a line, at whose place the cursor is.
		d.keys("[c")
		at(either("20", "21"), either("39", "41"))
		d.Lua(nil, `shown = require("claudecode.turns.review").current().view`)
		d.keys("do")
		d.holds("a.txt", numbered(40, map[int]string{3: "new\n"}))
		// Until it is drawn again, what is shown there is none of the file's lines.
		d.soon(`shown.live ~= nil or require("claudecode.turns.review").current().view ~= shown`, "true")
		at(either("20", "21"), either("40", "41"))
		d.keys("[cdo")
		d.holds("a.txt", before)
		d.soon(list, "  taken back  a.txt  +3  -3")
	})
}

func TestRevert_IsUndoneByU(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		before, after := numbered(12000, nil), numbered(12000, map[int]string{3: "new\n", 30: "new\n"})
		d.put("a.txt", before)
		d.Command("edit a.txt")
		d.edits("a.txt", after)
		d.review()
		d.keys("do")
		d.holds("a.txt", numbered(12000, map[int]string{30: "new\n"}))
		d.soon(`vim.bo.modified or vim.api.nvim_buf_get_lines(0, 2, 3, true)[1]`, "line 3")
		d.keys("u")
		d.soon(`vim.bo.modified and vim.api.nvim_buf_get_lines(0, 2, 3, true)[1]`, "new")
		d.keys(":w<CR>")
		d.holds("a.txt", after)
		d.expect(`vim.o.undoreload`, "10000")
	})
}

func TestRevert_TakesBackARangeOrTheFileWithoutAReview(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		before := numbered(40, nil)
		d.put("b.txt", before)
		d.changes("a.txt", before, numbered(40, map[int]string{3: "new\n", 10: "new\n", 30: "new\n"}))
		d.edits("b.txt", numbered(40, map[int]string{3: "new\n"}))
		d.Command("edit a.txt")
		d.keys(":5,7ClaudeCodeRevert<CR>")
		d.says("a.txt: no change of Claude's in these lines")
		d.keys(":2,10ClaudeCodeRevert<CR>")
		d.holds("a.txt", numbered(40, map[int]string{30: "new\n"}))
		d.soon(`vim.api.nvim_buf_get_lines(0, 2, 3, true)[1]`, "line 3")
		d.keys(":ClaudeCodeRevert<CR>")
		d.holds("a.txt", before)
		d.expect("shape()", "*1 a.txt")
		d.put("c.txt", before)
		d.Command("edit c.txt")
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("Claude has not changed c.txt, as far as is known")
		d.Command("enew")
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("There is no file here")
	})
}

// strange are files that are no plain text.
var strange = map[string]struct{ before, after string }{
	"CRLF":                      {"one\r\ntwo\r\nthree\r\n", "one\r\nTWO\r\nthree\r\n"},
	"from CRLF to LF":           {"one\r\ntwo\r\n", "one\ntwo\n"},
	"mixed line ends":           {"one\r\ntwo\nthree\r\n", "one\r\nTWO\nthree\n"},
	"no final newline":          {"one\ntwo", "one\nTWO"},
	"a final newline more":      {"one\ntwo", "one\ntwo\n"},
	"byte order mark":           {"\ufeffone\ntwo\n", "\ufeffone\nTWO\n"},
	"byte order mark less":      {"\ufeffone\ntwo\n", "one\ntwo\n"},
	"Latin-1":                   {"caf\xe9\ntwo\n", "caf\xe9\nTWO\n"},
	"UTF-16":                    {"\xff\xfeo\x00\n\x00t\x00\n\x00", "\xff\xfeo\x00\n\x00T\x00\n\x00"},
	"binary":                    {"\x00\x01\x02\nx", "\x00\x01\x03\nx"},
	"carriage returns":          {"one\rtwo\r", "one\rTWO\r"},
	"made empty":                {"one\n", ""},
	"no text to a text":         {"", "one\n"},
	"only an empty line to two": {"\n", "\n\n"},
	"a long line":               {strings.Repeat("x", 100000) + "\n", strings.Repeat("y", 100000) + "\n"},
}

func TestRevert_GivesBackTheBytesOfStrangeFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, _ string) {
		for name, c := range strange {
			d.changes(name, c.before, c.after)
			d.review()
			d.keys("<C-w>b")
			d.soon(`vim.bo.filetype`, "claudecode-review")
			d.keys(":ClaudeCodeRevert<CR>")
			d.holds(name, c.before)
			d.soon(list+`:match("%S+ %S+")`, taken)
			d.keys("q")
			d.soon(`#vim.api.nvim_list_tabpages()`, "1")
		}
	})
}

func TestRevert_OfTheTurnGivesBackEverything(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("a.txt", "one\ntwo\n")
		d.put("run.sh", "#!/bin/sh\n")
		if err := os.Chmod(d.path("run.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
		d.put("gone.txt", "old\n")
		d.Command("edit new.txt")
		d.Command("split a.txt")
		d.edits("a.txt", "one\nTWO\n", "run.sh", "#!/bin/sh\nexit\n", "gone.txt", "no file", "new.txt", "new\n")
		d.Lua(nil, `vim.ui.select = function(items, options, on_choice)
			asked, answer = options.prompt, function(n) on_choice(items[n], n) end
		end`)
		d.keys(":ClaudeCodeRevert!<CR>")
		d.soon("asked", "Take back all that Claude changed?\n"+
			"  write    a.txt\n  restore  gone.txt\n  remove   new.txt\n  write    run.sh")
		if d.read("a.txt") != "one\nTWO\n" {
			t.Error("it was written before the answer")
		}
		d.Lua(nil, "answer(2)")
		d.keys(":ClaudeCodeRevert!<CR>")
		d.Lua(nil, "asked = nil")
		d.soon("asked ~= nil", "true")
		d.Lua(nil, "answer(1)")
		d.says("Claude's changes of 4 files are taken back")
		for name, want := range map[string]string{
			"a.txt": "one\ntwo\n", "run.sh": "#!/bin/sh\n", "gone.txt": "old\n", "new.txt": "no file",
		} {
			d.holds(name, want)
		}
		if info, err := os.Stat(d.path("run.sh")); err != nil || info.Mode() != 0o755 {
			t.Errorf("the mode is %v, %v", info.Mode(), err)
		}
		d.soon(`lines_of("a.txt")`, "one|two")
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("All is as it was before")
		// Neovim does not warn of the file that is gone.
		d.keys(":let v:warningmsg = '' | checktime | let checked = 1<CR>")
		d.soon(`vim.g.checked == 1 and vim.v.warningmsg`, "")
	})
}

func TestRevert_MergesWithWhatTheUserWroteSince(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", numbered(40, nil), numbered(40, map[int]string{3: "new\n", 30: "new\n"}))
		d.Command("edit a.txt")
		d.keys("1GOmine<Esc>:20d<CR>:w<CR>")
		d.soon(`vim.bo.modified`, "false")
		d.keys(":4ClaudeCodeRevert<CR>")
		// The deleted line is the 19th of the text without the one above.
		d.holds("a.txt", "mine\n"+numbered(40, map[int]string{19: "", 30: "new\n"}))
		d.soon(`vim.api.nvim_buf_get_lines(0, 3, 4, true)[1]`, "line 3")
		d.keys(":ClaudeCodeRevert<CR>")
		d.holds("a.txt", "mine\n"+numbered(40, map[int]string{19: ""}))
	})
}

func TestRevert_MergesInABufferWithUnsavedChangesAndDoesNotWrite(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, end := range map[string]string{"unix.txt": "\n", "dos.txt": "\r\n"} {
			d := open(t, nvim, nil)
			with := func(text string) string { return strings.ReplaceAll(text, "\n", end) }
			after := with(numbered(40, map[int]string{3: "new\n", 30: "new\n"}))
			d.changes(name, with(numbered(40, nil)), after)
			d.Command("edit " + name)
			d.keys("1GOmine<Esc>:ClaudeCodeReview<CR>")
			d.soon(`require("claudecode.turns.review").current() ~= nil and vim.wo.diff`, "true")
			d.keys("4Gdo")
			d.says("not written")
			d.soon(`vim.bo.modified and vim.api.nvim_buf_get_lines(0, 3, 4, true)[1]`, "line 3")
			d.expect(`vim.api.nvim_buf_get_lines(0, 30, 31, true)[1]`, "new")
			if got := d.read(name); got != after {
				t.Errorf("written: %q", got)
			}
			d.keys("q")
			d.soon("shape()", "*1 "+name)
			d.keys(":w<CR>")
			d.holds(name, with("mine\n"+numbered(40, map[int]string{30: "new\n"})))
		}
	})
}

func TestRevert_ShowsAConflictAndWritesNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", "one\ntwo\nthree\n", "one\nTWO\nthree\n")
		d.Command("edit a.txt")
		d.keys("2Gccmine<Esc>:w<CR>")
		d.holds("a.txt", "one\nmine\nthree\n")
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("overlaps, nothing is written")
		d.soon("shape()", "1 a.txt | *1 a.txt (conflict)")
		d.expect(`lines_of("a.txt (conflict)")`,
			"one|<<<<<<< now|mine|||||||| after Claude's change|TWO|=======|two|>>>>>>> before it|three")
		d.keys("q")
		d.soon("shape()", "*1 a.txt")
		if got := d.read("a.txt"); got != "one\nmine\nthree\n" {
			t.Errorf("written: %q", got)
		}
		d.expect(`vim.bo.modified`, "false")
		// It ends with the review in which it was opened.
		d.review()
		d.keys("do")
		d.soon(`shape():find("(conflict)", 1, true) ~= nil`, "true")
		d.Lua(nil, `require("claudecode.turns.review").close()`)
		d.soon("shape()", "*1 a.txt")
	})
}

func TestRevert_WritesNothingThatChangedUnderIt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt", "b.txt")
		d.asks()
		d.put("b.txt", "mine\n")
		d.Lua(nil, "answer()")
		d.says("taken back: 0 files")
		if a, b := d.read("a.txt"), d.read("b.txt"); a != "two\n" || b != "mine\n" {
			t.Errorf("%q %q", a, b)
		}
	})
}
