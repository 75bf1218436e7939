// Copyright (c) 2026 the claudecoded authors. MIT license.

package mention

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

func TestAdd_TakesPathsAsTheyAre(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		var want []sent
		add := func(file, command string, start, end int) {
			t.Helper()
			path := e.Write(file, strings.Repeat("x\n", 9))
			want = append(want, sent{path, start, end})
			e.Lua(nil, "vim.cmd(...)", "ClaudeCodeAdd "+command)
		}
		add("plain.txt", "plain.txt", -1, -1)
		add("plain.txt", "plain.txt 5", 4, 4)
		add("plain.txt", "plain.txt 5 9", 4, 8)
		add("two words.txt", "two words.txt", -1, -1)
		add("two words.txt", `two\ words.txt 2 3`, 1, 2)
		add("two words.txt", `"two words.txt" 2`, 1, 1)
		add("two words.txt", `'two words.txt' 2 2`, 1, 1)
		add("7 8", "7 8", -1, -1)
		add("7 8", "7 8 9", 8, 8)
		add("$HOME.txt", "$HOME.txt", -1, -1)
		add("100%.txt", "100%.txt", -1, -1)
		add("a#b.txt", "a#b.txt", -1, -1)
		add("a|b.txt", "a|b.txt", -1, -1)
		add("[id].txt", "[id].txt", -1, -1)
		add("-x.txt", "-x.txt", -1, -1)
		add(`qu"ote.txt`, `qu"ote.txt`, -1, -1)
		add("%", "%", -1, -1)
		add(`back\slash.txt`, `back\slash.txt`, -1, -1)
		expect(t, client, want...)
	})
}

func TestAdd_ExpandsTheCurrentFile(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		path := e.Write("two words.txt", "1\n2\n3\n")
		e.Lua(nil, "vim.cmd.edit(vim.fn.fnameescape(...))", path)
		e.Command("ClaudeCodeAdd %")
		e.Command("ClaudeCodeAdd %:p 3")
		expect(t, client, sent{path, -1, -1}, sent{path, 2, 2})
	})
}

func TestAdd_CompletesToWhatItTakes(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		path := e.Write("a long name.txt", "1\n2\n3\n4\n")
		types(t, e, ":ClaudeCodeAdd a<Tab> 2 4<CR>")
		expect(t, client, sent{path, 1, 3})
	})
}

func TestAdd_SaysWhatIsWrong(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		e.Told("ClaudeCodeAdd x", "ClaudeCodeAdd: Claude Code integration is not running.")
		e.Command("ClaudeCodeStart")
		e.Write("a.txt", "x\n")
		for command, want := range map[string]string{
			"gone.txt":          "File or directory does not exist: gone.txt",
			"a.txt x":           "Invalid start line number: x",
			"a.txt 1 x":         "Invalid end line number: x",
			"a.txt -1":          "Start line must be positive: -1",
			"a.txt 0":           "Start line must be positive: 0",
			"a.txt 1 -2":        "End line must be positive: -2",
			"a.txt 9 3":         "Start line (9) must be <= end line (3)",
			"a.txt 1 2 3":       "Too many arguments. Usage: ",
			"no such file here": "Too many arguments. Usage: ",
		} {
			e.Told("ClaudeCodeAdd "+command, "ClaudeCodeAdd: "+want)
		}
	})
}

// Claude reads the file as it is on disk.
func TestAdd_KnowsWhereAFileEnds(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		path := e.Write("a.txt", "1\n2\n3")
		empty := e.Write("empty.txt", "")
		e.Lua(nil, `vim.cmd.edit("a.txt") vim.api.nvim_buf_set_lines(0, -1, -1, true, { "4", "5" })`)
		e.Told("ClaudeCodeAdd a.txt 4", "ClaudeCodeAdd: Line 4 does not exist: a.txt has 3 lines on disk")
		e.Told("ClaudeCodeAdd a.txt 4 5", "ClaudeCodeAdd: Line 4 does not exist: a.txt has 3 lines on disk")
		e.Told("ClaudeCodeAdd empty.txt 2", "ClaudeCodeAdd: Line 2 does not exist: empty.txt has 0 lines on disk")
		e.Told("ClaudeCodeAdd a.txt 2 9", "a.txt has 3 lines on disk: it is mentioned up to there")
		e.Command("ClaudeCodeAdd a.txt 3")
		e.Command("ClaudeCodeAdd empty.txt 1")
		e.Command("ClaudeCodeAdd . 7") // a folder has no lines
		expect(t, client, sent{path, 1, 2}, sent{path, 2, 2}, sent{empty, 0, 0}, sent{e.Project + "/", -1, -1})
	})
}

func TestSend_MentionsTheLinesOfARangeOrOfTheVisualArea(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		client := serve(t, e)
		path := e.Write("a.txt", "1\n2\n3\n4\n5\n")
		e.Lua(nil, "vim.cmd.edit(vim.fn.fnameescape(...))", path)
		e.Lua(nil, `vim.keymap.set("x", "gs", "<cmd>ClaudeCodeSend<cr>")
			vim.keymap.set("x", "gl", function() vim.cmd.ClaudeCodeSend() end)`)
		want := []sent{}
		step := func(keys string, start, end int) {
			t.Helper()
			types(t, e, keys)
			want = append(want, sent{path, start, end})
			expect(t, client, want...)
		}
		step(":2,3ClaudeCodeSend<CR>", 1, 2)
		step(":%ClaudeCodeSend<CR>", 0, 4)
		step("ggVj:ClaudeCodeSend<CR>", 0, 1)
		step("3GVkgs", 1, 2)
		step("4Gvgl", 3, 3)
		mode, err := e.Mode()
		if err != nil || mode.Mode != "n" {
			t.Errorf("the mode is %v, %v", mode, err)
		}
		var contexts []string
		e.Lua(&contexts, `return vim.tbl_map(function(data) return data.context end, completed)`)
		nvimtest.Eventually(t, "all are announced", func() bool {
			e.Lua(&contexts, `return vim.tbl_map(function(data) return data.context end, completed)`)
			return len(contexts) == 5
		})
		if contexts[0] != "ClaudeCodeSend" || contexts[3] != "ClaudeCodeSend_visual" {
			t.Errorf("the contexts are %v", contexts)
		}
	})
}

func TestSend_RefusesWhatClaudeCannotRead(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		e.Told("1ClaudeCodeSend", "Claude Code integration is not running.")
		e.Command("ClaudeCodeStart")
		e.Told("1ClaudeCodeSend", "Invalid range selection to send as at-mention.")
		e.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "text" })`)
		e.Told("1ClaudeCodeSend", "Failed to send at-mention: this buffer has no file that Claude could read")
		const unnamed = "Failed to send at-mention: this buffer has no file that Claude could read: :w NAME makes one"
		e.Told("1ClaudeCodeSend", unnamed)
		e.Told("ClaudeCodeSend", unnamed)
		e.Lua(nil, `require("claudecode").state.config.selection_filter = function() return "full" end`)
		e.Told("1ClaudeCodeSend", unnamed)
		e.Told("ClaudeCodeAdd %", "ClaudeCodeAdd: % is the current file, and this buffer has none: :w NAME makes one")
		e.Command("file new.txt")
		e.Told("ClaudeCodeAdd %", "ClaudeCodeAdd: File or directory does not exist: "+e.Project+"/new.txt")
		e.Lua(nil, `require("claudecode").state.config.track_selection = false`)
		e.Told("ClaudeCodeSend", "Selection tracking is not enabled.")
	})
}
