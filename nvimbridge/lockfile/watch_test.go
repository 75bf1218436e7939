// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"claudecoded/test/nvimtest"
)

func watched(t *testing.T, log *slog.Logger) (dir, path string, w *Watcher) {
	t.Helper()
	dir = filepath.Join(folder(t), "claude", "ide")
	path, err := Write(dir, sample)
	if err != nil {
		t.Fatal(err)
	}
	w = Watch(path, sample, log)
	t.Cleanup(w.Stop)
	return dir, path, w
}

// TestWatch_WritesARemovedLockWithinASecond is about the pauses, which nothing else adds to but
// the machine: where the system can watch the folder, and where it cannot.
func TestWatch_WritesARemovedLockWithinASecond(t *testing.T) {
	t.Parallel()
	if rewriteDelay+retryDelay >= time.Second {
		t.Errorf("a lock stays away for %v, seen after %v", rewriteDelay, retryDelay)
	}
}

// back waits until the lock is there again.
func back(t *testing.T, path string) {
	t.Helper()
	nvimtest.Eventually(t, path+" is back", func() bool {
		_, err := os.Lstat(path)
		return err == nil
	})
	if v := read(t, path); v["authToken"] != sample.Token {
		t.Errorf("another lock came back: %v", v)
	}
}

func TestWatch_WritesARemovedLockAgain(t *testing.T) {
	t.Parallel()
	dir, path, _ := watched(t, nil)
	for name, remove := range map[string]func() error{
		"file":          func() error { return os.Remove(path) },
		"moved":         func() error { return os.Rename(path, path+".old") },
		"folder":        func() error { return removeAll(t, dir) },
		"moved folder":  func() error { return os.Rename(dir, dir+".old") },
		"folders above": func() error { return removeAll(t, filepath.Dir(dir)) },
		"file again":    func() error { return os.Remove(path) },
	} {
		if err := remove(); err != nil {
			t.Fatal(name, err)
		}
		back(t, path)
	}
}

// removeAll removes a folder although the lock may come back meanwhile.
func removeAll(t *testing.T, dir string) error {
	nvimtest.Eventually(t, dir+" is removed", func() bool { return os.RemoveAll(dir) == nil })
	return nil
}

func TestWatch_NoticesALockThatWasGoneBefore(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "ide")
	path := filepath.Join(dir, "12345.lock")
	w := Watch(path, sample, nil)
	t.Cleanup(w.Stop)
	back(t, path)
}

func TestWatch_WorksWhereTheSystemCannotWatch(t *testing.T) {
	t.Parallel()
	dir, path, w := watched(t, nil)
	w.Stop()
	blind := &Watcher{updates: make(chan []string, 1), quit: make(chan struct{}), ended: make(chan struct{}),
		dir: dir, path: path, lock: sample, put: Write, log: slog.New(slog.DiscardHandler), timer: time.NewTimer(0)}
	go blind.run()
	t.Cleanup(blind.Stop)
	for range 2 {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		back(t, path)
	}
}

func TestUpdate_WritesTheLastFolders(t *testing.T) {
	t.Parallel()
	dir, path, w := watched(t, nil)
	folders := []string{"/a"}
	for range 100 {
		w.Update([]string{"/other"})
	}
	w.Update(folders)
	folders[0] = "/changed later"
	nvimtest.Eventually(t, "the folders are written", func() bool {
		got, _ := read(t, path)["workspaceFolders"].([]any)
		return len(got) == 1 && got[0] == "/a"
	})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	back(t, path)
	if got, _ := read(t, path)["workspaceFolders"].([]any); len(got) != 1 || got[0] != "/a" {
		t.Errorf("folders %v in %s", got, dir)
	}
}

func TestStop_LeavesTheLockAloneFromThenOn(t *testing.T) {
	t.Parallel()
	_, path, w := watched(t, nil)
	w.Stop()
	w.Stop()
	w.Update([]string{"/late"})
	if err := Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("it came back")
	}
}

func TestWatch_SaysOnceThatItCannotWrite(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var buf strings.Builder
	log := slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return buf.Write(p)
	}), nil))
	text := func() string { mu.Lock(); defer mu.Unlock(); return buf.String() }
	dir := filepath.Join(folder(t), "ide")
	path := filepath.Join(dir, "12345.lock")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := Watch(path, sample, log)
	t.Cleanup(w.Stop)
	nvimtest.Eventually(t, "it is said", func() bool { return strings.Contains(text(), "is a file") })
	for range 3 { // each is taken once the one before was tried
		w.Update([]string{"/x"})
		nvimtest.Eventually(t, "the folders are taken", func() bool { return len(w.updates) == 0 })
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	back(t, path)
	if n := strings.Count(text(), "level=WARN"); n != 1 || strings.Contains(text(), sample.Token) {
		t.Errorf("%d warnings: %s", n, text())
	}
}

func TestUpdate_IsTriedAgainWhenItFailed(t *testing.T) {
	t.Parallel()
	dir, path, w := watched(t, nil)
	w.Stop()
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	again := &Watcher{updates: make(chan []string, 1), quit: make(chan struct{}), ended: make(chan struct{}),
		dir: dir, path: path, lock: sample, log: slog.New(slog.DiscardHandler), events: events, timer: time.NewTimer(0)}
	again.put = func(dir string, l Lock) (string, error) {
		if tries++; tries < 3 {
			return "", errors.New("not now")
		}
		return Write(dir, l)
	}
	go again.run()
	t.Cleanup(again.Stop)
	again.Update([]string{"/new"})
	nvimtest.Eventually(t, "the folders are written", func() bool {
		got, _ := read(t, path)["workspaceFolders"].([]any)
		return len(got) == 1 && got[0] == "/new"
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
