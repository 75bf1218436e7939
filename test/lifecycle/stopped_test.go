// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"syscall"
	"testing"
	"time"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// asleep is how long a process is stopped: many times the 30 s of the default, were
// pingInterval that long.
const asleep = 10 * pingInterval

// stop keeps a process from running for a while, as a machine does that sleeps.
func stop(t *testing.T, pid int, d time.Duration, meanwhile func()) {
	t.Helper()
	stage.Suspend(t, pid)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	meanwhile()
	passes(d)
	must(t, syscall.Kill(pid, syscall.SIGCONT))
}

// passes waits for time that the promise is about.
func passes(d time.Duration) { <-time.After(d) }

func pinging(t *testing.T, nvim string) (*stage.Editor, claude.Lock, *claude.Client) {
	t.Helper()
	e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: oftenPinging})
	lock, client := e.Serve()
	return e, lock, client
}

// checkConnected checks that a client is not dropped for a while, in which it is pinged.
func checkConnected(t *testing.T, client *claude.Client, d time.Duration) {
	t.Helper()
	passes(d)
	if _, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil); err != nil {
		t.Errorf("the client lost its server: %v, %v", err, client.Err())
	}
}

func TestStopped_ADaemonThatSleptDropsNoHealthyClient(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e, lock, client := pinging(t, nvim)
		other := stage.Connect(t, lock)
		_, daemon := e.PIDs()
		stop(t, daemon, asleep, func() {
			// The editor goes on, and what it says meanwhile is not lost.
			e.Command("cd ..")
		})
		for _, c := range []*claude.Client{client, other} {
			checkConnected(t, c, (silentTicks+1)*pingInterval)
		}
		nvimtest.Eventually(t, "the folder is written", func() bool { return folders(t, lock)[0] != e.Project })
	})
}

func TestStopped_AnEditorThatSleepsKeepsItsLink(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e, lock, client := pinging(t, nvim)
		neovim, _ := e.PIDs()
		called := make(chan error, 1)
		stop(t, neovim, asleep, func() {
			go func() {
				_, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil)
				called <- err
			}()
			checkDaemonAlone(t, lock, client)
		})
		if err := <-called; err != nil {
			t.Errorf("the call during the sleep: %v", err)
		}
		checkConnected(t, client, (silentTicks+1)*pingInterval)
		if !stage.Exists(lock.Path) {
			t.Error("the lock file is gone")
		}
	})
}
