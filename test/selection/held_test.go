// Copyright (c) 2026 the claudecoded authors. MIT license.

package selection

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// fast are selections that last no longer than their keys.
var fast = []struct{ keys, want string }{
	{"viw<Esc>", `a.txt 0:0-0:5 "hello"`},
	{"V<Esc>", `a.txt 0:0-0:12 "hello wörld"`},
	{"vV<Esc>", `a.txt 0:0-0:12 "hello wörld"`},
	{"Vv<Esc>", `a.txt 0:0-0:1 "h"`},
	{"<C-v>jl<Esc>", `a.txt 0:0-1:2 "hello wörld\nse"`},
	{"vjv", `a.txt 0:0-1:1 "hello wörld\ns"`},
	{"Vj:<Esc>", `a.txt 0:0-1:11 "hello wörld\nsecond line"`},
	{"v2l<C-g><Esc>", `a.txt 0:0-0:3 "hel"`},
	{"v2ly", `a.txt 0:0-0:3 "hel"`},
}

func TestHeld_AFastSelectionIsToldAtOnceAndStays(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, f := range fast {
			s.keys("gg0<Esc>")
			s.Advance(2000)
			s.told(s.peer)
			s.keys(f.keys)
			s.expect(f.want)
			s.Advance(5000)
			s.expect()
			s.keys("3G")
			s.expect("a.txt 2:0")
			if t.Failed() {
				t.Fatalf("after %s", f.keys)
			}
		}
	})
}

// ends are what ends a selection of "cond" in the second line that was released, and what is
// said at once.
var ends = []struct {
	name, keys, lua string
	want            []string
}{
	{"the cursor moves", "h", "", []string{"a.txt 1:4"}},
	{"the cursor moves away and back", "hl", "", []string{"a.txt 1:4"}},
	{"insert mode moves the cursor", "a", "", []string{"a.txt 1:6"}},
	{"insert mode", "i", "", nil},
	{"typing", "ix", "", []string{"a.txt 1:6"}},
	{"its text changes", "x", "", []string{"a.txt 1:5"}},
	{"its text changes and comes back", "xu", "", nil},
	{"a plugin changes its text", "", `vim.api.nvim_buf_set_text(0, 1, 2, 1, 3, { "X" })`, []string{"a.txt 1:5"}},
	{"a plugin changes text above", "", `vim.api.nvim_buf_set_lines(0, 0, 1, true, { "x" })`, nil},
	{"a plugin changes text below", "", `vim.api.nvim_buf_set_lines(0, 2, 4, true, {})`, nil},
	{"a plugin moves its text", "", `vim.api.nvim_buf_set_lines(0, 0, 1, true, { "x", "y" })`, []string{"a.txt 2:5"}},
	{"its text is written", "", `vim.cmd("silent write")`, nil},
	{"its text is read again", "", `vim.cmd("silent edit!")`, nil},
	{"yank", "gvy", "", nil},
	{"another selection starts", "vl", "", nil},
	{"delete", "gvd", "", []string{"a.txt 1:2"}},
	{"change", "gvc", "", []string{"a.txt 1:2"}},
	{"upper case", "gvU", "", []string{"a.txt 1:2"}},
	{"indent", "gv>", "", []string{"a.txt 1:0"}},
	{"join", "gvjJ", "", []string{"a.txt 1:10"}},
	{"a file of which nothing may be told", "", `vim.cmd("new")`, nil},
	{"another file", "", `vim.cmd("edit b.txt")`, nil},
}

