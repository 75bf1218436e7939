// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"slices"
	"sort"
)

// rebase is what was there before a client's changes, had the user's change from left to now
// been made first: what the user wrote is then no part of what can be taken back. Where the
// two are in each other's way it is Mixed.
func rebase(before, left, now State) State {
	switch {
	case left.same(now), before.Why != "" && before.Kind != Absent:
		return before
	case before.same(now), left.Kind != File || now.Kind != File:
		return now
	}
	text, ok := merge3(left.Bytes(), now.Bytes(), before.Bytes())
	if !ok || before.Kind != File || left.text == nil || now.text == nil {
		return before.mixed()
	}
	mode := before.Mode
	if now.Mode != left.Mode {
		mode = now.Mode
	}
	return stateOf(File, mode, text)
}

// mixed is the state without its bytes.
func (s State) mixed() State {
	s.Why, s.text = Mixed, nil
	return s
}

// merge3 applies to one text, made from base, what changed between base and another. Changes
// of lines that overlap or touch are refused, unless both are the same.
func merge3(base, ours, theirs []byte) (text []byte, ok bool) {
	if !fewLines(base) || !fewLines(ours) || !fewLines(theirs) {
		return nil, false
	}
	old, mine, other := linesOf(base), linesOf(ours), linesOf(theirs)
	inMine, inOther := pairs(old, mine), pairs(old, other)
	var at, atMine, atOther int
	text = []byte{}
	for i := 0; i <= len(old); i++ {
		toMine, toOther := len(mine), len(other)
		if i < len(old) {
			if toMine, toOther = inMine[i], inOther[i]; toMine < 0 || toOther < 0 {
				continue
			}
		}
		was, a, b := old[at:i], mine[atMine:toMine], other[atOther:toOther]
		switch {
		case slices.EqualFunc(was, a, bytes.Equal):
			a = b
		case !slices.EqualFunc(was, b, bytes.Equal) && !slices.EqualFunc(a, b, bytes.Equal):
			return nil, false
		}
		text = append(text, bytes.Join(a, nil)...)
		if i < len(old) {
			text = append(text, old[i]...)
		}
		at, atMine, atOther = i+1, toMine+1, toOther+1
	}
	return text, true
}

func linesOf(content []byte) [][]byte { return slices.Collect(bytes.Lines(content)) }

// pairs are, by line of a text, the equal lines of another that are taken for the same, in
// order; -1 for none. What begins and ends both is, and of the rest a longest sequence in
// which the k-th of equal lines is paired with the k-th.
func pairs(a, b [][]byte) []int {
	found := slices.Repeat([]int{-1}, len(a))
	head, tail, most := 0, 0, min(len(a), len(b))
	for ; head < most && bytes.Equal(a[head], b[head]); head++ {
		found[head] = head
	}
	for ; tail < most-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]); tail++ {
		found[len(a)-1-tail] = len(b) - 1 - tail
	}
	places := map[string][]int{}
	for j := head; j < len(b)-tail; j++ {
		places[string(b[j])] = append(places[string(b[j])], j)
	}
	type pair struct{ i, j, previous int }
	var all []pair
	var ends []int // by length of a sequence, the pair that it ends with at the least place
	for i := head; i < len(a)-tail; i++ {
		rest := places[string(a[i])]
		if len(rest) == 0 {
			continue
		}
		places[string(a[i])] = rest[1:]
		n := sort.Search(len(ends), func(n int) bool { return all[ends[n]].j >= rest[0] })
		one := pair{i, rest[0], -1}
		if n > 0 {
			one.previous = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, 0)
		}
		ends[n] = len(all)
		all = append(all, one)
	}
	if len(ends) == 0 {
		return found
	}
	for k := ends[len(ends)-1]; k >= 0; k = all[k].previous {
		found[all[k].i] = all[k].j
	}
	return found
}
