// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestChoice_OfANamedEditorNeedsNoWorkingFolder(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	for _, c := range []editorChoice{{Port: 1}, {PID: 1}, {CWD: "/"}} {
		if _, err := c.wanted(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if w, err := (editorChoice{}).wanted(); err == nil {
		t.Errorf("found the folder %s", w.Folder)
	}
}
