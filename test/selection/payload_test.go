// Copyright (c) 2026 the claudecoded authors. MIT license.

package selection

import (
	"strings"
	"testing"
)

// areas are Visual areas, typed from the first column of the first line of the text.
var areas = []struct{ name, set, text, keys, want string }{
	{"one character", "", "xyz", "v", `0:0-0:1 "x"`},
	{"backwards", "", "abc", "$vh", `0:1-0:3 "bc"`},
	{"a multi-byte end", "", "héllo", "vl", `0:0-0:3 "hé"`},
	{"a multi-byte end of four", "", "a😀b", "vl", `0:0-0:5 "a😀"`},
	{"a combining end", "", "ae\u0301\u0323x", "vl", "0:0-0:6 \"ae\u0301\u0323\""},
	{"a combining end at the end of the line", "", "ae\u0301", "vl", "0:0-0:4 \"ae\u0301\""},
	{"a tab", "", "a\tb", "vl", `0:0-0:2 "a\t"`},
	{"several lines", "", "one\n\nthree", "lvGl", `0:1-2:3 "ne\n\nthr"`},
	{"to the line break", "", "last\nx", "v$", `0:0-0:5 "last"`},
	{"to the line break of another line", "", "one\ntwo\nx", "vj$", `0:0-1:4 "one\ntwo"`},
	{"an empty line", "", "\nx", "v", `0:0-0:1 isEmpty=true`},
	{"lines", "", "one\ntwö\nx", "lVj", `0:0-1:4 "one\ntwö"`},
	{"the last line", "", "one\ntwo", "jV", `1:0-1:3 "two"`},
	{"an empty line as a line", "", "\nx", "V", `0:0`},
	{"lines that end in an empty one", "", "one\n\nx", "Vj", `0:0-1:0 "one\n"`},
	{"a block", "", "abcd\nefgh", "l<C-v>jl", `0:1-1:3 "bcd\nefg"`},
	{"a block with a multi-byte corner", "", "abcd\nefég", "l<C-v>jl", `0:1-1:4 "bcd\nefé"`},
	{"a block to the ends", "", "abcd\nefgh", "l<C-v>j$", `0:1-1:5 "bcd\nefgh"`},
	{"exclusive", "set selection=exclusive", "héllo", "v2l", `0:0-0:3 "hé"`},
	{"exclusive to the line break", "set selection=exclusive", "last\nx", "v$", `0:0-0:4 "last"`},
	{"exclusive over a line break", "set selection=exclusive", "one\ntwo", "vj", `0:0-1:0 "one\n"`},
	{"exclusive lines", "set selection=exclusive", "one\ntwo", "Vj", `0:0-1:3 "one\ntwo"`},
	{"old", "set selection=old", "last\nx", "v$", `0:0-0:4 "last"`},
	{"virtual columns", "set virtualedit=all", "ab\nx", "v9l", `0:0-0:3 "ab"`},
}

func TestPayload_SaysWhatIsSelected(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, a := range areas {
			s.keys("<Esc>")
			s.Command("set selection& virtualedit& | " + a.set)
			s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(..., "\n"))`, a.text)
			s.keys("gg0")
			s.Advance(2000)
			s.told(s.peer)
			want := []string{"a.txt " + a.want}
			if a.want == "0:0" {
				want = nil // the cursor is there already
			}
			s.keys(a.keys)
			s.expect()
			s.Advance(100)
			s.expect(want...)
			// What was released has the same ends.
			s.Lua(nil, `require("claudecode.selection.outbox").clear()`)
			s.keys("<Esc>")
			switch said := s.told(s.peer); {
			case strings.Contains(a.want, `"`) && (len(said) != 1 || said[0] != "a.txt "+a.want):
				t.Errorf("%s: released %q, want %q", a.name, said, a.want)
			case !strings.Contains(a.want, `"`) && len(said) > 0:
				t.Errorf("%s: released %q", a.name, said)
			}
			if t.Failed() {
				t.Fatal(a.name)
			}
		}
	})
}

func TestPayload_LeavesOutATextThatIsTooLarge(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		var limit int
		s.Lua(&limit, `
			local payload, before = require("claudecode.selection.payload")
			before, payload.max_message = payload.max_message, 2 ^ 20
			return before
		`)
		if limit != 16<<20 {
			t.Errorf("the limit is %d", limit)
		}
		for _, big := range []struct{ lua, want string }{
			{`("x"):rep(900000)`, `a.txt 0:0-0:900000 900000 bytes`},
			{`("x"):rep(1000000)`, `a.txt 0:0-0:1000000`},
			{`("x"):rep(2 ^ 20 + 1)`, `a.txt 0:0-0:1048577`},
			{`("\1"):rep(160000)`, `a.txt 0:0-0:160000 160000 bytes`},
			{`("\1"):rep(170000)`, `a.txt 0:0-0:170000`},
			{`('"'):rep(500000)`, `a.txt 0:0-0:500000`},
			{`("\255"):rep(330000)`, `a.txt 0:0-0:330000`},
			{`"small"`, `a.txt 0:0-0:5 "small"`},
		} {
			s.keys("<Esc>gg0")
			s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, { `+big.lua+` })`)
			s.Advance(2000)
			s.told(s.peer)
			s.keys("V<Esc>")
			s.expect(big.want)
		}
	})
}

func TestPayload_IsSentWhateverBytesItHas(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "a\255\195b" })`)
		s.Advance(2000)
		s.told(s.peer)
		s.keys("V<Esc>")
		s.expect(`a.txt 0:0-0:4 "a��b"`)
		s.Lua(nil, `vim.api.nvim_buf_set_name(0, "a%20b ö.txt")`)
		s.keys("jl")
		s.Advance(2000)
		s.told(s.peer)
		s.keys("v<Esc>")
		s.expect("a%20b ö.txt 0:1-0:2 \"�\"")
	})
}
