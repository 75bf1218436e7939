// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak && linux

package lifecycle

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestTmux_APaneThatIsKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		home := nvimtest.Lookup(env, "HOME")
		tmux := func(args ...string) {
			t.Helper()
			cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(home, "tmux"), "-f", "/dev/null"}, args...)...)
			cmd.Env, cmd.Dir = env, home
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("tmux %v: %v\n%s", args, err, out)
			}
		}
		tmux(append([]string{"new-session", "-d", "-x", "100", "-y", "30", "-s", "editor", nvim}, stage.Args(t, address(env))...)...)
		// It keeps the server, and with it the end of this test, alive.
		tmux("new-session", "-d", "-s", "other", "sleep", "60")
		t.Cleanup(func() { tmux("kill-server") })
		e := stage.Attach(t, address(env), env)
		lock := stage.Find(t, env)
		client := stage.Connect(t, lock)
		_, daemon := e.PIDs()
		killed := time.Now()
		tmux("kill-pane", "-t", "editor")
		stage.ExpectGone(t, killed, daemon, lock, client)
	})
}
