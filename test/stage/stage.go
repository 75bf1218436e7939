// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package stage sets the scene for tests of the whole: the real binary, real Neovims
// that have the plugin, terminals, clients, and what must be gone when they are.
package stage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"claudecoded/test/nvimtest"
)

// Binary is the program under test, built once by Main with the race detector.
var Binary string

// races is how the files begin that take what the race detector finds.
var races string

// Main runs a package's tests with the program built, and fails them for a goroutine
// that leaks and for a race in the program.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "stage")
	if err != nil {
		panic(err)
	}
	// A folder without lua beside it: the program uses the copy it carries.
	Binary = filepath.Join(dir, "claudecoded")
	// Not go build: what go run links is kept in the build cache, for the next package's tests.
	build := exec.Command("go", "run", "-race", "-exec", "cp", "claudecoded/cmd/claudecoded", Binary)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		os.Exit(1)
	}
	races = filepath.Join(dir, "race")
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		reports, _ := filepath.Glob(races + "*")
		for _, report := range reports {
			text, _ := os.ReadFile(report)
			fmt.Fprintf(os.Stderr, "%s\n", text)
			code = 1
		}
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// Environment is an isolated one in which the race detector does not hold up the end of
// the program, as it does by default.
func Environment(t testing.TB) []string {
	t.Helper()
	return append(nvimtest.Env(t), "GORACE=atexit_sleep_ms=0 log_path="+races)
}

// Within is a context that ends before the test's own limit would.
func Within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nvimtest.Patience)
	t.Cleanup(cancel)
	return ctx
}
