// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"path/filepath"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// TestDiff_OfAFileOpenInAnotherNeovimAsksNothing: the text about a swap file would stop the
// editor until a key is typed, and the diff with it.
func TestDiff_OfAFileOpenInAnotherNeovimAsksNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, nil)
		other := stage.Open(t, stage.Options{Nvim: nvim})
		for _, editor := range []*stage.Editor{e.Editor, other} {
			editor.Lua(nil, `vim.o.swapfile, vim.o.directory = true, ...`, e.Project)
		}
		other.Lua(nil, `
			vim.cmd.edit(vim.fn.fnameescape(...))
			vim.api.nvim_buf_set_lines(0, 0, -1, true, { "unsaved" })
			vim.cmd.preserve()
		`, filepath.Join(e.Project, "g.txt"))
		e.ask("a", "g.txt", "changed\n")
		if got, ok := e.soon(`shape()`, "*1 f.txt | 1 g.txt diff | 1 a (proposed) diff"); !ok {
			t.Fatalf("the windows are %s", got)
		}
		e.expect(`vim.o.shortmess:find("A") == nil`, "true")
		e.until("the user is told", `vim.fn.execute("messages"):find("swap file", 1, true)`)
	})
}

// TestPrompt_ThatIsInterruptedRejects: a picker that fails is an error instead, so that Claude
// asks by itself.
func TestPrompt_ThatIsInterruptedRejects(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, map[string]any{"on_modified": "prompt"})
		e.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, 1, true, { "unsaved" })`)
		e.ask("a", "f.txt", proposed)
		nvimtest.Eventually(t, "the question is shown", func() bool {
			mode, err := e.Mode()
			return err == nil && mode.Mode != "n"
		})
		// With little room there are messages to leave too.
		nvimtest.Eventually(t, "the question is left", func() bool {
			mode, err := e.Mode()
			if err == nil && mode.Mode != "n" {
				e.keys("<C-c>")
			}
			return err == nil && mode.Mode == "n"
		})
		if got, ok := e.soon(`line(answers.a)`, rejected); !ok {
			t.Errorf("answered %s, want %s", got, rejected)
		}
		e.Lua(nil, `vim.ui.select = function() error("no picker") end`)
		e.ask("b", "f.txt", proposed)
		e.until("it is answered", `answers.b and answers.b[1]`)
		e.expect(`answers.b[1][1]`, "-32000")
		e.until("the reason is said", `answers.b[1][3]:find("no picker", 1, true)`)
		e.expect(`vim.api.nvim_buf_get_lines(0, 0, 1, true)[1]`, "unsaved")
	})
}
