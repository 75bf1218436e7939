// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// numbered is a text of n lines, with changes by number.
func numbered(n int, changes map[int]string) string {
	var text strings.Builder
	for i := 1; i <= n; i++ {
		line := "line " + strconv.Itoa(i)
		if change, ok := changes[i]; ok {
			line = change
		}
		text.WriteString(line + "\n")
	}
	return text.String()
}

// writers are how a client may write the file.
var writers = map[string]func(t *testing.T, path, text string){
	"in place": func(t *testing.T, path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	},
	"renamed over": func(t *testing.T, path, text string) {
		temporary := path + ".tmp"
		if err := os.WriteFile(temporary, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temporary, path); err != nil {
			t.Fatal(err)
		}
	},
}

func TestAcceptance_ReloadsTheFileOnceItIsWritten(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, write := range writers {
			for _, layout := range []string{"vertical", "unified"} {
				t.Run(name+" "+layout, func(t *testing.T) {
					e := open(t, nvim, map[string]any{"layout": layout})
					path := e.write("long.txt", numbered(200, nil))
					text := numbered(200, map[int]string{50: "changed by Claude"})
					e.Lua(nil, `
						vim.o.autoread = false
						vim.cmd("edit long.txt | set foldmethod=manual | 120,130fold | 140,150fold | 140foldopen")
						vim.cmd("normal! 1Gx")
						vim.cmd("undo | 100 | normal! zt3l")
						vim.cmd("split | setlocal foldmethod=expr foldexpr=v:lnum%10==1?'>1':1 foldlevel=0 | 121foldopen | 20 | normal! zt2l")
						vim.cmd("wincmd p")
						function state()
							local seen = {}
							for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
								table.insert(seen, vim.api.nvim_win_call(win, function()
									return { vim.fn.winsaveview(), vim.fn.foldclosedend(125), vim.fn.foldclosed(145), vim.fn.foldlevel(145), vim.fn.foldclosed(91) }
								end))
							end
							return seen
						end
						before = state()
					`)
					e.propose("a", "long.txt", text)
					e.Lua(nil, `vim.api.nvim_win_call(events[1][2].diff_window, function() require("claudecode.diff").accept_current_diff() end)`)
					e.expectSoon(`#answers.a`, "1")
					e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name("a")`)
					e.expectSoon(`#events`, "2")
					write(t, path, text)
					e.expectSoon(`vim.api.nvim_buf_get_lines(0, 49, 50, true)[1]`, "changed by Claude")
					e.expect(`state()`, e.value(`before`))
					e.expect(`vim.bo.modified`, "false")
					e.Lua(nil, `vim.cmd("silent undo")`)
					e.expect(`vim.api.nvim_buf_get_lines(0, 49, 50, true)[1]`, "line 50")
				})
			}
		}
	})
}

func TestAcceptance_NeverWritesTheFile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, map[string]any{"focus": true})
		path := filepath.Join(e.Project, "f.txt")
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		e.propose("a", "f.txt", proposed)
		e.keys(":w<CR>")
		e.expectSoon(`answers.a`, saved)
		e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
		e.expectSoon(`shape()`, alone)
		after, err := os.Stat(path)
		if err != nil || after.ModTime() != before.ModTime() || e.read("f.txt") != "one\ntwo\nthree\n" {
			t.Errorf("%v: %q", err, e.read("f.txt"))
		}
	})
}

func TestAcceptance_KeepsUnsavedTextOfTheUsers(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		e.propose("a", "f.txt", proposed)
		e.Lua(nil, `vim.api.nvim_win_call(events[1][2].diff_window, function() require("claudecode.diff").accept_current_diff() end)
			require("claudecode.diff").close_all_diffs()`)
		e.expectSoon(`shape()`, alone)
		e.keys("ccmine<Esc>")
		e.expectSoon(`vim.api.nvim_get_current_line()`, "mine")
		e.write("f.txt", proposed)
		e.Lua(nil, `require("claudecode.diff").reload_file_buffers_manual(vim.api.nvim_buf_get_name(0))`)
		e.expect(`vim.api.nvim_buf_get_lines(0, 0, -1, true)`, `{ "mine", "two", "three" }`)
	})
}

// On some network file systems nobody is told of a write: here it happens in another folder of
// the same name.
func TestAcceptance_LooksAtTheFileInTheEndIfNobodyTellsOfAWrite(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		folder := filepath.Join(e.Project, "sub")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		e.write("sub/f.txt", "one\ntwo\nthree\n")
		e.Command("edit sub/f.txt")
		e.propose("a", "sub/f.txt", proposed)
		e.StopClock()
		e.Lua(nil, `vim.api.nvim_win_call(events[1][2].diff_window, function() require("claudecode.diff").accept_current_diff() end)`)
		e.expectSoon(`#answers.a`, "1")
		if err := os.Rename(folder, folder+".old"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		e.write("sub/f.txt", proposed)
		lines := `table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr("sub/f.txt$"), 0, -1, true), " ")`
		e.Advance(29_999)
		e.expect(lines, "one two three")
		e.Advance(1)
		e.expect(lines, strings.Join(strings.Fields(proposed), " "))
		e.write("sub/f.txt", "later\n") // is not Claude's any more
		e.Advance(60_000)
		e.expect(lines, strings.Join(strings.Fields(proposed), " "))
	})
}

func TestAcceptance_WatchesABoundedNumberOfFiles(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		e.StopClock()
		e.Lua(nil, `
			reload = require("claudecode.diff.reload")
			bufs = {}
			for i = 0, reload.max_watched do
				local path = vim.fn.getcwd() .. ("/%d.txt"):format(i)
				vim.fn.writefile({ "old" }, path)
				bufs[i] = vim.fn.bufadd(path)
				vim.fn.bufload(bufs[i])
				reload.watch(path)
			end
			reload.watch(vim.api.nvim_buf_get_name(bufs[1])) -- again, in place of the one before
			function text(i) return vim.api.nvim_buf_get_lines(bufs[i], 0, 1, true)[1] end
			function watched()
				return #vim.tbl_filter(function(timer) return timer.callback and timer.ms == reload.times.patience end, timers)
			end
		`)
		e.expect(`watched()`, "64")
		e.write("0.txt", "new text\n")
		e.write("1.txt", "new text\n")
		e.until("the file is read again", `text(1) == "new text" or advance(50)`)
		e.Advance(60_000)
		e.expect(`text(0)`, "old")
		e.expect(`watched()`, "0")
	})
}
