// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package e2e tests the program as its users meet it: the real binary, real Neovims,
// real sockets, the client's messages as the real client sends them.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"claudecoded/test/nvimtest"
)

// binary is the program under test, built once with the race detector; what that finds
// goes to files that begin with races.
var binary, races string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		panic(err)
	}
	// A folder without lua beside it: the program uses the copy it carries.
	binary = filepath.Join(dir, "claudecoded")
	build := exec.Command("go", "build", "-race", "-o", binary, "claudecoded/cmd/claudecoded")
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

// environment is an isolated one in which the race detector does not hold up the end of
// the program, as it does by default.
func environment(t *testing.T) []string {
	t.Helper()
	return append(nvimtest.Env(t), "GORACE=atexit_sleep_ms=0 log_path="+races)
}

// within is a context that ends before the test's own limit would.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}
