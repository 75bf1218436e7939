// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
)

// inotify counts this process's watches of a folder.
func inotify(t *testing.T, dir string) (n int) {
	t.Helper()
	var stat syscall.Stat_t
	if err := syscall.Stat(dir, &stat); err != nil {
		t.Fatal(err)
	}
	infos, err := filepath.Glob("/proc/self/fdinfo/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		text, _ := os.ReadFile(info) // it may be closed by now
		n += strings.Count(string(text), fmt.Sprintf("ino:%x ", stat.Ino))
	}
	return n
}

// The kernel takes long to end a process that watches something, and the editor waits.
func TestStop_LeavesNoWatchThatHoldsUpTheEndOfTheProcess(t *testing.T) {
	t.Parallel()
	dir, _, w := watched(t, nil)
	nvimtest.Eventually(t, "the folder is watched", func() bool { return inotify(t, dir) == 1 })
	w.Stop()
	if n := inotify(t, dir); n != 0 {
		t.Errorf("%d watches", n)
	}
}
