// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"testing"

	"claudecoded/test/nvimtest"
)

const (
	saved    = `{ { "FILE_SAVED", "one\n2\nthree\n" } }`
	rejected = `{ { "DIFF_REJECTED", "a" } }`
	alone    = "*1 f.txt"
)

// ways are what the user types in the window named, and what comes of it: the answer, and the
// windows then. Where nothing is decided the answer is {}.
var ways = []struct {
	name, window, keys string
	answer, shape      string
	newTab             bool
}{
	{name: "w", keys: ":w<CR>", answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "write twice", keys: ":w<CR>:w<CR>", answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "wq", keys: ":wq<CR>", answer: saved, shape: alone},
	{name: "x", keys: ":x<CR>", answer: saved, shape: alone},
	{name: "ZZ", keys: "ZZ", answer: saved, shape: alone},
	{name: "w then q", keys: ":w<CR>:q<CR>", answer: saved, shape: alone},
	{name: "w!", keys: ":w!<CR>", answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "wa", keys: ":wa<CR>", answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "update", keys: ":update<CR>", answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "a mapping", keys: `,w`, answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "a mapping in Lua", keys: `,l`, answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "the command-line window", keys: `q:iw<CR>`, answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "an edit, then w", keys: "Gofour<Esc>:w<CR>", answer: `{ { "FILE_SAVED", "one\n2\nthree\nfour\n" } }`,
		shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "editing again, then ZZ", keys: "dd:e!<CR>ZZ", answer: saved, shape: alone},
	{name: "ZQ", keys: "ZQ", answer: rejected, shape: alone},
	{name: "q", keys: ":q<CR>", answer: rejected, shape: alone},
	{name: "q!", keys: ":q!<CR>", answer: rejected, shape: alone},
	{name: "q without autocommands", keys: ":noautocmd q<CR>", answer: rejected, shape: alone},
	{name: "q while events are ignored", keys: ":set eventignore=all<CR>:q<CR>:set eventignore=<CR>", answer: rejected, shape: alone},
	{name: "a split of it closed without autocommands", keys: ":split<CR>:noautocmd q<CR>", answer: "{}",
		shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "close", keys: ":close<CR>", answer: rejected, shape: alone},
	{name: "CTRL-W c", keys: "<C-w>c", answer: rejected, shape: alone},
	{name: "CTRL-W o elsewhere", window: "target", keys: "<C-w>o", answer: rejected, shape: alone},
	{name: "CTRL-W o in it", keys: "<C-w>o", answer: "{}", shape: "*1 a (proposed)"},
	{name: "tabclose", keys: ":tabclose!<CR>", answer: rejected, shape: alone, newTab: true},
	{name: "q in its own tab page", keys: ":q<CR>", answer: rejected, shape: alone, newTab: true},
	{name: "bdelete", keys: ":bdelete<CR>", answer: "{}", shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "bdelete!", keys: ":bdelete!<CR>", answer: rejected, shape: alone},
	{name: "bwipeout!", keys: ":bwipeout!<CR>", answer: rejected, shape: alone},
	{name: "bunload!", keys: ":bunload!<CR>", answer: rejected, shape: alone},
	{name: "accept", keys: ":ClaudeCodeDiffAccept<CR>", answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "accept at the other side", window: "target", keys: ":ClaudeCodeDiffAccept<CR>", answer: saved,
		shape: "*1 f.txt diff | 1 a (proposed) diff"},
	{name: "deny", keys: ":ClaudeCodeDiffDeny<CR>", answer: rejected, shape: alone},
	{name: "deny at the other side", window: "target", keys: ":ClaudeCodeDiffDeny<CR>", answer: rejected, shape: alone},
	{name: "the key to accept", keys: `\da`, answer: saved, shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "the key to accept at the other side", window: "target", keys: `\da`, answer: saved,
		shape: "*1 f.txt diff | 1 a (proposed) diff"},
	{name: "the key to reject", keys: `\dq`, answer: rejected, shape: alone},
	{name: "the key to reject at the other side", window: "target", keys: `\dq`, answer: rejected, shape: alone},
	{name: "close all", keys: ":ClaudeCodeCloseAllDiffs<CR>", answer: rejected, shape: alone},
	{name: "close all elsewhere", window: "target", keys: ":ClaudeCodeCloseAllDiffs<CR>", answer: rejected, shape: alone},
	{name: "q at the other side", window: "target", keys: ":q<CR>", answer: "{}", shape: "*1 a (proposed)"},
	{name: "wa at the other side", window: "target", keys: ":wa<CR>", answer: "{}",
		shape: "*1 f.txt diff | 1 a (proposed) diff"},
	{name: "wqa at the other side", window: "target", keys: ":wqa<CR>", answer: "{}",
		shape: "*1 f.txt diff | 1 a (proposed) diff"},
	{name: "xa at the other side", window: "target", keys: ":xa<CR>", answer: "{}",
		shape: "*1 f.txt diff | 1 a (proposed) diff"},
	{name: "qa", keys: ":qa<CR><CR>", answer: "{}", shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "qa at the other side", window: "target", keys: ":qa<CR><CR>", answer: "{}",
		shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "another buffer, then back", keys: ":e g.txt<CR>:b#<CR>:w<CR>", answer: saved,
		shape: "1 f.txt diff | *1 a (proposed) diff"},
	{name: "a split of it closed", keys: ":split<CR>:q<CR>", answer: "{}",
		shape: "1 f.txt diff | *1 a (proposed) diff"},
}

