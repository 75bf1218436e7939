// Copyright (c) 2026 the claudecoded authors. MIT license.

package supervise

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// windows are times of a death: before the next daemon is launched, and while it is.
var windows = map[string]string{"between": "restarts = { 60000 }", "at once": "restarts = { 0 }"}

func TestStop_EndsTheTries(t *testing.T) {
	t.Parallel()
	for name, times := range windows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := open(t, nvim, times, nil)
				lock, _ := e.serve()
				e.kill(syscall.SIGKILL)
				e.Told("ClaudeCodeStop", "stopped")
				e.Told("ClaudeCodeStatus", "is not running")
				launched := e.launched()
				if stage.Exists(lock.Path) || stage.Listening(lock.Port) {
					t.Errorf("the lock file exists: %t", stage.Exists(lock.Path))
				}
				e.Told("ClaudeCodeStop", "is not running")
				e.Told("ClaudeCodeStart", "integration started on port ")
				stage.Connect(t, stage.Find(t, e.Env))
				if n := e.launched(); n != launched+1 {
					t.Errorf("%d launches, then %d", launched, n)
				}
			})
		})
	}
}

func TestQuit_BetweenTwoDaemonsLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, times := range windows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := open(t, nvim, times, nil)
				lock, _ := e.serve()
				neovim, daemon := e.PIDs()
				if err := syscall.Kill(daemon, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				if name == "between" {
					e.eventually("the daemon is missed", `require("claudecode.server").get_status().restarting`)
				}
				left := time.Now()
				_ = e.Editor.Nvim.Command("qa!")
				for what, gone := range map[string]func() bool{
					"Neovim":   func() bool { return !stage.Running(neovim) },
					"the lock": func() bool { return !stage.Exists(lock.Path) },
					"the port": func() bool { return !stage.Listening(lock.Port) },
				} {
					nvimtest.Eventually(t, what+" is gone", gone)
				}
				if took := time.Since(left); took > stage.GoneWithin {
					t.Errorf("it took %v", took)
				}
				if n := e.launched(); name == "between" && n != 1 {
					t.Errorf("%d launches", n)
				}
			})
		})
	}
}

func TestSetup_AgainChangesNothingThatRuns(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "", nil)
		lock, client := e.serve()
		daemon := e.daemon()
		e.Lua(nil, `
			local config = vim.deepcopy(require("claudecode").state.config)
			config.auto_start = true
			require("claudecode").setup(config)
		`)
		if port := value[int](e, `require("claudecode").state.port`); port != lock.Port || e.daemon() != daemon {
			t.Errorf("now on port %d", port)
		}
		if _, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil); err != nil {
			t.Error(err)
		}
		e.kill(syscall.SIGKILL)
		e.restarted()
		stage.Connect(t, lock)
		e.Told("ClaudeCodeStatus", fmt.Sprintf("is running on port %d", lock.Port))
	})
}
