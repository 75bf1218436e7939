// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
)

// Suspend stops a process, all of it: a thread may run on for a moment after the signal.
func Suspend(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	nvimtest.Eventually(t, "every thread is stopped", func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		return !slices.ContainsFunc(threads, func(thread string) bool {
			stat, err := os.ReadFile(thread)
			_, fields, _ := strings.Cut(string(stat), ") ")
			return err == nil && !strings.HasPrefix(fields, "T")
		})
	})
}
