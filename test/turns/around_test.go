// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestReview_SaysWhatIsNotKept(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, map[string]any{"review": map[string]any{"git": false}})
		large := strings.Repeat("0123456789abcde\n", 300<<10)
		files := map[string][2]string{
			"large.txt": {large, large + "more\n"},
			"my.key":    {"secret\n", "other\n"},
			"data.bin":  {"\x00\x01", "\x00\x02"},
		}
		d.prompt()
		for name, c := range files {
			d.put(name, c[0])
			d.edit(d.client, name, c[1])
		}
		d.review()
		d.expect(list+`:gsub("%s+", " ")`, " modified data.bin binary| modified large.txt too large| modified my.key secret")
		d.soon("shape()", "1 - | *2 Claude's change | 2 Claude's changes")
		d.keys("]c")
		d.soon(`lines_of("Claude's change"):match("||(.-)|")`, "the text before was not kept: it is too large")
		d.keys("]c")
		d.soon(`lines_of("Claude's change"):match("||(.-)|")`, "the text before was not kept: it may hold secrets")
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("my.key: the text before was not kept: it may hold secrets")
		if got := d.read("my.key"); got != "other\n" {
			t.Errorf("written: %q", got)
		}
	})
}

func TestReview_KeepsNoTextThatTheFilterHolds(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.Lua(nil, `
			require("claudecode").state.config.selection_filter = function(buf)
				return vim.api.nvim_buf_get_name(buf):find("private") and "path" or "full"
			end
			told = {}
			vim.api.nvim_create_autocmd({ "BufAdd", "BufNew", "BufDelete", "BufWipeout", "BufEnter", "BufReadPre" }, {
				callback = function(event) table.insert(told, event.event) end,
			})
		`)
		d.replaces("private.txt", "a.txt")
		d.eventually("the daemon forgot it", func() (string, bool) {
			d.Lua(nil, `require("claudecode.turns.find").nth(1, function(turn)
				kept = turn and vim.iter(turn.files):map(function(file) return tostring(file.kept) end):join(" ")
			end)`)
			got := d.value("kept or ''")
			return got, got == "true false"
		})
		d.expect("told", "{}")
	})
}

func TestReview_NeedsSomebodyWhoLooks(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		e.Lua(nil, helpers)
		lock, client := e.Serve()
		d := &desk{e, t, lock, client}
		d.replaces("a.txt")
		for _, command := range []string{"ClaudeCodeReview", "ClaudeCodeTurns"} {
			d.Command(command)
		}
		d.says("There is no user interface to show it in")
		d.Command("ClaudeCodeRevert!")
		d.says("There is nobody to ask")
		d.expect("shape()", "*1 -")
		// What needs no window works.
		d.Command("edit a.txt")
		d.Command("ClaudeCodeRevert")
		d.holds("a.txt", "one\n")
	})
}

func TestReview_SaysThatTheServerIsGone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt", "b.txt")
		d.review()
		_, daemon := d.PIDs()
		process, err := os.FindProcess(daemon)
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		nvimtest.Eventually(t, "the server is back", func() bool {
			var pid int
			d.Lua(&pid, `local it = require("claudecode.daemon").current()
				return it and it.ready and it.ready.pid or 0`)
			return pid != 0 && pid != daemon
		})
		// Another daemon's first turn is another one.
		d.client = stage.Connect(t, stage.Find(t, d.Env))
		d.edits("a.txt", "three\n")
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("a.txt: the server ended, and what it kept is gone")
		d.keys("]c")
		d.says("b.txt cannot be shown: the server ended, and what it kept is gone")
		if got := d.read("a.txt"); got != "three\n" {
			t.Errorf("written: %q", got)
		}
		d.keys("q")
		d.soon("shape()", "*1 -")
		d.Command("ClaudeCodeStop")
		for _, command := range []string{"ClaudeCodeReview", "ClaudeCodeRevert!"} {
			d.Lua(nil, `require("claudecode.log").recent()`)
			d.keys(":" + command + "<CR>")
			d.says("no server runs: :ClaudeCodeStart starts it")
		}
		d.keys(":ClaudeCodeTurns<CR>")
		d.soon(`vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]`, "no server runs: :ClaudeCodeStart starts it")
	})
}

