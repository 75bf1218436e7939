// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package memory

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOpenFile_DoesNotWaitForTheWriterOfAPipe(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	if err := unix.Mkfifo(filepath.Join(b.cfg.Folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := b.text(t, "openFile", args{"filePath": "pipe"}); got != `-32000 File operation error "File not found: pipe"` {
		t.Error(got)
	}
}
