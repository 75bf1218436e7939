// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// quiet are tools that must not be noticed, with arguments that give them work. The user types in
// typed.txt, which none of them changes.
var quiet = map[string]args{
	"buffers_list":      {"all": true},
	"buffers_read":      {"path": "big.txt"},
	"buffers_search":    {"pattern": "line", "limit": 1000},
	"buffers_open":      {"path": "unseen.txt"},
	"buffers_edit":      {"path": "big.txt", "edits": []args{{"start_line": 5000, "new_text": "edited"}}},
	"quickfix_read":     {"limit": 500},
	"quickfix_set":      {"items": []args{{"path": "big.txt", "line": 1, "text": "x"}}, "append": true},
	"loclist_read":      {},
	"loclist_set":       {"items": []args{{"path": "big.txt", "line": 1, "text": "x"}}},
	"undo_tree":         {"path": "big.txt"},
	"undo_checkpoint":   {"path": "big.txt", "name": "typing"},
	"test_sync_buffers": {},
}

// maxKeys is more than anybody types during one call.
const maxKeys = 500

// TestTyping_GoesOnWhateverIsCalled has a user type while a client calls tool after tool.
func TestTyping_GoesOnWhateverIsCalled(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("big.txt", strings.Repeat("a line of a big file\n", 20_000))
		e.Write("unseen.txt", "unseen\n")
		e.edit("typed.txt", "\n")
		e.Command("split | wincmd j")
		const state = `vim.inspect({ vim.fn.winlayout(), vim.api.nvim_get_current_win(), vim.tbl_map(vim.api.nvim_win_get_buf,
			vim.api.nvim_list_wins()), vim.fn.getreg('"') })`
		before := eval[string](e, state)
		for name, a := range quiet {
			e.Lua(nil, `vim.fn.setline(1, "")`)
			e.keys("0istart ")
			e.eventually(`vim.fn.mode() == "i"`)
			p := e.start(name, a)
			var typed strings.Builder
			for i := 0; (p.open() || i < 10) && i < maxKeys; i++ {
				word := []string{"ä", "word ", "x"}[i%3]
				typed.WriteString(word)
				e.keys(word)
			}
			if _, err := p.answer(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			e.eventually(`vim.fn.getline(1) == ...`, "start "+typed.String())
			e.keys("<Esc>")
			e.eventually(`vim.fn.mode() == "n"`)
			nvimtest.Eventually(t, name+" moved no window", func() bool { return eval[string](e, state) == before })
		}
	})
}

// TestTyping_ReachesNoQuestion has a question wait until the user pauses.
func TestTyping_ReachesNoQuestion(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\n")
		e.Write("b.txt", "b\n")
		e.keys("o")
		e.eventually(`vim.fn.mode() == "i"`)
		calls := []*call{
			e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "one", "new_text": "1"}}}),
			e.start("test_async_prompt", args{"prompt": "Which?", "options": []string{"a"}}),
			e.start("buffers_open", args{"path": "b.txt", "focus": true}),
		}
		e.eventually(`(require("claudecode.moment").summary() or ""):find("3 calls wait", 1, true) ~= nil`)
		e.keys("typed")
		e.eventually(`vim.fn.getline(2) == "typed"`)
		if eval[bool](e, `asked ~= nil or diff_window() ~= nil or vim.fn.expand("%:t") ~= "a.txt"`) {
			t.Error("the user was interrupted")
		}
		for _, p := range calls {
			p.cancel()
		}
		e.keys("<Esc>")
		e.eventually(`require("mcp-tools.registry").pending_count() == 0 and diff_window() == nil`)
		if got := eval[string](e, `table.concat(vim.fn.getline(1, "$"), "|")`); got != "one|typed" {
			t.Errorf("the user's text is %q", got)
		}
	})
}