// TestDecision_FollowsWhatTheUserTypes runs each way in one editor after the other, which must
// be as before each time the diff is closed.
func TestDecision_FollowsWhatTheUserTypes(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Lua(nil, `
			vim.keymap.set("n", ",w", "<cmd>w<cr>")
			vim.keymap.set("n", ",l", function() vim.cmd.write() end)
			before = vim.fn.winlayout()
		`)
		for _, way := range ways {
			e.Lua(nil, `
				local new_tab = ...
				events, answers = {}, {}
				require("claudecode").state.config.diff_opts.open_in_new_tab = new_tab
				vim.cmd("messages clear")
			`, way.newTab)
			e.propose("a", "f.txt", proposed)
			window := "diff_window"
			if way.window != "" {
				window = way.window + "_window"
			}
			e.Lua(nil, `vim.api.nvim_set_current_win(events[1][2][...])`, window)
			t.Log(way.name)
			e.keys(way.keys)
			if got, ok := e.soon(`line(answers.a)`, way.answer); !ok {
				t.Errorf("%s: answered %s, want %s; messages %q", way.name, got, way.answer, e.Messages())
			}
			if got, ok := e.soon(`shape()`, way.shape); !ok {
				t.Errorf("%s: windows %s, want %s; messages %q", way.name, got, way.shape, e.Messages())
			}
			e.keys("<Esc>")
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			if got, ok := e.soon(`#events == 2 and shape()`, alone); !ok {
				t.Fatalf("%s: at the end the windows are %s", way.name, got)
			}
			e.Lua(nil, `
				vim.cmd("silent! bwipeout g.txt")
			`)
			if got := e.value(`{ buffers(), #answers.a, vim.fn.winlayout()[1], vim.wo.diff, vim.wo.scrollbind, vim.o.scrollopt }`); got != `{ { "f.txt" }, 1, "leaf", false, false, "ver,jump" }` {
				t.Errorf("%s: at the end %s", way.name, got)
			}
		}
	})
}

func TestDecision_CountsOnlyTypedWritesInItsWindow(t *testing.T) {
	t.Parallel()
	savers := map[string]string{
		"nested":     `vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged" }, { nested = true, command = "silent! wall" })`,
		"not nested": `vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged" }, { command = "silent! write" })`,
		"deferred": `deferred, wrote = 0, 0
			vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged" }, { callback = function()
				deferred = deferred + 1
				vim.defer_fn(function() vim.cmd("silent! write") wrote = wrote + 1 end, 20)
			end })`,
		"on leaving":  `vim.api.nvim_create_autocmd({ "WinLeave", "BufLeave", "FocusLost" }, { nested = true, command = "silent! wall" })`,
		"autowrite":   `vim.o.autowriteall = true`,
		"cursor hold": `vim.o.updatetime = 10 vim.api.nvim_create_autocmd("CursorHold", { nested = true, command = "silent! wall" })`,
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, saver := range savers {
			t.Run(name, func(t *testing.T) {
				e := open(t, nvim, nil)
				e.Lua(nil, saver)
				e.propose("a", "f.txt", proposed)
				e.enter()
				e.keys("ccmine<Esc>x")
				e.until("the text changed", `vim.api.nvim_get_current_line() == "min"`)
				e.keys("<C-w>p<C-w>p")
				if name == "deferred" {
					e.until("it wrote, each time", `wrote == deferred and wrote > 1`)
				}
				e.keys(":sleep 30m<CR>")
				e.until("it is over", `vim.api.nvim_get_mode().mode == "n"`)
				e.expect(`answers.a`, "{}")
				e.expect(`vim.bo.modified`, "true")
				e.keys(":w<CR>")
				e.expectSoon(`answers.a`, `{ { "FILE_SAVED", "min\n2\nthree\n" } }`)
			})
		}
	})
}
