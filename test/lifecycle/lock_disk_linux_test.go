// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// TestLock_OnADiskThatFillsUpStaysAsItWas lets no file of the daemon grow, as a full disk
// does, once the server runs.
func TestLock_OnADiskThatFillsUpStaysAsItWas(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		file := filepath.Join(nvimtest.Dir(t), "daemon.log")
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: map[string]any{
			"log_level": "warn", "daemon": map[string]any{"log_file": file},
		}})
		lock, client := e.Serve()
		_, daemon := e.PIDs()
		e.Command("messages clear")
		limit := func(bytes uint64) {
			t.Helper()
			must(t, unix.Prlimit(daemon, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: math.MaxUint64}, nil))
		}
		limit(10)
		e.Command("cd ..")
		var stderr string
		nvimtest.Eventually(t, "the daemon could not write", func() bool {
			e.Lua(&stderr, `return table.concat(require("claudecode.daemon").stderr(), "\n")`)
			return says(t, stderr, "cannot write the lock file; trying on.*file too large")
		})
		if now, err := claude.ReadLock(lock.Path); err != nil || cmp.Diff(lock, now) != "" {
			t.Errorf("the lock file is %v, %v", now, err)
		}
		// It tries on, and what a try has begun it removes.
		nvimtest.Eventually(t, "the folder holds the one file", func() bool {
			entries, err := os.ReadDir(filepath.Dir(lock.Path))
			return err == nil && len(entries) == 1
		})
		if _, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil); err != nil {
			t.Error(err)
		}
		if said := e.Messages(); said != "" || waits(t, e) {
			t.Errorf("the user was told %q", said)
		}
		limit(math.MaxUint64)
		nvimtest.Eventually(t, "the folder is written", func() bool { return folders(t, lock)[0] == filepath.Dir(e.Project) })
	})
}
