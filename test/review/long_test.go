// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"fmt"
	"strings"
	"testing"
)

// long are two texts of so many lines that differ in every way: first and last lines, changed
// lines far apart and close together, others that only one side has.
func long(lines int) (old, changed string) {
	var a, b strings.Builder
	for i := range lines {
		line := fmt.Sprintf("line %d with an é\n", i)
		inOld, inNew := line, line
		switch {
		case i == 0 || i == 1000 || i == 1008 || i == 1030 || i >= 3000 && i < 3050:
			inNew = strings.ReplaceAll(line, "line", "row")
		case i == 2000 || i == 2500 || i == 2501:
			inNew = ""
		case i == 4000 || i == 4013:
			inNew += "more\nand more\n"
		case i == lines-1:
			inNew = ""
		}
		a.WriteString(inOld)
		b.WriteString(inNew)
	}
	return a.String(), b.String()
}

// countSlices notes how much work in slices is under way.
const countSlices = `
	local slices = require("mcp-tools.slices")
	local run = slices.run
	working = 0
	slices.run = function(work, ...)
		working = working + 1
		return run(function()
			work()
			working = working - 1
		end, ...)
	end
`

// folded are the lines of both windows that a fold hides.
const folded = `(function()
	local hidden = {}
	for _, win in ipairs({ events[#events][2].target_window, events[#events][2].diff_window }) do
		vim.api.nvim_win_call(win, function()
			for line = 1, vim.fn.line("$") do
				local last = vim.fn.foldclosedend(line)
				if vim.fn.foldclosed(line) == line then
					table.insert(hidden, line .. "-" .. last)
				end
			end
			table.insert(hidden, vim.fn.line("$"))
		end)
	end
	return table.concat(hidden, " ")
end)()`

