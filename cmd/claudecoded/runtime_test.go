// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"claudecoded/lua"
)

func TestUnpackPlugin_WritesWhatTheProgramCarries(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "cache")
	folder, err := unpackPlugin(base, lua.FS)
	if err != nil {
		t.Fatal(err)
	}
	want, err := lua.FS.ReadFile("claudecode/init.lua")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "lua", "claudecode", "init.lua")
	if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
		t.Errorf("init.lua differs, %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestUnpackPlugin_KeepsVersionsApartAndRepairsFiles(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	files := fstest.MapFS{"claudecode/a.lua": {Data: []byte("return 1")}, "claudecode/b/c.lua": {Data: []byte("return 2")}}
	first, err := unpackPlugin(base, files)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(first, "lua", "claudecode", "a.lua")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// Again: nothing is touched. Damaged: written anew.
	again, err := unpackPlugin(base, files)
	if err != nil || again != first {
		t.Errorf("%s, %v, not %s", again, err, first)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was replaced, %v", err)
	}
	if err := os.WriteFile(path, []byte("ret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := unpackPlugin(base, files); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "return 1" {
		t.Errorf("%q, %v", text, err)
	}
	// Other content goes to another folder, whatever file it is in.
	for _, other := range []fstest.MapFS{
		{"claudecode/a.lua": {Data: []byte("return 3")}, "claudecode/b/c.lua": {Data: []byte("return 2")}},
		{"claudecode/a.lua": {Data: []byte("return 1")}, "claudecode/b/d.lua": {Data: []byte("return 2")}},
	} {
		if folder, err := unpackPlugin(base, other); err != nil || folder == first {
			t.Errorf("%s, %v", folder, err)
		}
	}
}

func TestUnpackPlugin_MayBeDoneByManyAtOnce(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	files := fstest.MapFS{"claudecode/a.lua": {Data: []byte(strings.Repeat("-- line\n", 1<<12))}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			folder, err := unpackPlugin(base, files)
			if err != nil {
				t.Error(err)
				return
			}
			text, err := os.ReadFile(filepath.Join(folder, "lua", "claudecode", "a.lua"))
			if err != nil || string(text) != string(files["claudecode/a.lua"].Data) {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		})
	}
	all.Wait()
}
