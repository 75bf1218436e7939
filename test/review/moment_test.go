// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"testing"

	"claudecoded/test/nvimtest"
)

func TestDiff_WaitsForASafeMomentAndMayBeSettledMeanwhile(t *testing.T) {
	t.Parallel()
	settle := map[string]string{
		"close_tab":           `require("claudecode.diff").close_diff_by_tab_name("a")`,
		"close all":           `assert(require("claudecode.diff").close_all_diffs() == 1)`,
		"the user":            `require("claudecode.diff").close_all_by_user()`,
		"the server's end":    `require("claudecode.diff").close_pending_diffs("server stopping")`,
		"another of its name": `propose("b", vim.api.nvim_buf_get_name(0), "x") require("claudecode.diff").close_all_diffs()`,
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		for name, code := range settle {
			e.Lua(nil, `answers, events = {}, {}`)
			e.keys("i")
			e.expectSoon(`vim.api.nvim_get_mode().mode`, "i")
			e.ask("a", "f.txt", proposed)
			e.keys("typed")
			e.until("it waits", `require("claudecode.moment").summary()`)
			e.Lua(nil, code)
			e.expect(`answers.a`, rejected)
			e.keys("<Esc>u")
			e.expectSoon(`{ vim.api.nvim_get_mode().mode, vim.bo.modified }`, `{ "n", false }`)
			if got := e.value(`{ #events, require("claudecode.moment").summary() == nil, shape() }`); got != `{ 0, true, "`+alone+`" }` {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

func TestDiff_TakesNoKeyFromWhoTypes(t *testing.T) {
	t.Parallel()
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout, "focus": true})
		e.keys("i")
		e.ask("a", "f.txt", proposed)
		e.keys("all of this<Esc>")
		e.expectSoon(`vim.api.nvim_buf_get_lines(vim.fn.bufnr("f.txt"), 0, 1, true)[1]`, "all of thisone")
		// The file has unsaved changes by now.
		e.expectSoon(`(answers.a[1] or {})[1] or "none"`, "-32000")
	})
}

func TestDiff_IsNotClosedUnderWhoTypesInIt(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout, "focus": true})
		e.propose("a", "f.txt", proposed)
		e.keys("ccmine")
		e.expectSoon(`vim.api.nvim_get_mode().mode`, "i")
		e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name("a")`)
		e.expect(`answers.a`, rejected)
		e.keys(" too")
		e.expectSoon(`vim.api.nvim_get_current_line()`, "mine too")
		e.expect(`#events`, "1")
		e.keys("<Esc>")
		e.expectSoon(`shape()`, alone)
		e.expect(`{ vim.api.nvim_buf_get_lines(0, 0, -1, true), vim.bo.modified }`, `{ { "one", "two", "three" }, false }`)
	})
}

func TestModifiedBuffer_FollowsTheOption(t *testing.T) {
	t.Parallel()
	rows := []struct{ option, choice, answer, text string }{
		{"diff_buffer", "", "{}", "unsaved"},
		{"prompt", "Compare with the unsaved text", "{}", "unsaved"},
		{"prompt", "Discard changes", "{}", "one"},
		{"prompt", "Save and continue", "{}", "unsaved"},
		{"prompt", "Cancel", rejected, "unsaved"},
		{"prompt", "nothing", rejected, "unsaved"},
	}
	each(t, layouts, func(t *testing.T, nvim, layout string) {
		for _, row := range rows {
			e := open(t, nvim, map[string]any{"layout": layout, "on_modified": row.option})
			e.Lua(nil, `
				local wanted = ...
				vim.api.nvim_buf_set_lines(0, 0, 1, true, { "unsaved" })
				vim.ui.select = function(items, options, cb)
					cb(vim.iter(items):find(function(item) return options.format_item(item) == wanted end))
				end
			`, row.choice)
			e.ask("a", "f.txt", proposed)
			e.until("it is open or answered", `#events > 0 or #answers.a > 0`)
			e.expect(`answers.a`, row.answer)
			e.expect(`vim.api.nvim_buf_get_lines(0, 0, 1, true)[1]`, row.text)
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.expectSoon(`shape()`, alone)
			e.expect(`vim.api.nvim_buf_get_lines(0, 0, 1, true)[1]`, row.text)
		}
	})
}