func TestDiff_OfALongTextFoldsWhatIsAlikeAsNeovimWould(t *testing.T) {
	t.Parallel()
	each(t, native[:1], func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Lua(nil, countSlices)
		old, changed := long(6000)
		for name, c := range map[string]struct{ old, changed, options string }{
			"differs":       {old, changed, ""},
			"context":       {changed, old, "context:2"},
			"more behind":   {old, old + "more\n", ""},
			"without end":   {strings.TrimSuffix(old, "\n"), changed, "algorithm:patience"},
			"repeated":      {strings.Repeat("a\nb\n", 3000), strings.Repeat("a\nb\n", 3007), ""},
			"blanks":        {old, strings.ReplaceAll(changed, "line 7", "line  7"), "iwhite"},
			"nothing else":  {old, old, ""},
			"nothing alike": {old, strings.ReplaceAll(old, "line", "row"), ""},
		} {
			e.write("f.txt", c.old)
			e.Command("edit! f.txt | setlocal foldmethod=manual | 20,30fold | 25 | normal! zo")
			if c.options != "" {
				e.Command("set diffopt+=" + c.options)
			}
			e.propose(name, "f.txt", c.changed)
			e.until("what is alike is folded", `working == 0`)
			got := e.value(folded)
			e.Lua(nil, `
				for _, win in ipairs({ events[#events][2].target_window, events[#events][2].diff_window }) do
					vim.wo[win].foldmethod = "diff"
				end
				vim.cmd.redraw()
			`)
			if want := e.value(folded); got != want {
				t.Errorf("%s: folded is\n\t%s, want\n\t%s", name, got, want)
			}
			e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name(...)`, name)
			e.expectSoon(`shape()`, "*1 f.txt")
			e.expect(`{ vim.wo.foldmethod, vim.wo.scrollbind, vim.fn.foldlevel(19), vim.fn.foldlevel(20), vim.fn.foldclosed(21), vim.fn.foldlevel(3500) }`,
				`{ "manual", false, 0, 1, -1, 0 }`)
			if c.options != "" {
				e.Command("set diffopt-=" + c.options)
			}
		}
	})
}

func TestDiff_OfALongTextIsAnsweredToTheByteWhateverComesMeanwhile(t *testing.T) {
	t.Parallel()
	each(t, native[:1], func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Lua(nil, countSlices)
		old, changed := long(20000)
		e.write("f.txt", old)
		e.Command("edit!")
		changed = "\xef\xbb\xbf" + strings.TrimSuffix(changed, "\n") + "\x00\r"
		for name, c := range map[string]struct{ keys, lua string }{
			"nothing": {lua: `vim.cmd.ClaudeCodeDiffAccept()`},
			"written": {keys: ":w<CR>"},
			"closed":  {keys: ":wq<CR>"},
			"a close": {lua: `vim.cmd.ClaudeCodeDiffAccept() require("claudecode.diff").close_diff_by_tab_name(name)`},
			"an end":  {lua: `vim.cmd.ClaudeCodeDiffAccept() require("claudecode.diff").close_pending_diffs()`},
			"a reset": {lua: `vim.cmd.ClaudeCodeDiffAccept() vim.cmd("edit!")`},
			"an exit": {lua: `vim.cmd.ClaudeCodeDiffAccept() vim.cmd("doautocmd VimLeavePre") assert(#answers[name] == 1)`},
		} {
			e.propose(name, "f.txt", changed)
			e.enter()
			e.keys(c.keys)
			e.Lua(nil, `name = ... `+c.lua, name)
			e.until("it is answered", `#answers[`+quote(name)+`] > 0`)
			var answers [][]string
			e.Lua(&answers, `return answers[...]`, name)
			if len(answers) != 1 || len(answers[0]) != 2 || answers[0][0] != "FILE_SAVED" || answers[0][1] != changed {
				t.Errorf("%s: answered %.200q", name, answers)
			}
			e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name(...)`, name)
			e.expectSoon(`shape()`, "*1 f.txt")
			e.expectSoon(`buffers()`, `{ "f.txt" }`)
		}
	})
}

func TestDiff_OfALongTextThatIsDroppedLeavesNothing(t *testing.T) {
	t.Parallel()
	each(t, native[:1], func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		_, changed := long(20000)
		for name, lua := range map[string]string{
			"while it is filled": ``,
			"while it waits": `
				require("claudecode.moment").quiet_ms = 1e9
				assert(vim.wait(20000, function() return require("claudecode.moment").summary() ~= nil end, 1))
			`,
		} {
			e.Lua(nil, `
				propose(...)
				assert(#vim.api.nvim_list_bufs() == 2)
				`+lua+`
				drop()
			`, name, e.Project+"/f.txt", changed)
			e.expect(`#vim.api.nvim_list_bufs()`, "1")
			e.expect(`answers[`+quote(name)+`]`, "{}")
			e.expect(`shape()`, "*1 f.txt")
		}
	})
}

// A tool takes what was accepted in parts, of which the last may be an empty line without an end.
func TestDiff_OfALongTextIsWrittenToTheByteInParts(t *testing.T) {
	t.Parallel()
	each(t, []string{"vertical", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		text := strings.Repeat("a line\r\n", 39999) + "the last"
		keys, want := "", text
		if layout == "vertical" {
			keys, want = "Go<Esc>", text+"\n"
		}
		for range 2 {
			e.Lua(nil, `outcome = nil
				require("mcp-tools.review").propose({ { path = vim.api.nvim_buf_get_name(0), text = ... } },
					{ on_cancel = function() end }, function(...) outcome = { ... } end)`, text)
			e.until("the diff is open", `#events > 0 and events[#events][1] == "Opened"`)
			e.enter()
			e.keys(keys + ":w<CR>ix<Esc>")
			e.until("it is written", `outcome ~= nil and #outcome[1].accepted == 1 and not outcome[2]`)
			if got := e.read("f.txt"); got != want {
				t.Fatalf("the file has %d bytes, want %d; it ends with %q", len(got), len(want), got[max(0, len(got)-20):])
			}
			text, want = "new "+text, "new "+want
			e.until("the diff is closed", `events[#events][1] == "Closed" and not vim.bo.modified`)
			e.expectSoon(`shape()`, "*1 f.txt")
		}
	})
}

// Nobody asks for the end of a diff whose text nobody waits for any more.
func TestDiff_ThatIsDroppedWhileItsTextIsReadIsClosed(t *testing.T) {
	t.Parallel()
	each(t, native[:1], func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		_, changed := long(20000)
		e.propose("name", "f.txt", changed)
		e.Lua(nil, `vim.api.nvim_set_current_win(events[#events][2].diff_window)
			vim.cmd.ClaudeCodeDiffAccept()
			assert(#answers.name == 0)
			drop()`)
		e.expectSoon(`shape()`, "*1 f.txt")
		e.expectSoon(`buffers()`, `{ "f.txt" }`)
		e.expect(`#answers.name`, "0")
	})
}