func TestHeld_EndsWithWhatEndsIt(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, e := range ends {
			s.keys("<Esc>")
			s.Command("silent! only! | silent edit! a.txt")
			s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(..., "\n"))`, text[:len(text)-1])
			s.keys("gg0")
			s.Advance(2000)
			s.keys("j2lv3l<Esc>")
			s.Advance(2000)
			s.told(s.peer)
			if e.keys != "" {
				s.keys(e.keys)
			}
			s.Lua(nil, e.lua)
			s.expect(e.want...)
			if t.Failed() {
				t.Fatalf("after: %s", e.name)
			}
		}
	})
}

func TestHeld_AnotherFileTakesItsPlaceAfterTheDebounce(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.keys(":edit b.txt<CR>")
		s.Advance(99)
		s.expect()
		s.Advance(1)
		s.expect("b.txt 0:0")
	})
}

func TestHeld_StaysWhileTheUserIsInClaudesTerminal(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]struct {
		lua  string
		want []string
	}{
		"and nothing happens": {``, nil},
		"until its text changes": {
			`vim.api.nvim_buf_set_text(held, 0, 0, 0, 1, { "J" })`, []string{"a.txt 0:4"},
		},
		"until its file is read again and differs": {`
			vim.fn.writefile({ "jello wörld" }, "a.txt")
			vim.uv.fs_utime("a.txt", 1, 1)
			vim.o.autoread = true
			vim.cmd("checktime " .. held)
		`, []string{"a.txt 0:4"}},
		"and its file is read again with the same text": {`
			vim.fn.writefile({ "hello wörld", "other lines" }, "a.txt")
			vim.uv.fs_utime("a.txt", 1, 1)
			vim.o.autoread = true
			vim.cmd("checktime " .. held)
		`, nil},
		"until its buffer is deleted": {`vim.cmd("bdelete! " .. held)`, []string{"nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				s := quiet(t, nvim)
				s.keys("viw<Esc>")
				s.expect(`a.txt 0:0-0:5 "hello"`)
				s.Lua(nil, `held = vim.api.nvim_get_current_buf()`+"\n"+terminal)
				s.keys("i")
				s.Advance(5000)
				s.expect()
				s.Lua(nil, act.lua)
				s.expect(act.want...)
			})
		})
	}
}

func TestHeld_ItsTextIsWatchedAfterItWasReadAgain(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, again := range map[string]string{
			"edit":      `vim.cmd("silent edit!")`,
			"checktime": `vim.uv.fs_utime("a.txt", 1, 1) vim.o.autoread = true vim.cmd("checktime")`,
		} {
			s := quiet(t, nvim)
			s.keys("viw<Esc>")
			s.expect(`a.txt 0:0-0:5 "hello"`)
			s.Lua(nil, again)
			s.Advance(50)
			s.expect()
			s.Lua(nil, `vim.api.nvim_buf_set_text(0, 0, 0, 0, 1, { "J" })`)
			if said := s.told(s.peer); len(said) != 1 || said[0] != "a.txt 0:4" {
				t.Errorf("%s: %q", name, said)
			}
		}
	})
}

func TestHeld_IsStillThereAfterTheTerminal(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.Lua(nil, terminal+` vim.cmd.wincmd("p")`)
		s.keys("viw")
		s.keys("<C-w>p") // leaves Visual mode
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.keys("<C-w>p")
		s.Advance(5000)
		s.expect()
		s.keys("j")
		s.expect("a.txt 1:4")
	})
}

func TestHeld_StaysWhenTextIsSelectedInTheTerminal(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.Lua(nil, terminal)
		s.keys("i")
		for _, keys := range []string{`<C-\><C-n>V`, "y", "i"} {
			s.keys(keys)
			s.Advance(1000)
			s.expect()
		}
		s.keys(`<C-\><C-n><C-w>p`)
		s.Advance(1000)
		s.expect()
		late := s.connect()
		s.Advance(500)
		s.expectAt(late, `a.txt 0:0-0:5 "hello"`)
		s.keys(`<C-w>pV`)
		s.prompt()
		s.Advance(300)
		s.expect("a.txt 0:4")
	})
}

func TestHeld_AChangeThatIsNoOperatorLeavesTheSelection(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 3, 3, true, { "unsaved" })`)
		s.keys("viw<Cmd>silent write<CR><Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.keys("j")
		s.told(s.peer)
		s.keys("viw")
		s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 3, 3, true, { "from a plugin" })`)
		s.keys("<Ignore>")
		s.keys("<Esc>")
		s.expect(`a.txt 1:0-1:6 "second"`)
	})
}

// The events of the cursor were off while it left: nothing is noticed until another event's
// debounce, and then the selection is given the time of the option.
func TestDemotion_ReplacesASelectionThatWasLeftUnnoticed(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, delay := range []int{50, 0, 700} {
			s.Lua(nil, `require("claudecode").state.config.visual_demotion_delay_ms = ...`, delay)
			s.keys("ggviw<Esc>")
			s.Advance(2000)
			s.told(s.peer)
			s.Command("set eventignore=CursorMoved")
			s.keys("j")
			s.Command("set eventignore=")
			s.keys(":<Esc>")
			s.Advance(100 + delay - 1)
			s.expect()
			s.Advance(1)
			s.expect("a.txt 1:4")
		}
	})
}

func TestDemotion_DoesNothingWhereTheSelectionIsWanted(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		unnoticed := func() {
			s.keys("ggviw<Esc>")
			s.Advance(2000)
			s.told(s.peer)
			s.Command("set eventignore=CursorMoved")
			s.keys("j")
			s.Command("set eventignore=")
			s.keys(":<Esc>")
			s.Advance(100)
		}
		unnoticed()
		s.keys("V")
		s.Advance(50)
		s.expect()
		s.Advance(50)
		s.expect(`a.txt 1:0-1:11 "second line"`)

		unnoticed()
		s.Command("set eventignore=CursorMoved")
		s.keys("k")
		s.Command("set eventignore=")
		s.Advance(1000)
		s.expect()

		unnoticed()
		s.Lua(nil, terminal)
		s.Advance(1000)
		s.expect()
	})
}
