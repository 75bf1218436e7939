// Copyright (c) 2026 the claudecoded authors. MIT license.

package hunks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// The rows of this pair: 1 -a 2 +A 3 b 4 +new 5 c 6 d 7 -e 8 f 9 -g 10 +G.
const (
	oldText = "a\nb\nc\nd\ne\nf\ng"
	newText = "A\nb\nnew\nc\nd\nf\nG\n"
)

var ranges = []struct {
	name        string
	old, new    string
	first, last int
	chosen      string // the old text with the hunks in the range, "" if there is none
	left        string // the new text without them
	look        string // then
}{
	{"a deleted row of a hunk", oldText, newText, 1, 1, "A\nb\nc\nd\ne\nf\ng", "a\nb\nnew\nc\nd\nf\nG\n", "a|b|+new|c|d|-e|f|-g|+G"},
	{"an added row of a hunk", oldText, newText, 2, 2, "A\nb\nc\nd\ne\nf\ng", "a\nb\nnew\nc\nd\nf\nG\n", "a|b|+new|c|d|-e|f|-g|+G"},
	{"an added line", oldText, newText, 3, 5, "a\nb\nnew\nc\nd\ne\nf\ng", "A\nb\nc\nd\nf\nG\n", "-a|+A|b|c|d|-e|f|-g|+G"},
	{"a deleted line", oldText, newText, 6, 8, "a\nb\nc\nd\nf\ng", "A\nb\nnew\nc\nd\ne\nf\nG\n", "-a|+A|b|+new|c|d|e|f|-g|+G"},
	{"the last row", oldText, newText, 10, 10, "a\nb\nc\nd\ne\nf\nG\n", "A\nb\nnew\nc\nd\nf\ng", "-a|+A|b|+new|c|d|-e|f|g"},
	{"two hunks", oldText, newText, 2, 4, "A\nb\nnew\nc\nd\ne\nf\ng", "a\nb\nc\nd\nf\nG\n", "a|b|c|d|-e|f|-g|+G"},
	{"all hunks", oldText, newText, 1, 10, newText, oldText, "a|b|c|d|e|f|g"},
	{"more than there is", oldText, newText, 1, 99, newText, oldText, "a|b|c|d|e|f|g"},
	{"a row between", oldText, newText, 3, 3, "", newText, "-a|+A|b|+new|c|d|-e|f|-g|+G"},
	{"rows between", oldText, newText, 5, 6, "", newText, "-a|+A|b|+new|c|d|-e|f|-g|+G"},
	{"first line deleted", "a\nb\n", "b\n", 1, 1, "b\n", "a\nb\n", "a|b"},
	{"last line deleted", "a\nb\n", "a\n", 2, 2, "a\n", "a\nb\n", "a|b"},
	{"not the last line deleted", "a\nb\n", "a\n", 1, 1, "", "a\n", "a|-b"},
	{"new file", absent, "a\nb\n", 2, 2, "a\nb\n", "", ""},
	{"new empty file", absent, "", 1, 1, "", "", ""},
	{"everything deleted", "a\nb\n", "", 1, 1, "", "a\nb\n", "a|b"},
	{"final line end", "a\nb", "a\nb\n", 3, 3, "a\nb\n", "a\nb", "a|b"},
	{"behind a byte order mark", bom + "a\nb\nc\n", bom + "A\nb\nC\n", 1, 1, bom + "A\nb\nc\n", bom + "a\nb\nC\n", "a|b|-c|+C"},
	{"new file with a byte order mark", absent, bom + "a\n", 1, 1, bom + "a\n", "", ""},
}

// marked is the buffer in one line, with what the marks of each row say.
const marked = `
	local api = vim.api
	local rows = api.nvim_buf_get_lines(layout.buf, 0, -1, true)
	local namespace = api.nvim_create_namespace("claudecode_inline_diff")
	for _, mark in ipairs(api.nvim_buf_get_extmarks(layout.buf, namespace, 0, -1, { details = true })) do
		if mark[4].sign_text then
			rows[mark[2] + 1] = vim.trim(mark[4].sign_text) .. rows[mark[2] + 1]
		end
	end
	return table.concat(rows, "|")
`

func TestRanges_TouchTheHunksTheyOverlap(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.lua(nil, `notified = {} vim.notify = function(text) table.insert(notified, text) end`)
		for _, row := range ranges {
			e.open(row.old, row.new)
			e.lua(nil, `notified = {}`)
			touched := row.left != row.new
			got := value[any](e, `return layout.text_of_hunks(...)`, row.first, row.last)
			if want := any(row.chosen); touched && got != want || !touched && got != nil {
				t.Errorf("%s: chosen %q, not %q", row.name, got, want)
			}
			e.expect(row.name+", only looked at", `return layout.text()`, row.new)
			e.lua(nil, `layout.drop_hunks(...)`, row.first, row.last)
			e.expect(row.name+", dropped", `return layout.text()`, row.left)
			e.expect(row.name+", drawn", marked, row.look)
			patience := 20000
			if touched { // and nothing is said
				patience = 100
			}
			got = value[string](e, `
				vim.wait((...), function() return #notified > 0 end, 1)
				return vim.inspect({ vim.bo[layout.buf].modifiable, vim.bo[layout.buf].modified })
			`, patience)
			if got != "{ false, true }" {
				t.Errorf("%s: modifiable, modified %s", row.name, got)
			}
			if said := value[string](e, `return table.concat(notified, "\n")`); touched == strings.Contains(said, "No change in these lines") {
				t.Errorf("%s: said %q", row.name, said)
			}
			e.lua(nil, `layout.close()`)
		}
	})
}

func TestRanges_AreOfTheBufferAsItIsByThen(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.open(oldText, newText)
		for _, step := range []struct{ drop, look, left string }{
			{"4, 4", "-a|+A|b|c|d|-e|f|-g|+G", "A\nb\nc\nd\nf\nG\n"},
			{"6, 6", "-a|+A|b|c|d|e|f|-g|+G", "A\nb\nc\nd\ne\nf\nG\n"},
			{"1, 1", "a|b|c|d|e|f|-g|+G", "a\nb\nc\nd\ne\nf\nG\n"},
			{"7, 7", "a|b|c|d|e|f|g", oldText},
		} {
			e.lua(nil, `layout.drop_hunks(`+step.drop+`)`)
			e.expect(step.drop, marked, step.look)
			e.expect(step.drop, `return layout.text()`, step.left)
		}
		e.lua(nil, `layout.close()`)
	})
}

func TestRanges_LeaveTheCursorAtItsLine(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.open(oldText, newText)
		got := value[[]int](e, `
			vim.api.nvim_win_set_cursor(layout.win, { 8, 0 })
			layout.drop_hunks(1, 4)
			return vim.api.nvim_win_get_cursor(layout.win)
		`)
		if diff := cmp.Diff([]int{6, 0}, got); diff != "" {
			t.Error(diff)
		}
	})
}
