// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/lockfile"
	"claudecoded/test/nvimtest"
)

func TestRegistry_ListsAnEditorThatHasNoLockForClaude(t *testing.T) {
	t.Parallel()
	r := runDaemon(t)
	dir, folders := filepath.Join(t.TempDir(), "editors"), []string{t.TempDir(), t.TempDir()}
	r.on(func(h host) { h.d.registry = dir })
	r.start(nvimbridge.StartOptions{Token: token, WorkspaceFolders: folders[:1]})
	r.expect("ready lock=false")
	listed := func() []string {
		found, err := lockfile.Find(dir)
		if err != nil || len(found) != 1 || found[0].Port != r.d.port || found[0].Token != token || found[0].PID != os.Getpid() {
			t.Fatalf("%+v, %v", found, err)
		}
		return found[0].WorkspaceFolders
	}
	if diff := cmp.Diff(folders[:1], listed()); diff != "" {
		t.Error(diff)
	}
	r.on(func(h host) { h.WorkspaceFolders(folders) })
	nvimtest.Eventually(t, "the folders are listed", func() bool { return cmp.Diff(folders, listed()) == "" })
	r.d.loop.Post(func() { r.d.leave("the test says so") })
	r.end <- <-r.end
	if found, err := lockfile.Find(dir); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestRegistry_ThatCannotBeWrittenHoldsNothingUp(t *testing.T) {
	t.Parallel()
	r := runDaemon(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.on(func(h host) { h.d.registry = file })
	r.start(nvimbridge.StartOptions{Lock: true, LockDir: t.TempDir()})
	r.expect("ready lock=true")
}
