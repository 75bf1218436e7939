// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"fmt"
	"testing"

	"claudecoded/test/nvimtest"
)

// Who asks an assistant from a terminal of the editor is in that terminal.
func TestCurrent_IsTheFileBesideATerminal(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := openWith(t, nvim, `{}`, `require("mcp-tools").register({
			name = "where", description = "Where the user is",
			execute = function(cb, _, ctx) cb(vim.fs.basename(vim.api.nvim_buf_get_name(ctx.buf))) end,
		})`)
		e.edit("right.txt", "right\n")
		e.Command("leftabove vsplit")
		e.edit("mine.txt", "mine\n")
		e.Command("botright split | terminal cat")
		e.keys("i")
		e.eventually(`vim.api.nvim_get_mode().mode == "t"`)
		e.want("where", args{}, "mine.txt")
		e.want("buffers_read", args{}, "mine")
		e.want("undo_tree", args{}, `"seq_cur"`)
		// After two terminals it is the tab page's first file.
		e.Command("split | terminal cat")
		e.want("where", args{}, "mine.txt")
		e.Command("only!")
		e.want("where", args{}, "cat")
		if got := eval[string](e, `vim.bo.buftype`); got != "terminal" {
			t.Errorf("the user is in %q", got)
		}
	})
}

func TestStatusline_TellsOfCallsAndReviewsOverHTTP(t *testing.T) {
	each(t, `{"edits":"review"}`, func(t *testing.T, e *editor) {
		reads := func(text string) {
			t.Helper()
			e.eventually(`require("claudecode").statusline() == ` + fmt.Sprintf("%q", text))
		}
		reads("disconnected")
		path := e.edit("a.txt", "one\n")
		call := e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "one", "new_text": "two"}}})
		reads("waiting for your review")
		e.Command("ClaudeCodeCloseAllDiffs")
		if _, err := call.answer(); err != nil {
			t.Error(err)
		}
		reads("disconnected")
	})
}
