// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// watch records every event that the user's autocommands could see from now on, and every window.
const watch = `
	seen = {}
	vim.api.nvim_create_autocmd({ "BufEnter", "BufLeave", "WinEnter", "WinLeave", "BufWinEnter", "BufWinLeave",
		"CursorMoved", "TextChanged", "BufHidden", "BufUnload", "BufReadPost", "WinNew", "WinClosed", "TabEnter",
		"OptionSet", "BufAdd", "BufNew" }, { callback = function(event) table.insert(seen, event.event) end })
	function shape()
		return vim.inspect({ vim.fn.winlayout(), vim.api.nvim_get_current_win(), vim.fn.winsaveview(), vim.fn.getreg('"'),
			vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_list_wins()) })
	end
`

// tree is what undo_tree answers.
type tree struct {
	SeqCur  int `json:"seq_cur"`
	SeqLast int `json:"seq_last"`
	Entries []struct {
		Seq int
		Alt []struct{ Seq int }
	}
	Truncated bool
}

func TestUndo_TreeIsReadWhereNobodyLooks(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\n")
		e.keys("Ax<Esc>u:undojoin<CR>Ay<Esc>Az<Esc>")
		e.eventually(`vim.fn.getline(1) == "oneyz"`)
		other := e.edit("other.txt", "other\n")
		e.Command("split")
		e.Lua(nil, watch)
		before := eval[string](e, `shape()`)
		got := decode[tree](t, e.want("undo_tree", args{"path": path}))
		if got.SeqCur != 3 || got.SeqLast != 3 || len(got.Entries) != 2 || len(got.Entries[0].Alt) != 1 || got.Truncated {
			t.Errorf("%+v", got)
		}
		if got := decode[tree](t, e.want("undo_tree", args{})); got.SeqLast != 0 {
			t.Errorf("of %s: %+v", other, got)
		}
		if seen := eval[[]string](e, `seen`); len(seen) > 0 || eval[string](e, `shape()`) != before {
			t.Errorf("seen %v, %s before and %s after", seen, before, eval[string](e, `shape()`))
		}
		e.refused("undo_tree", args{"bufnr": 99}, "There is no loaded buffer 99")
	})
}

func TestUndo_TreeThatIsLongIsBounded(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		e.Lua(nil, `for i = 1, 1200 do
			vim.bo.undolevels = vim.bo.undolevels
			vim.fn.setline(1, tostring(i))
		end`)
		c := e.want("undo_tree", args{})
		got := decode[tree](t, strings.SplitN(c, "\n[The result goes on", 2)[0])
		if len(got.Entries) != 1000 || !got.Truncated || got.Entries[999].Seq != got.SeqLast {
			t.Errorf("%d entries, truncated %v", len(got.Entries), got.Truncated)
		}
	})
}

func TestUndo_GoesBackToACheckpointInOneStep(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		saved := e.edit("saved.txt", "one\r\ntwo\r\n")
		unsaved := e.edit("unsaved.txt", "a\nb")
		e.keys("ggAx<Esc>")
		e.eventually(`vim.fn.getline(1) == "ax"`)
		e.want("undo_checkpoint", args{"name": "before", "all": true}, "saved.txt", "unsaved.txt", `"modified":true`)

		edits := []args{{"start_line": 1, "new_text": "changed"}}
		e.want("buffers_edit", args{"path": saved, "edits": edits})
		e.want("buffers_edit", args{"path": unsaved, "edits": edits})
		e.file(saved, "changed\r\ntwo\r\n")
		e.file(unsaved, "changed\nb")
		// That the undo history is lost does not matter.
		e.Command("execute 'bunload' bufnr('/saved.txt$')")

		e.want("undo_revert", args{"name": "before"}, saved, unsaved)
		e.file(saved, "one\r\ntwo\r\n")
		e.file(unsaved, "changed\nb") // what was not saved then is not saved now
		if got := eval[[]string](e, `vim.fn.getline(1, "$")`); strings.Join(got, "\n") != "ax\nb" {
			t.Errorf("the buffer has %q", got)
		}
		e.Command("silent undo")
		if got := eval[string](e, `vim.fn.getline(1)`); got != "changed" {
			t.Errorf("undone it is %q", got)
		}
	})
}

func TestUndo_RevertIsReviewed(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\n")
		e.want("undo_checkpoint", args{"name": "c"})
		e.Command("silent call setline(1, 'two') | write")
		p := e.start("undo_revert", args{"name": "c"})
		e.decide("ClaudeCodeDiffDeny")
		if text, err := p.answer(); err != nil || !strings.Contains(text, `"rejected":["`) {
			t.Errorf("%q, %v", text, err)
		}
		e.file(path, "two\n")
		p = e.start("undo_revert", args{"name": "c"})
		e.decide("ClaudeCodeDiffAccept")
		if text, err := p.answer(); err != nil || !strings.Contains(text, `"reverted":["`) {
			t.Errorf("%q, %v", text, err)
		}
		e.file(path, "one\n")
	})
}

func TestUndo_RevertDoesNotWriteOverWhatSomebodyElseWrote(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\n")
		e.want("undo_checkpoint", args{"name": "c"})
		e.keys("Ax<Esc>")
		e.eventually(`vim.bo.modified`)
		if err := os.WriteFile(path, []byte("another's\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.refused("undo_revert", args{"name": "c"}, "unsaved changes, and was changed on disk")
		e.file(path, "another's\n")
	})
}

func TestUndo_CheckpointsAreBounded(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		e.refused("undo_revert", args{"name": "none"}, `There is no checkpoint "none"`)
		for i := range 33 {
			e.want("undo_checkpoint", args{"name": fmt.Sprintf("c%d", i)})
		}
		e.refused("undo_revert", args{"name": "c0"}, `There is no checkpoint "c0"; there are c1, c2`)
		e.want("undo_revert", args{"name": "c32"})
		e.Lua(nil, `require("mcp-tools.checkpoints").max_bytes = 2`)
		e.refused("undo_checkpoint", args{"name": "big"}, "The texts are more than")
		e.Lua(nil, `local c = require("mcp-tools.checkpoints") c.max_bytes, c.max_buffers = 1000, 0`)
		e.refused("undo_checkpoint", args{"name": "many", "all": true}, "and a checkpoint holds 0")
		e.Command("new")
		e.refused("undo_checkpoint", args{"name": "c"}, "is no file's")
	})
}
