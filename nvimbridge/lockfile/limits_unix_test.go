// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !windows

package lockfile

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// childDir names, for a child of the test, the folder to write a lock in; childUser
// says to do so as another user, childSize with that file-size limit.
const (
	childDir  = "LOCKFILE_TEST_DIR"
	childUser = "LOCKFILE_TEST_USER"
	childSize = "LOCKFILE_TEST_SIZE"
)

// nobody is a user without rights.
const nobody = 65534

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	goleak.VerifyTestMain(m)
}

// child writes a lock and prints how that went.
func child(dir string) int {
	if os.Getenv(childUser) != "" && os.Geteuid() == 0 {
		if err := syscall.Setuid(nobody); err != nil {
			return 1
		}
	}
	if os.Getenv(childSize) != "" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 10, Max: 10}); err != nil {
			return 1
		}
	}
	_, err := Write(dir, sample)
	fmt.Print(err)
	return 0
}

func writeInChild(t *testing.T, dir, how string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childDir+"="+dir, how+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// public is a folder that every user can reach.
func public(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lock")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWrite_SaysThatAFolderIsReadOnly(t *testing.T) {
	t.Parallel()
	base := public(t)
	ide := filepath.Join(base, "locked", "ide")
	if err := os.MkdirAll(ide, 0o755); err != nil {
		t.Fatal(err)
	}
	// Its owner would make it writable again, so as such only the folder above counts.
	dirs := map[string]string{filepath.Join(base, "locked", "new", "ide"): "making the lock folder %s: " + filepath.Join(base, "locked", "new") + ": permission denied"}
	if os.Geteuid() == 0 {
		dirs[ide] = "writing the lock file in %s: permission denied"
	}
	if err := os.Chmod(filepath.Dir(ide), 0o555); err != nil {
		t.Fatal(err)
	}
	for dir, want := range dirs {
		if got := writeInChild(t, dir, childUser); got != fmt.Sprintf(want, dir) {
			t.Errorf("%s, want %s", got, fmt.Sprintf(want, dir))
		}
	}
}

func TestWrite_OnAFullDiskLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	if got := writeInChild(t, dir, childSize); !strings.HasPrefix(got, "writing the lock file in "+dir+": file too large") {
		t.Error(got)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}
