// Copyright (c) 2026 the claudecoded authors. MIT license.

package hunks

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"claudecoded/test/nvimtest"
)

// hunk is one of claudecode.diff.hunks.
type hunk struct {
	OldAt    int `msgpack:"old_at"`
	OldCount int `msgpack:"old_count"`
	NewAt    int `msgpack:"new_at"`
	NewCount int `msgpack:"new_count"`
}

// compared is what Lua makes of two texts: the hunks, the composed text of each subset.
type compared struct {
	Hunks    []hunk   `msgpack:"hunks"`
	Composed []string `msgpack:"composed"`
}

const compare = `
	local hunks = require("claudecode.diff.hunks")
	local old, new = hunks.lines((...)), hunks.lines(select(2, ...))
	local found = hunks.between(old, new)
	local composed = {}
	for subset = 0, 2 ^ #found - 1 do
		local chosen = {}
		for i, hunk in ipairs(found) do
			if bit.band(bit.rshift(subset, i - 1), 1) == 1 then
				table.insert(chosen, hunk)
			end
		end
		table.insert(composed, hunks.compose(old, new, chosen))
	end
	return { hunks = found, composed = composed }
`

// lines are those of a text with their ends.
func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if last := len(all) - 1; all[last] == "" {
		all = all[:last]
	}
	return all
}

// apply replaces what the chosen hunks replace, from the last to the first.
func apply(old, new string, all []hunk, chosen int) string {
	text, with := lines(old), lines(new)
	for i, h := range slices.Backward(all) {
		if chosen>>i&1 == 1 {
			text = slices.Replace(text, h.OldAt, h.OldAt+h.OldCount, with[h.NewAt:h.NewAt+h.NewCount]...)
		}
	}
	return strings.Join(text, "")
}

// check compares what Lua made of two texts with what apply does.
func check(t interface{ Fatalf(string, ...any) }, got compared, old, new string) {
	was, is := lines(old), lines(new)
	atOld, atNew := 0, 0
	for _, h := range append(got.Hunks, hunk{len(was), 0, len(is), 0}) {
		if h.OldAt < atOld || !slices.Equal(was[atOld:h.OldAt], is[atNew:h.NewAt]) {
			t.Fatalf("%q to %q: what stands before %+v differs", old, new, h)
		}
		atOld, atNew = h.OldAt+h.OldCount, h.NewAt+h.NewCount
	}
	if none, all := got.Composed[0], got.Composed[len(got.Composed)-1]; none != old || all != new {
		t.Fatalf("%q to %q: none gives %q, all give %q", old, new, none, all)
	}
	for subset, text := range got.Composed {
		if want := apply(old, new, got.Hunks, subset); text != want {
			t.Fatalf("%q to %q, hunks %b of %+v: %q, not %q", old, new, subset, got.Hunks, text, want)
		}
	}
}

func TestHunks_EverySubsetIsAppliedExactly(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "a", "b", "c", "\r", "a\r", "é", "\x00", "\xff"})
	texts := rapid.Custom(func(t *rapid.T) string {
		text := strings.Join(rapid.SliceOfN(line, 0, 9).Draw(t, "lines"), "\n")
		return text + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		most := 0
		rapid.Check(t, func(t *rapid.T) {
			old, new := texts.Draw(t, "old"), texts.Draw(t, "new")
			var got compared
			if err := e.ExecLua(compare, &got, old, new); err != nil {
				t.Fatal(err)
			}
			check(t, got, old, new)
			most = max(most, len(got.Hunks))
		})
		if most < 3 {
			t.Errorf("no pair of texts had more than %d hunks", most)
		}
	})
}

func TestHunks_OfEdgesAreExact(t *testing.T) {
	rows := []struct {
		old, new string
		hunks    int
	}{
		{"", "", 0},
		{"", "\n", 1},
		{"\n", "", 1},
		{"", "a", 1},
		{"a", "", 1},
		{"a", "a\n", 1},
		{"a\n", "a", 1},
		{"a\n", "a\nb", 1},
		{"a", "a\nb", 1},
		{"a\nb\nc\n", "b\nc\n", 1},
		{"a\nb\nc\n", "a\nb\n", 1},
		{"b\n", "a\nb\n", 1},
		{"a\nb\nc\nd\ne", "x\nb\nc\nd\ny\n", 2},
		{"a\x00b\n", "a\x00c\n", 1},
		{"a\r\n", "a\n", 1},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for _, row := range rows {
			got := value[compared](e, compare, row.old, row.new)
			if check(t, got, row.old, row.new); len(got.Hunks) != row.hunks || bits.OnesCount(uint(len(got.Composed))) != 1 {
				t.Errorf("%q to %q: %+v", row.old, row.new, got.Hunks)
			}
		}
	})
}

func TestHunks_OfTextsTooLongToCompareAreOneBetweenWhatIsAlike(t *testing.T) {
	rows := []struct {
		name, old, new string
		limit          int
		want           []hunk
	}{
		{"short enough", "a\nb\nc\nd\n", "a\nx\nc\ny\n", 8, []hunk{{1, 1, 1, 1}, {3, 1, 3, 1}}},
		{"too long", "a\nb\nc\nd\n", "x\nb\nc\ny\n", 7, []hunk{{0, 4, 0, 4}}},
		{"too long, alike at both ends", "a\nb\nc\nd\ne\n", "a\nx\nc\ny\ne\n", 5, []hunk{{1, 3, 1, 3}}},
		{"short enough between what is alike", "a\nb\nc\nd\ne\n", "a\nx\nc\ny\ne\n", 6, []hunk{{1, 1, 1, 1}, {3, 1, 3, 1}}},
		{"one inside the other", "a\na\n", "a\na\na\n", 2, []hunk{{2, 0, 2, 1}}},
		{"the same", "a\na\n", "a\na\n", 2, nil},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for _, row := range rows {
			e.lua(nil, `require("claudecode.diff.hunks").max_lines = ...`, row.limit)
			got := value[compared](e, compare, row.old, row.new)
			if check(t, got, row.old, row.new); !slices.Equal(got.Hunks, row.want) {
				t.Errorf("%s: %+v", row.name, got.Hunks)
			}
		}
	})
}
