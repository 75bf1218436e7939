// Copyright (c) 2026 the claudecoded authors. MIT license.

package moment

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

func TestUITool_WaitsWhileWhatIsTypedHasAMeaning(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ enter, mode, reason, leave string }{
		"Insert mode":        {"ihello", "i", "Insert mode", "<Esc>"},
		"one command":        {"i<C-o>", "niI", "Insert mode", "<Esc><Esc>"},
		"completion":         {"iab ab<C-n>", "ic", "Insert mode", "<Esc>"},
		"Replace mode":       {"Rab", "R", "Replace mode", "<Esc>"},
		"Visual mode":        {"v", "v", "Visual mode", "<Esc>"},
		"blockwise":          {"<C-v>", "\x16", "Visual mode", "<Esc>"},
		"Select mode":        {"gh", "s", "Select mode", "<Esc>"},
		"an operator":        {"d", "no", "Operator-pending mode", "<Esc>"},
		"the command line":   {":abc", "c", "Command-line mode", "<C-c>"},
		"input()":            {`:call input("name: ")<CR>`, "c", "Command-line mode", "<CR>"},
		"a search":           {"/abc", "c", "Command-line mode", "<C-c>"},
		"Ex mode":            {"gQ", "cv", "Ex mode", "vi<CR>"},
		"the command window": {"q:", "n", "the command-line window", ":q<CR>"},
		"a recording":        {"qa", "n", "a macro recording", "q"},
		"getchar()":          {":call getchar()<CR>", "n", "the middle of a command", "x"},
		"a terminal":         {":terminal cat<CR>i", "t", "Terminal mode", `<C-\><C-n>`},
		"a folder's name": {
			":call mkdir('claude') | lcd claude | terminal cat<CR>i", "t", "Terminal mode", `<C-\><C-n>`,
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim)
				d.typing(row.enter, row.mode)
				call := d.openFile("f.txt")
				d.waits(1, "openFile (you are in "+row.reason+")")
				call.waiting()
				d.types(row.leave)
				call.answers("Opened file: ")
				if name := eval[string](d, shown); name != "f.txt" {
					t.Errorf("the window shows %q", name)
				}
			})
		})
	}
}

// TestUITool_WaitsAtAPrompt is about those that may hold up every call.
func TestUITool_WaitsAtAPrompt(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ enter, mode, leave string }{
		"confirm":           {`:let g:answer = confirm("Really?", "&Yes\n&No", 2)<CR>`, "r?", "y"},
		"hit-enter":         {`:let g:answer = 1 | echo "one\ntwo"<CR>`, "r", "<CR>"},
		"a key that begins": {`:let g:answer = 1<CR>"`, "n", "<Esc>"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim)
				d.typing(row.enter, row.mode)
				call := d.openFile("f.txt")
				if err := d.client.Request(t.Context(), "ping", nil, &struct{}{}); err != nil {
					t.Fatal(err)
				}
				if mode, err := d.Mode(); err != nil || !mode.Blocking {
					// It serves calls, so it can say that one waits.
					d.waits(1, "a prompt")
				}
				call.waiting()
				d.types(row.leave)
				call.answers("Opened file: ")
				if answer := eval[int](d, "vim.g.answer"); answer != 1 {
					t.Errorf("the user's answer became %d", answer)
				}
			})
		})
	}
}

// pace is the time in ms between two keys of somebody who types slowly: just not a safe moment.
const pace = 299

func TestUITool_LeavesEveryKeyToWhoTypesThem(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ before, keys, end, after string }{
		"Insert mode": {"", "iThe quick brown fox", "<Esc>", "The quick brown fox"},
		"Normal mode": {"abcdefghijklmnopqrst0123456789", "xxxxxxxxxxxxxxxxxxx", "x", "0123456789"},
		"many lines":  {"a\nb\nc\nd\ne\nf\ng", "ddjddkddjdd", "p", "d\nf\ne\ng"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim)
				d.StopClock()
				d.Lua(nil, `
					vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(..., "\n"))
					mine, keys = vim.api.nvim_get_current_buf(), 0
					vim.on_key(function(_, typed) keys = keys + #typed end)
				`, row.before)
				var call *pending
				for i, key := range append(strings.Split(row.keys, ""), row.end) {
					d.types(key)
					d.eventually(fmt.Sprintf(`keys == %d`, i+1))
					if i == 2 {
						call = d.openFile("f.txt")
						d.eventually(`require("claudecode.moment").summary() ~= nil`)
					}
					d.Advance(pace)
				}
				d.waits(1, "typing")
				call.waiting()
				d.Advance(1)
				call.answers("Opened file: ")
				text := `table.concat(vim.api.nvim_buf_get_lines(%s, 0, -1, false), "\n")`
				if got := eval[string](d, fmt.Sprintf(text, "mine")); got != row.after {
					t.Errorf("what the user typed became %q", got)
				}
				if got := eval[string](d, fmt.Sprintf(text, "0")); got != "one two\nthree" {
					t.Errorf("the file became %q", got)
				}
			})
		})
	}
}
