// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// window is true while a question is shown in a window of ours.
const window = `(function()
	return vim.bo.filetype == "claudecode-question"
end)()`

// prompt is true while Neovim's own prompt is open.
const prompt = `vim.fn.getcmdtype() == "@"`

// bare runs f in each Neovim, in which nobody replaced vim.ui.
func bare(t *testing.T, f func(t *testing.T, e *editor)) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		f(t, openWith(t, nvim, `{}`, `require("mcp-tools.choose").grace_ms = 0`))
	})
}

// served checks that the editor serves others while a question is open.
func (e *editor) served() {
	e.t.Helper()
	e.want("test_sync_buffers", args{}, "buffers")
}

// gone checks that nothing is asked any more.
func (e *editor) gone() {
	e.t.Helper()
	e.eventually(`#vim.api.nvim_list_wins() == 1 and vim.fn.getcmdtype() == "" and vim.api.nvim_get_mode().mode == "n"`)
}

func TestQuestion_IsAnsweredByKeysAndHoldsUpNothing(t *testing.T) {
	bare(t, func(t *testing.T, e *editor) {
		for keys, want := range map[string]string{
			"2":      `"selected":"b"`,
			"j<CR>":  `"selected":"b"`,
			"<CR>":   `"selected":"a"`,
			"q":      `"cancelled":true`,
			"<Esc>":  `"cancelled":true`,
			"<C-w>c": `"cancelled":true`,
		} {
			p := e.start("test_async_prompt", args{"prompt": "Which\none?", "options": []string{"a", "b"}})
			e.eventually(window)
			e.served()
			if got := eval[[]string](e, `vim.api.nvim_buf_get_lines(0, 0, -1, true)`); strings.Join(got, "|") != "Which one?||1 a|2 b" {
				t.Errorf("shown is %q", got)
			}
			e.keys(keys)
			if text, err := p.answer(); err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %q, %v", keys, text, err)
			}
			e.gone()
		}
	})
}

func TestQuestion_IsTakenAwayWithItsCall(t *testing.T) {
	bare(t, func(t *testing.T, e *editor) {
		for _, c := range []struct {
			tool string
			a    args
			open string
		}{
			{"test_async_prompt", args{"prompt": "?", "options": []string{"a"}}, window},
			{"interview", args{"questions": []args{{"question": "?", "choices": []string{"a"}}}}, window},
			{"interview", args{"questions": []args{{"question": "?"}}}, prompt},
		} {
			p := e.start(c.tool, c.a)
			e.eventually(c.open)
			p.cancel()
			e.gone()
		}
		e.served()
	})
}

func TestInterview_IsAnsweredByKeysAndHoldsUpNothing(t *testing.T) {
	bare(t, func(t *testing.T, e *editor) {
		p := e.start("interview", args{"questions": []args{
			{"question": "Name?"},
			{"question": "Colour?", "choices": []string{"red", "blue"}, "default_choice": 1},
			{"question": "Which?", "choices": []string{"a", "b"}, "multiselect": true},
			{"question": "Other?", "choices": []string{"a"}},
		}})
		step := func(open, keys string) {
			e.eventually(open)
			e.served()
			e.keys(keys)
			e.eventually("not (" + open + ")")
		}
		shows := func(item string) string {
			return window + ` and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), "|"):find("` + item + `", 1, true) ~= nil`
		}
		step(prompt, "Ada<CR>")
		step(shows("1 red|2 blue (default)|3 Something else"), "2")
		step(shows("1 [ ] a|2 [ ] b|"), "2")
		step(shows("1 [ ] a|2 [x] b|"), "4")
		step(shows("(4/4) Other?"), "2")
		step(prompt, "mine<CR>")
		got := e.interview(p)
		if !got.Completed || len(got.Answers) != 4 {
			t.Fatalf("%+v", got)
		}
		for i, want := range []string{`"Ada"`, `"blue"`, `["b"]`, `"mine"`} {
			if answer := compact(t, got.Answers[i].Answer); answer != want {
				t.Errorf("answer %d is %s, want %s", i+1, answer, want)
			}
		}
		e.gone()
	})
}

// TestInterview_TakesSeveralChoicesOneAfterTheOther types as fast as somebody who has read the list.
func TestInterview_TakesSeveralChoicesOneAfterTheOther(t *testing.T) {
	bare(t, func(t *testing.T, e *editor) {
		p := e.start("interview", args{"questions": []args{
			{"question": "Which?", "choices": []string{"a", "b", "c"}, "multiselect": true},
		}})
		e.eventually(window)
		// No other question is asked from now on.
		e.Lua(nil, `require("claudecode.moment").quiet_ms = 1e9`)
		win := eval[int](e, `vim.api.nvim_get_current_win()`)
		e.keys("5132jj<CR>")
		e.eventually(`vim.api.nvim_buf_get_lines(0, 2, -1, true)[2] == "2 [x] b"`)
		if got := eval[string](e, `table.concat(vim.api.nvim_buf_get_lines(0, 2, -1, true), "|")`); got != "1 [x] a|2 [x] b|3 [ ] c|4 Something else…|5 Done: a, b" {
			t.Errorf("shown is %s", got)
		}
		if got := eval[int](e, `vim.api.nvim_get_current_win()`); got != win {
			t.Error("the window is another one")
		}
		e.keys("1")
		e.keys("5")
		if got := e.interview(p); len(got.Answers) != 1 || compact(t, got.Answers[0].Answer) != `["b"]` {
			t.Errorf("%+v", got)
		}
		e.gone()
	})
}
