// Copyright (c) 2026 the claudecoded authors. MIT license.

package hunks

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// numbered is a text of so many lines, each the same in every such text unless odd says
// what it is.
func numbered(count int, odd func(i int) string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "%s line %d\n", odd(i), i)
	}
	return b.String()
}

// drawn is how the layout should be: rows of the buffer, marks in it, hunks.
type drawn struct{ rows, marks int }

func TestUnified_IsBoundedForLargeTexts(t *testing.T) {
	same := func(int) string { return "" }
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(count int) string {
		var b strings.Builder
		for range count {
			fmt.Fprintln(&b, random.IntN(10))
		}
		return b.String()
	}
	line := strings.Repeat("x", 1<<20)
	rows := []struct {
		name, old, new string
		want           drawn // zero if it does not matter
	}{
		{"50 000 hunks", numbered(100_000, same), numbered(100_000, func(i int) string { return strings.Repeat("!", i%2) }), drawn{150_000, 100_000}},
		{"one line of 1 MiB", line, line + "y\n", drawn{2, 3}},
		{"3 MiB, one hunk", numbered(1<<17, same) + exact["3 MiB"], numbered(1<<17, same) + "new\n" + exact["3 MiB"], drawn{1<<17 + 3<<16 + 1, 1}},
		{"3 MiB of line ends", "", exact["3 MiB of line ends"], drawn{3 << 20, 1}},
		{"nothing alike", noise(1 << 18), noise(1 << 18), drawn{}},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for _, row := range rows {
			e.lua(nil, `begun = vim.uv.hrtime()`)
			e.open(row.old, row.new)
			e.lua(nil, `vim.cmd.redraw()`)
			t.Logf("%s: %d ms", row.name, value[int64](e, `return math.floor((vim.uv.hrtime() - begun) / 1e6)`))
			got := drawn{
				rows: value[int](e, `return vim.api.nvim_buf_line_count(layout.buf)`),
				marks: value[int](e, `
					local namespace = vim.api.nvim_create_namespace("claudecode_inline_diff")
					return #vim.api.nvim_buf_get_extmarks(layout.buf, namespace, 0, -1, {})
				`),
			}
			if row.want != (drawn{}) && got != row.want {
				t.Errorf("%s: %+v, not %+v", row.name, got, row.want)
			}
			e.expect(row.name, `return layout.text()`, row.new)
			e.lua(nil, `begun = vim.uv.hrtime() layout.drop_hunks(1, 1e9)`)
			t.Logf("%s, all dropped: %d ms", row.name, value[int64](e, `return math.floor((vim.uv.hrtime() - begun) / 1e6)`))
			e.expect(row.name+", all dropped", `return layout.text()`, row.old)
			e.expect(row.name+", drawn", `return table.concat(vim.api.nvim_buf_get_lines(layout.buf, 0, -1, true), "\n")`,
				strings.TrimSuffix(row.old, "\n"))
			e.lua(nil, `layout.close() place, layout = nil, nil collectgarbage()`)
		}
	})
}
