// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCountLines_CountsTheShortestDifference(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, after  string
		added, removed int
	}{
		"nothing":           {"", "", 0, 0},
		"all":               {"", "a\nb", 2, 0},
		"none":              {"a\nb\n", "", 0, 2},
		"a moved line":      {"a\nb\nc\n", "b\nc\na\n", 1, 1},
		"a final break":     {"a", "a\n", 1, 1},
		"repeated lines":    {"x\nx\nx\na\n", "x\na\nx\n", 1, 2},
		"a carriage return": {"a\r\nb\n", "a\nb\n", 1, 1},
	} {
		if added, removed := countLines([]byte(row.before), []byte(row.after)); added != row.added || removed != row.removed {
			t.Errorf("%s: +%d -%d, want +%d -%d", name, added, removed, row.added, row.removed)
		}
	}
}

// lines are few kinds of them, so that many are equal.
func lines(t *rapid.T, name string) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n"}), 0, 40).Draw(t, name)
}

func TestCountLines_FindsTheLongestCommonSubsequence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := lines(t, "before"), lines(t, "after")
		table := make([][]int, len(a)+1)
		for i := range table {
			table[i] = make([]int, len(b)+1)
		}
		for i := range a {
			for j := range b {
				if a[i] == b[j] {
					table[i+1][j+1] = table[i][j] + 1
				} else {
					table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
				}
			}
		}
		common := table[len(a)][len(b)]
		before, after := []byte(strings.Join(a, "")), []byte(strings.Join(b, ""))
		if added, removed := countLines(before, after); added != len(b)-common || removed != len(a)-common {
			t.Fatalf("+%d -%d, want +%d -%d", added, removed, len(b)-common, len(a)-common)
		}
		x, y := numbered(before, after)
		if _, ok := longest(x, y, 0); ok && len(x)+len(y) > 0 {
			t.Fatal("it does not give up")
		}
		if n := ordered(x, y); n > common || n < 0 || common == len(a) && common == len(b) && n != common {
			t.Fatalf("%d lines in order, of %d", n, common)
		}
	})
}
