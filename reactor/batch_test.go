// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"slices"
	"testing"
)

func TestBatch_WhatIsAddedWhileItIsHandledWaits(t *testing.T) {
	t.Parallel()
	var b batch[int]
	for i := range 3 {
		b.add(i)
	}
	var got []int
	for want := []int{0, 1, 2}; len(want) > 0; {
		got = nil
		b.drain(func(i int) {
			got = append(got, i)
			if i > 0 {
				b.add(i - 1)
			}
		})
		if !slices.Equal(got, want) {
			t.Fatalf("handled %v, want %v", got, want)
		}
		want = want[:len(want)-1]
	}
	if !b.empty() {
		t.Error("not empty at the end")
	}
}

func TestBatch_KeepsNeitherValuesNorALongList(t *testing.T) {
	t.Parallel()
	var b batch[*int]
	for _, n := range []int{10, 10 * maxKept, 10} {
		for range n {
			b.add(new(int))
		}
		b.drain(func(*int) {})
		if cap(b.spare) > maxKept {
			t.Errorf("room for %d entries is kept", cap(b.spare))
		}
		for _, p := range b.spare[:cap(b.spare)] {
			if p != nil {
				t.Fatal("a handled value is still held")
			}
		}
	}
}
