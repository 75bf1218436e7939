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
const asleep = 20 * pingInterval

// stop keeps a process from running for a while, as a machine does that sleeps.
func stop(t *testing.T, pid int, meanwhile func()) {
	t.Helper()
	must(t, syscall.Kill(pid, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	meanwhile()
	passes(t, asleep)
	must(t, syscall.Kill(pid, syscall.SIGCONT))
}

// passes waits for time that the promise is about.
func passes(t *testing.T, d time.Duration) {
	t.Helper()
	end := time.Now().Add(d)
	nvimtest.Eventually(t, "time passes", func() bool { return time.Now().After(end) })
}

func pinging(t *testing.T, nvim string) (*stage.Editor, claude.Lock, *claude.Client) {
	t.Helper()
	e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: oftenPinging})
	lock, client := e.Serve()
	return e, lock, client
}

// checkConnected checks that a client is not dropped during many more pings.
func checkConnected(t *testing.T, client *claude.Client) {
	t.Helper()
	passes(t, 10*pingInterval)
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
		stop(t, daemon, func() {
			// The editor goes on, and what it says meanwhile is not lost.
			e.Command("cd ..")
		})
		for _, c := range []*claude.Client{client, other} {
			checkConnected(t, c)
		}
		eventually(t, "the folder is written", func() bool { return folders(t, lock)[0] != e.Project })
	})
}

func TestStopped_AnEditorThatSleepsKeepsItsLink(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e, lock, client := pinging(t, nvim)
		neovim, _ := e.PIDs()
		called := make(chan error, 1)
		stop(t, neovim, func() {
			go func() {
				_, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil)
				called <- err
			}()
			checkDaemonAlone(t, lock, client)
		})
		if err := <-called; err != nil {
			t.Errorf("the call during the sleep: %v", err)
		}
		checkConnected(t, client)
		if !stage.Exists(lock.Path) {
			t.Error("the lock file is gone")
		}
	})
}
