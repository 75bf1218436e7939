// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// deadPID is the id of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

func TestSweep_RemovesOnlyWhatADeadNeovimLeft(t *testing.T) {
	t.Parallel()
	dir, dead := folder(t), deadPID(t)
	lock := func(pid int, ide string) string {
		return fmt.Sprintf(`{"pid":%d,"ideName":%q,"authToken":"x"}`, pid, ide)
	}
	for name, text := range map[string]string{
		"1.lock":        lock(dead, "Neovim"),
		"2.lock":        lock(os.Getpid(), "Neovim"),
		"3.lock":        lock(1, "Neovim"), // somebody else's process
		"4.lock":        lock(dead, "VSCode"),
		"5.lock":        lock(dead, ""),
		"6.lock":        lock(0, "Neovim"),
		"7.lock":        lock(-999999, "Neovim"),
		"8.lock":        "/a/folder\n/another",
		"9.lock":        "",
		"10.lock.tmp":   lock(dead, "Neovim"),
		"11.lock":       lock(dead, "Neovim"),
		"settings.json": lock(dead, "Neovim"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "12.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := Sweep(dir, Lock{PID: 1 << 30, Port: 1}); n != 2 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{"10.lock.tmp", "12.lock", "2.lock", "3.lock", "4.lock", "5.lock", "6.lock", "7.lock", "8.lock", "9.lock", "settings.json"}
	if !slices.Equal(left, want) {
		t.Errorf("left %v", left)
	}
}

func TestSweep_RemovesWhatThisEditorHadOnAnotherPort(t *testing.T) {
	t.Parallel()
	dir, mine := folder(t), Lock{PID: os.Getpid(), Port: 2}
	for name, text := range map[string]string{
		"1.lock": fmt.Sprintf(`{"pid":%d,"ideName":"Neovim"}`, mine.PID),
		"2.lock": fmt.Sprintf(`{"pid":%d,"ideName":"Neovim"}`, mine.PID),
		"3.lock": fmt.Sprintf(`{"pid":%d,"ideName":"VSCode"}`, mine.PID),
		"4.lock": fmt.Sprintf(`{"pid":%d,"ideName":"Neovim"}`, os.Getppid()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := Sweep(dir, mine); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "1.lock")); err == nil {
		t.Error("the lock for the other port is still there")
	}
}

func TestRelease_LeavesAnotherEditorsLock(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	for text, stays := range map[string]bool{
		fmt.Sprintf(`{"pid":%d}`, sample.PID):   false,
		fmt.Sprintf(`{"pid":%d}`, sample.PID+1): true,
		"no lock":                               false,
	} {
		path := filepath.Join(dir, "12345.lock")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Release(path, sample); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("after the release of %s: %v", text, err)
		}
	}
	if err := Release(filepath.Join(dir, "gone.lock"), sample); err != nil {
		t.Error(err)
	}
}

func TestSweep_OfNoFolderIsFine(t *testing.T) {
	t.Parallel()
	if n, err := Sweep(filepath.Join(folder(t), "none"), sample); n != 0 || err != nil {
		t.Error(n, err)
	}
	file := filepath.Join(folder(t), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Sweep(file, sample); err == nil {
		t.Error("swept a file")
	}
}
