// Copyright (c) 2026 the claudecoded authors. MIT license.

package selection

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// columns are a line, a column in bytes, that in UTF-16 units, and the column behind the
// character there.
var columns = []struct {
	line                 string
	column, utf16, after int
}{
	{"", 0, 0, 1},
	{"ab", 0, 0, 1},
	{"ab", 1, 1, 2},
	{"ab", 2, 2, 3},
	{"ab", 2147483647, 2, 3},
	{"hé!", 1, 1, 3},
	{"hé!", 3, 2, 4},
	{"a😀b", 1, 1, 5},
	{"a😀b", 5, 3, 6},
	{"e\u0301\u0323x", 0, 0, 5},
	{"e\u0301\u0323x", 5, 3, 6},
	{"a\xffb", 1, 1, 2},
}

func TestPosition_CountsInBytesAndUTF16(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		for _, c := range columns {
			var got [3]int
			e.Lua(&got, `
				local position, line, column, units = require("claudecode.position"), ...
				return { position.to_units(line, column), position.from_units(line, units), position.behind(line, column) }
			`, c.line, c.column, c.utf16)
			if want := [3]int{c.utf16, min(c.column, len(c.line)), c.after}; got != want {
				t.Errorf("%q at %d: %v, want %v", c.line, c.column, got, want)
			}
		}
		var within [2]int
		e.Lua(&within, `
			local position = require("claudecode.position")
			return { position.to_units("a😀b", 3), position.from_units("ab", 9) }
		`)
		if within != [2]int{1, 2} {
			t.Errorf("within a character and past the end: %v", within)
		}
	})
}
