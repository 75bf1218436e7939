// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestDemo_ShowsAWholeConversationWithNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		checkDemo(t, "line 4: Expected object key", "--nvim-bin", binaryOfNvim)
	})
}

func TestDemo_NeedsNoNeovimWithTheStandIn(t *testing.T) {
	t.Parallel()
	checkDemo(t, "none, as nothing checks files here", "--editor", "memory", "--nvim-bin", "/nowhere/nvim")
}

func checkDemo(t *testing.T, diagnostics string, args ...string) {
	t.Helper()
	env := stage.Environment(t)
	p := stage.Start(t, "", env, stage.Binary, append([]string{"demo"}, args...)...)
	code, out := p.Wait()
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	for _, shown := range []string{
		"Claude   →  initialize", "Claude   →  tools/list", "Claude   →  getWorkspaceFolders", "Claude   →  openFile",
		"Opened file: ", "Claude   →  getDiagnostics", diagnostics, "closes the connection: 1001", "the lock file is gone",
	} {
		if !strings.Contains(out, shown) {
			t.Errorf("%q is not shown:\n%s", shown, out)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(nvimtest.Lookup(env, "TMPDIR"), "claudecoded*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDemo_FailsWithoutANeovim(t *testing.T) {
	t.Parallel()
	p := stage.Start(t, "", stage.Environment(t), stage.Binary, "demo", "--nvim-bin", filepath.Join(os.TempDir(), "no-such-nvim"))
	if code, out := p.Wait(); code != 1 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if said := p.Stderr.String(); !strings.Contains(said, "no-such-nvim") {
		t.Errorf("stderr %q", said)
	}
}
