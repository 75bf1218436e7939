// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

func TestSendText_TypesAndSubmits(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ code, want string }{
		"command": {`vim.cmd('ClaudeCodeSendText a | b  "c" %')`, "a | b  \"c\" %\r"},
		"bang":    {`vim.cmd("ClaudeCodeSendText! a b")`, "a b"},
		"lines":   {`send("a\r\nb\rc\nd")`, "\x1b[200~a\nb\nc\nd\x1b[201~\r"},
		"escape":  {`send("a\27[201~\nb", { submit = false })`, "\x1b[200~a\nb\x1b[201~"},
		"focus":   {`send("a", { focus = true })`, "a\r"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, nil)
				d.Command("ClaudeCode")
				one := d.ready(1)
				d.Command("ClaudeCode")
				d.sees("f.txt* n")
				d.Lua(nil, `send = require("claudecode.terminal").send_to_terminal `+row.code)
				d.typed(one, row.want)
				if name == "focus" {
					d.sees("f.txt claude* t")
				} else {
					d.sees("f.txt* n")
				}
			})
		})
	}
}

func TestSendText_StartsNothing(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("set columns=200")
		d.Told("ClaudeCodeSendText hello", "no Claude runs in the editor")
		d.Told(`lua result = require("claudecode.terminal").send_to_terminal("")`, "no text to send")
		d.Told(`lua result = require("claudecode.terminal").send_to_terminal(7)`, "no text to send")
		if value[bool](d, "result") || len(d.born()) != 0 {
			d.t.Error("it says it sent something")
		}
	})
}

func TestSendText_KnowsThatClaudeEnded(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"auto_close": false}}, func(d *desk) {
		d.Command("ClaudeCode --exit 0")
		d.gone(d.claude(1))
		d.eventually(`require("claudecode.terminal.provider").buffer() == nil`)
		d.Command("stopinsert")
		d.Told("ClaudeCodeSendText hello", "Claude has ended")
	})
}

// paste hands a text to Neovim in pieces, as a terminal does.
const paste = `
	local text, size = ...
	for at = 1, #text, size do
		local phase = at == 1 and 1 or at + size > #text and 3 or 2
		vim.api.nvim_paste(text:sub(at, at + size - 1), false, phase)
	end
`

func TestPaste_InPiecesReachesClaudeAsOne(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"fix_streamed_paste": true}}, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.sees("f.txt claude* t")
		// Neovim heard that it wants the escapes.
		d.eventually(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find("ready", 1, true) ~= nil`)
		text := strings.Repeat("a line of some length äöü\n", 1<<20/27)
		d.Lua(nil, paste, text, 4000)
		want := "\x1b[200~" + text + "\x1b[201~"
		nvimtest.Eventually(d.t, "all is typed", func() bool { return len(d.input(one)) >= len(want) })
		got := strings.ReplaceAll(d.input(one), "\r", "\n")
		if got != want {
			d.t.Errorf("%d bytes in %d pastes", len(got), strings.Count(got, "\x1b[200~"))
		}
	})
}

func TestPaste_ElsewhereIsLeftAlone(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"fix_streamed_paste": true}}, func(d *desk) {
		d.Command("%delete")
		d.Lua(nil, paste, "one\ntwo\nthree", 5)
		if got := value[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|")`); got != "one|two|three" {
			d.t.Error(got)
		}
	})
}

func TestPaste_LongerThanTheLimitComesInSeveral(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"fix_streamed_paste": true}}, func(d *desk) {
		d.Lua(nil, `require("claudecode.terminal.paste_fix").max_bytes = 10`)
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.sees("f.txt claude* t")
		// Neovim heard that it wants the escapes.
		d.eventually(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find("ready", 1, true) ~= nil`)
		d.Lua(nil, paste, strings.Repeat("x", 24), 4)
		var got string
		nvimtest.Eventually(d.t, "all is typed", func() bool {
			got = d.input(one)
			return strings.Count(got, "x") >= 24 && strings.HasSuffix(got, "\x1b[201~")
		})
		// Neovim may put the two together itself.
		got = strings.ReplaceAll(got, "\x1b[201~\x1b[200~", "")
		if got != "\x1b[200~"+strings.Repeat("x", 24)+"\x1b[201~" {
			d.t.Errorf("typed %q", got)
		}
	})
}

// From Neovim 0.12.2 on it does so by itself, and vim.paste stays what it is.
func TestPaste_IsFixedWhereNeovimNeedsIt(t *testing.T) {
	t.Parallel()
	for _, mode := range []any{"auto", false} {
		nvimtest.Each(t, func(t *testing.T, nvim string) {
			d := open(t, nvim, map[string]any{"terminal": map[string]any{"fix_streamed_paste": mode}})
			want := mode == "auto" && value[int](d, `vim.fn.has("nvim-0.12.2")`) == 0
			ours := value[bool](d, `debug.getinfo(vim.paste, "S").source:find("paste_fix", 1, true) ~= nil`)
			if ours != want {
				t.Errorf("%v: vim.paste is ours: %v", mode, ours)
			}
		})
	}
}
