// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import "testing"

const proposed = "one\n2\nthree\n"

func TestDiff_OpensBesideItsFileAndIsAccepted(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.propose("a", "f.txt", proposed)
		e.expect(`shape()`, "*1 f.txt diff | 1 a (proposed) diff")
		e.enter()
		e.keys(":w<CR>")
		e.expectSoon(`answers.a`, `{ { "FILE_SAVED", "one\n2\nthree\n" } }`)
		e.expect(`shape()`, "1 f.txt diff | *1 a (proposed) diff")
		e.Lua(nil, `require("claudecode.diff").close_diff_by_tab_name("a")`)
		e.expectSoon(`shape()`, "*1 f.txt")
		e.expect(`buffers()`, `{ "f.txt" }`)
		e.expect(`#answers.a`, "1")
	})
}

func TestDiff_IsRejectedByClosingIt(t *testing.T) {
	t.Parallel()
	each(t, native, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.propose("a", "f.txt", proposed)
		e.enter()
		e.keys(":q<CR>")
		e.expectSoon(`answers.a`, `{ { "DIFF_REJECTED", "a" } }`)
		e.expectSoon(`shape()`, "*1 f.txt")
		e.expect(`buffers()`, `{ "f.txt" }`)
	})
}
