// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestShell_IsNotWhatAClientWritesAFileThrough: a revert would take it from under the client.
func TestShell_IsNotWhatAClientWritesAFileThrough(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f", "kept.tmp.1.ab")
	b.shell(func() {
		for _, name := range []string{"f.tmp.9096.b72487229fa5", "f.tmp.b72487229fa5", "f.tmp.9096", "kept.tmp.1.ab"} {
			b.write(name, "x\n")
		}
	})
	var paths []string
	for _, c := range b.turn(0).Changes {
		paths = append(paths, filepath.Base(c.Path))
	}
	if want := []string{"f.tmp.9096", "f.tmp.b72487229fa5", "kept.tmp.1.ab"}; !slices.Equal(paths, want) {
		t.Errorf("listed %q, want %q", paths, want)
	}
}
