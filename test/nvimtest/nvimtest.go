// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package nvimtest runs real Neovim children for tests: every version that is
// supported, isolated from the user's files, ended by process id.
package nvimtest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// BinariesVar names the environment variable that lists the Neovim binaries to
// test against, separated as PATH is.
const BinariesVar = "CLAUDECODED_NVIM"

// Patience is how long Eventually waits: far more than any healthy machine
// needs, so that only a fault runs into it.
const Patience = time.Minute

// Root is the repository's root folder, which is also the plugin's.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("nvimtest: no source path; build without -trimpath")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

// Versions lists the Neovim binaries to test against: those of BinariesVar, else
// those that the repository's cache holds. It fails the test if there is none.
func Versions(t testing.TB) []string {
	t.Helper()
	if list := os.Getenv(BinariesVar); list != "" {
		return filepath.SplitList(list)
	}
	found, err := filepath.Glob(filepath.Join(Root(t), ".cache", "nvim", "*", "bin", "nvim"))
	if err != nil || len(found) == 0 {
		t.Fatalf("nvimtest: no Neovim in .cache/nvim: run make deps, or list binaries in %s", BinariesVar)
	}
	return found
}

// Each runs f as a parallel subtest for each of Versions.
func Each(t *testing.T, f func(t *testing.T, nvim string)) {
	t.Helper()
	for _, nvim := range Versions(t) {
		t.Run(versionName(nvim), func(t *testing.T) {
			t.Parallel()
			f(t, nvim)
		})
	}
}

// versionName is the folder that holds bin/nvim, which names the version.
func versionName(nvim string) string {
	if name := filepath.Base(filepath.Dir(filepath.Dir(nvim))); name != string(filepath.Separator) && name != "." {
		return name
	}
	return nvim
}

// Dir makes a folder with a short path, for sockets, and removes it at the end.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "nvt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// Env is an environment that shares nothing with the user's: its own HOME and
// XDG folders, no NVIM, no CLAUDE or MCP variable. Later entries win, so a test
// appends what it needs.
func Env(t testing.TB) []string {
	t.Helper()
	dir := Dir(t)
	env := []string{
		"PATH=" + os.Getenv("PATH"),
		"LANG=C.UTF-8",
		"TERM=xterm-256color",
		"HOME=" + dir,
		"TMPDIR=" + dir,
		"NVIM_LOG_FILE=" + filepath.Join(dir, "nvim.log"),
	}
	for variable, name := range map[string]string{
		"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state",
		"XDG_CACHE_HOME": "cache", "XDG_RUNTIME_DIR": "run",
	} {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		env = append(env, variable+"="+path)
	}
	for _, name := range []string{"VIMRUNTIME", "GOCOVERDIR", "SystemRoot"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Lookup is the last value of a variable in an environment.
func Lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// Eventually polls cond, ever more slowly, until it holds; after Patience it
// fails the test with what was awaited.
func Eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	pause := time.Millisecond
	for !cond() {
		if time.Now().After(deadline) {
			t.Fatalf("gave up waiting until %s", what)
		}
		<-time.After(pause)
		pause = min(2*pause, 100*time.Millisecond)
	}
}
