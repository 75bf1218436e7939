// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"slices"
	"sort"
)

// maxSteps bounds the search for the shortest difference of two files. Beyond it a short
// one is told.
const maxSteps = 20_000_000

// maxLines is how many lines a content may have for them to be compared: a line takes far
// more memory than its bytes.
const maxLines = 250_000

// counts are the lines that were added and removed between two contents.
type counts struct {
	of             [2]digest
	added, removed int
}

func (f *file) pair() [2]digest { return [2]digest{f.before.sum, f.after.sum} }

// count counts the lines of what turns changed, of files that were not counted yet, and
// then goes on.
func (b *book) count(turns []*turn, then func()) {
	type job struct {
		file          *file
		before, after State
		counts        counts
	}
	var jobs []job
	for _, t := range turns {
		for _, f := range t.changes() {
			if f.counts.of != f.pair() && f.countable() {
				jobs = append(jobs, job{file: f, before: f.before, after: f.after, counts: counts{of: f.pair()}})
			}
		}
	}
	if len(jobs) == 0 {
		then()
		return
	}
	b.errands.add(b, task{run: func() error {
		for i := range jobs {
			if err := b.keeper.ctx.Err(); err != nil {
				return err
			}
			j := &jobs[i]
			j.counts.added, j.counts.removed = b.work.count(j.before.Bytes(), j.after.Bytes())
		}
		return nil
	}, done: func(err error) {
		defer then()
		if err != nil {
			return
		}
		for _, j := range jobs {
			j.file.counts = j.counts
		}
	}})
}

// countable reports whether both contents are there, and are text.
func (f *file) countable() bool {
	there := func(s State) bool {
		return s.text != nil && fewLines(s.text.bytes) || s.Kind == Absent || s.Kind == Other
	}
	return there(f.before) && there(f.after) && !f.binary()
}

// fewLines reports whether a content's lines may be compared.
func fewLines(content []byte) bool { return bytes.Count(content, []byte("\n")) < maxLines }

// countLines counts the lines of the shortest difference of two contents.
func countLines(before, after []byte) (added, removed int) {
	a, b := numbered(before, after)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	added, removed = len(b), len(a)
	a, b = onlyIn(a, b), onlyIn(b, a)
	common, ok := longest(a, b, maxSteps)
	if !ok {
		common = ordered(a, b)
	}
	return added - common, removed - common
}

// numbered gives equal lines equal numbers.
func numbered(before, after []byte) (a, b []int) {
	numbers := map[string]int{}
	number := func(content []byte) (lines []int) {
		for line := range bytes.Lines(content) {
			n, ok := numbers[string(line)]
			if !ok {
				n = len(numbers)
				numbers[string(line)] = n
			}
			lines = append(lines, n)
		}
		return lines
	}
	return number(before), number(after)
}

// onlyIn leaves out the lines that the other has not: they are in no common part.
func onlyIn(lines, other []int) []int {
	has := make(map[int]bool, len(other))
	for _, n := range other {
		has[n] = true
	}
	return slices.DeleteFunc(slices.Clone(lines), func(n int) bool { return !has[n] })
}

// longest is how many lines the longest common subsequence has (Myers, "An O(ND)
// Difference Algorithm", 1986). It gives up after a number of steps.
func longest(a, b []int, steps int) (int, bool) {
	n, m := len(a), len(b)
	reach := make([]int, 2*(n+m)+3) // by diagonal, how far in a
	zero := n + m + 1
	for d := 0; d <= n+m; d++ {
		for k := -d; k <= d; k += 2 {
			x := reach[zero+k-1] + 1
			if k == -d || k != d && reach[zero+k-1] < reach[zero+k+1] {
				x = reach[zero+k+1]
			}
			from := x
			for x < n && x-k < m && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			if steps -= 1 + x - from; steps < 0 {
				return 0, false
			}
			reach[zero+k] = x
			if x >= n && x-k >= m {
				return (n + m - d) / 2, true
			}
		}
	}
	return 0, true
}

// ordered is how many lines a common subsequence has in which the k-th of equal lines is
// paired with the k-th of the other side.
func ordered(a, b []int) int {
	places := map[int][]int{}
	for i, n := range b {
		places[n] = append(places[n], i)
	}
	var tails []int // by length, the least place at which a subsequence ends
	for _, n := range a {
		if len(places[n]) == 0 {
			continue
		}
		place := places[n][0]
		places[n] = places[n][1:]
		i := sort.SearchInts(tails, place)
		if i == len(tails) {
			tails = append(tails, place)
		} else {
			tails[i] = place
		}
	}
	return len(tails)
}
