// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
	"claudecoded/test/wire"
)

func TestRange_OfTwoPortsServesTwoEditorsAndTellsTheThird(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		low := wire.FreePorts(t, 2)
		var editors [3]*stage.Editor
		for i := range editors {
			editors[i] = stage.Open(t, stage.Options{Nvim: nvim, Env: env, UI: true, Setup: map[string]any{
				"port_range": map[string]any{"min": low, "max": low + 1},
			}})
		}
		if ports := startAll(t, editors[:2]); !slices.Equal(ports, []int{low, low + 1}) {
			t.Fatalf("ports %v of %d and the next", ports, low)
		}
		third := editors[2]
		refusal := fmt.Sprintf("No free port in %d-%d (EADDRINUSE)", low, low+1)
		third.Told("ClaudeCodeStart", refusal)
		if said := third.Messages(); strings.Count(said, "EADDRINUSE") != 1 || waits(t, third) {
			t.Errorf("the user was told %q, blocking %v", said, waits(t, third))
		}
		editors[0].Told("ClaudeCodeStop", "stopped")
		third.Told("ClaudeCodeStart", "started on port")
	})
}

// startAll starts the servers of editors at the same time and returns their ports in
// order, once each was reached through a lock file of its own.
func startAll(t *testing.T, editors []*stage.Editor) []int {
	t.Helper()
	ports, errs := make([]int, len(editors)), make([]error, len(editors))
	var all sync.WaitGroup
	for i, e := range editors {
		all.Go(func() {
			errs[i] = e.ExecLua(`
				require("claudecode.server").start_wait_ms = 60000
				local ok, port = require("claudecode").start(false)
				return ok and port or error(port)`, &ports[i])
		})
	}
	all.Wait()
	for i, e := range editors {
		if errs[i] != nil {
			t.Fatal(errs[i])
		}
		lock, err := claude.ReadLock(filepath.Join(stage.LockDir(e.Env), fmt.Sprintf("%d.lock", ports[i])))
		if err != nil {
			t.Fatal(err)
		}
		stage.Connect(t, lock)
	}
	slices.Sort(ports)
	return ports
}

func TestParallel_EightEditorsOfOneUserHaveEightPorts(t *testing.T) {
	t.Parallel()
	checkParallel(t, 8)
}

// checkParallel starts n editors, of every version in turn, at once.
func checkParallel(t *testing.T, n int) {
	t.Helper()
	env := stage.Environment(t)
	versions := nvimtest.Versions(t)
	editors := make([]*stage.Editor, n)
	for i := range editors {
		editors[i] = stage.Open(t, stage.Options{Nvim: versions[i%len(versions)], Env: env})
	}
	ports := startAll(t, editors)
	if distinct := slices.Compact(slices.Clone(ports)); len(distinct) != n {
		t.Errorf("ports %v", ports)
	}
	if locks := findLocks(t, stage.LockDir(env)); len(locks) != n {
		t.Errorf("lock files %v", locks)
	}
}

func TestNested_AnEditorThatClaudeOpenedStartsNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		outer := stage.Open(t, stage.Options{Nvim: nvim})
		lock, _ := outer.Serve()
		inner := stage.Open(t, stage.Options{
			Nvim: nvim, UI: true,
			Env:   append(slices.Clone(outer.Env), fmt.Sprintf("CLAUDE_CODE_SSE_PORT=%d", lock.Port)),
			Setup: map[string]any{"auto_start": true},
		})
		var jobs int
		inner.Lua(&jobs, `
			local is_job = function(channel) return channel.stream == "job" end
			local function jobs() return #vim.tbl_filter(is_job, vim.api.nvim_list_chans()) end
			vim.wait(300, function() return jobs() > 0 end)
			return jobs()`)
		if locks := findLocks(t, stage.LockDir(outer.Env)); jobs != 0 || !slices.Equal(locks, []string{lock.Path}) {
			t.Errorf("%d jobs, lock files %v", jobs, locks)
		}
		if said := inner.Messages(); strings.Contains(said, "Claude") {
			t.Errorf("the user was told %q", said)
		}
	})
}
