// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package diff

import "testing"

func init() { editors = "6" }

// some are all rows of a table.
func some[T any](all []T) []T { return all }

// TestMatrix_WholeLeavesTheEditorAsItWas plays every cell.
func TestMatrix_WholeLeavesTheEditorAsItWas(t *testing.T) {
	play(t, func(_ int, l layout) []cell { return matrix(l) })
}

// matrix lists all cells of a layout.
func matrix(l layout) (cells []cell) {
	for _, s := range situations {
		for _, o := range outcomes {
			if c := (cell{l, s, o}); c.possible() {
				cells = append(cells, c)
			}
		}
	}
	return cells
}