func TestReview_StandsBesideAProposal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, _ string) {
		d.put("a.txt", "one\ntwo\n")
		d.Command("edit a.txt")
		d.edits("a.txt", "one\nTWO\n")
		d.review()
		inside := d.value("shape()")
		before := d.value("vim.api.nvim_tabpage_list_wins(2)")
		// A proposal of the same file comes while it is reviewed.
		answer := make(chan error, 1)
		ctx := stage.Within(t)
		go func() {
			_, err := d.client.Call(ctx, "openDiff", map[string]any{
				"old_file_path": d.path("a.txt"), "new_file_path": d.path("a.txt"),
				"new_file_contents": "one\nTWO\nthree\n", "tab_name": "proposal",
			})
			answer <- err
		}()
		d.soon(`shape():find("proposal") ~= nil`, "true")
		d.expect("vim.api.nvim_tabpage_list_wins(2)", before)
		d.Command("ClaudeCodeCloseAllDiffs")
		if err := <-answer; err != nil {
			t.Error(err)
		}
		d.soon("shape()", inside)
		d.keys("do")
		d.holds("a.txt", "one\ntwo\n")
		d.keys("q")
		d.soon("shape()", "*1 a.txt")
		d.expect("vim.fn.maparg('do', 'n') .. vim.fn.maparg('q', 'n')", "")
	})
}

func TestReview_AsksForNoKeyWhereThereIsNoRoomForMessages(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.Command("set cmdheight=0")
		d.put("a.txt", "one\ntwo\n")
		d.Command("edit a.txt")
		d.edits("a.txt", "one\nTWO\n")
		d.review()
		d.keys("]c")
		d.says("This is the last change")
		d.keys("do")
		d.holds("a.txt", "one\ntwo\n")
		d.says(taken)
		d.keys("q")
		d.soon("shape()", "*1 a.txt")
	})
}

func TestReview_EndsWithAnyOfItsWindows(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, _ string) {
		d.edits("a.txt", "a\n")
		for _, keys := range []string{":q<CR>", "<C-w>b:q<CR>", "<C-w>t:q<CR>", ":tabclose<CR>", "<C-w>bq", "<C-w>tq"} {
			d.review()
			d.keys(keys)
			d.soon("shape()", "*1 -")
			d.soon(`require("claudecode.turns.review").current() == nil`, "true")
		}
		d.expect(`#vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs())`, "1")
	})
}

func TestReview_LeavesOutWhatTheUserSaved(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("mine.txt", "one\n")
		d.put("shell.txt", "one\n")
		d.repository()
		d.edits("a.txt", "a\n")
		d.Command("edit mine.txt")
		d.keys("ccmine<Esc>:w<CR>")
		d.holds("mine.txt", "mine\n")
		d.put("shell.txt", "two\n")
		d.review()
		d.expect(list+`:gsub("%s+", " ")`, " created a.txt +1 -0| modified shell.txt +1 -1 by a command")
	})
}

// A command rewrites, creates and removes in a work tree, a folder among it.
func TestRevert_OfTheTurnCoversCommands(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("tracked.txt", "one\r\ntwo")
		d.put("folder/in/it.txt", "x\n")
		if err := os.Symlink("tracked.txt", d.path("link")); err != nil {
			t.Fatal(err)
		}
		d.repository()
		d.edits("a.txt", "a\n")
		d.put("tracked.txt", "1\n")
		d.put("untracked.txt", "new\n")
		for _, err := range []error{
			os.RemoveAll(d.path("folder")), os.Remove(d.path("link")), os.Symlink("a.txt", d.path("link")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		d.wrote(d.client)
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 5 files are taken back")
		d.expect("asked", "Take back all that Claude changed?\n  remove   a.txt\n  restore  folder/in/it.txt  (by a command)\n"+
			"  write    link              (by a command)\n  write    tracked.txt       (by a command)\n"+
			"  remove   untracked.txt     (by a command)")
		for name, want := range map[string]string{
			"a.txt": "no file", "untracked.txt": "no file", "tracked.txt": "one\r\ntwo", "folder/in/it.txt": "x\n",
		} {
			d.holds(name, want)
		}
		if target, err := os.Readlink(d.path("link")); err != nil || target != "tracked.txt" {
			t.Errorf("the link leads to %s, %v", target, err)
		}
	})
}

func TestReview_OfAThousandFiles(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.prompt()
		for i := range 1000 {
			name := fmt.Sprintf("f%04d.txt", i)
			d.put(name, "one\n")
			d.announce(d.client, name)
			d.put(name, "two\n")
		}
		d.wrote(d.client)
		d.review()
		d.expect(`vim.api.nvim_buf_line_count(require("claudecode.turns.review").current().list)`, "1001")
		d.keys("q")
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 1000 files are taken back")
		d.expect(`asked:match("[^\n]*$")`, "  and 980 more")
		d.holds("f0000.txt", "one\n")
		d.holds("f0999.txt", "one\n")
	})
}
