// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// interrupt has something happen when work in slices comes to its so manieth pause, where the
// user could do it too.
const interrupt = `
	local slices = require("mcp-tools.slices")
	local pause = slices.pause
	local nth, act, path = ...
	at = 0
	slices.pause = function(now)
		at = at + 1
		if at == nth then
			load(act)(path)
		end
		return pause(now)
	end
	finish = function()
		slices.pause = pause
	end
`

// TestReview_NoticesWhatHappensInEachPause changes the file in every pause of a proposal, one
// after the other.
func TestReview_NoticesWhatHappensInEachPause(t *testing.T) {
	for name, c := range map[string]struct{ act, file, buffer string }{
		"typed":   {`vim.api.nvim_buf_set_lines(vim.fn.bufnr(...), 0, 1, true, { "the user's" })`, "one\ntwo\n", "the user's"},
		"written": {`vim.fn.writefile({ "another's" }, (...))`, "another's\n", "another's"},
		"end":     {`vim.bo[vim.fn.bufnr(...)].endofline = false`, "one\ntwo\n", "one"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, `{}`, func(t *testing.T, e *editor) {
				for nth := 1; ; nth++ {
					path := e.edit(fmt.Sprintf("%d.txt", nth), "one\ntwo\n")
					e.Lua(nil, interrupt, nth, c.act, path)
					got := e.start("propose", args{"changes": []args{{"path": path, "text": "1\n2\n", "base": "one\ntwo\n"}}}).outcome()
					e.Lua(nil, `finish()`)
					if eval[int](e, `at`) < nth {
						got.is(t, path, "", "", "")
						if nth < 8 {
							t.Errorf("it paused %d times only", nth-1)
						}
						return
					}
					if len(got.Failed) != 1 || !strings.Contains(got.Err, "changed meanwhile") {
						t.Errorf("in pause %d: %+v", nth, got)
					}
					e.file(path, c.file)
					if got := eval[string](e, `vim.fn.getbufline(..., 1)[1]`, path); got != c.buffer {
						t.Errorf("in pause %d the buffer got %q", nth, got)
					}
				}
			})
		})
	}
}

func TestReview_OfALongTextChangesWhatDiffersInOneStep(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		var old, changed strings.Builder
		for i := range 20000 {
			fmt.Fprintf(&old, "line %d é\n", i)
			switch {
			case i == 3 || i == 19990:
				fmt.Fprintf(&changed, "row %d\n", i)
			case i == 7000:
				fmt.Fprintf(&changed, "line %d é\nnew\n", i)
			case i == 12000:
			default:
				fmt.Fprintf(&changed, "line %d é\n", i)
			}
		}
		path := e.edit("long.txt", old.String())
		e.Lua(nil, `
			changes = {}
			vim.api.nvim_buf_attach(0, false, { on_lines = function(_, _, _, first, last, new)
				table.insert(changes, { first, last, new })
			end })
		`)
		for _, text := range []string{changed.String(), strings.TrimSuffix(changed.String(), "\n"), "", old.String()} {
			e.start("propose", args{"changes": []args{{"path": path, "text": text}}}).outcome().is(t, path, "", "", "")
			e.file(path, text)
		}
		if got := eval[string](e, `vim.json.encode(vim.list_slice(changes, 1, 4))`); got != "[[19990,19991,19991],[12000,12001,12000],[7001,7001,7002],[3,4,4]]" {
			t.Errorf("changed are %s", got)
		}
		e.Command("silent undo | silent undo | silent undo | silent undo")
		if got := eval[int](e, `vim.fn.line("$")`); got != 20000 || eval[int](e, `vim.fn.undotree().seq_cur`) != 0 {
			t.Errorf("undone it has %d lines", got)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	})
}
