// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"slices"
	"testing"

	"claudecoded/test/nvimtest"
)

// play runs the cells of each layout that choose picks.
func play(t *testing.T, choose func(version int, l layout) []cell) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		version := slices.Index(nvimtest.Versions(t), nvim)
		for _, l := range layouts {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				cells := choose(version, l)
				for len(cells) > 0 {
					t.Run("editor", func(t *testing.T) { cells = playIn(t, nvim, cells) })
				}
			})
		}
	})
}

// playIn runs cells in one editor until one fails, and returns those that are left.
func playIn(t *testing.T, nvim string, cells []cell) []cell {
	e := open(t, nvim, cells[0].options)
	defer e.leave()
	if err := e.warm(t); err != nil {
		t.Error(err)
		return nil
	}
	for i, c := range cells {
		passed := t.Run(c.situation.name+"/"+c.outcome.name, func(t *testing.T) {
			if err := c.run(t, e); err != nil {
				t.Error(err)
			}
		})
		if !passed {
			return cells[i+1:]
		}
	}
	return nil
}

// TestMatrix_SampleLeavesTheEditorAsItWas has each layout meet each outcome and each
// situation at least once, taking turns between the versions.
func TestMatrix_SampleLeavesTheEditorAsItWas(t *testing.T) {
	play(t, func(version int, l layout) (cells []cell) {
		turn := version
		for i, o := range outcomes {
			for j := range situations {
				c := cell{l, situations[(i+j)%len(situations)], o}
				if !c.possible() {
					continue
				}
				if turn++; turn%2 == 0 {
					cells = append(cells, c)
				}
				break
			}
		}
		return cells
	})
}
