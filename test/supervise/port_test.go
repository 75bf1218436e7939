// Copyright (c) 2026 the claudecoded authors. MIT license.

package supervise

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestPort_ThatIsTakenIsWaitedFor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "port_retry = 50, port_patience = 60000", nil)
		lock, _ := e.serve()
		release := e.usurp(lock.Port)
		nvimtest.Eventually(t, "the port was tried in vain", func() bool { return e.launched() >= 4 })
		if port := value[int](e, `require("claudecode").state.port`); port != lock.Port {
			t.Errorf("the state names port %d", port)
		}
		release()
		e.restarted()
		if again := stage.Find(t, e.Env); again.Port != lock.Port || again.AuthToken != lock.AuthToken {
			t.Errorf("now on port %d", again.Port)
		}
		stage.Connect(t, lock)
		e.quiet()
	})
}

func TestPort_ThatStaysTakenIsReplacedWithOneMessage(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "port_retry = 50, port_patience = 300", nil)
		lock, _ := e.serve()
		e.usurp(lock.Port)
		e.restarted()
		port := value[int](e, `require("claudecode").state.port`)
		e.heard(fmt.Sprintf("port %d was taken, Claude Code integration is on port %d now: connect Claude with /ide", lock.Port, port))
		if port == lock.Port || stage.Exists(lock.Path) {
			t.Errorf("port %d; the old lock file exists: %t", port, stage.Exists(lock.Path))
		}
		again := stage.Find(t, e.Env)
		if again.Port != port || again.PID != lock.PID {
			t.Errorf("the lock file names %v", again)
		}
		stage.Connect(t, again)

		// From now on that is the port that clients know.
		e.Lua(nil, `require("claudecode.supervisor").times.window = 0`)
		e.Command("messages clear")
		e.kill(syscall.SIGKILL)
		e.restarted()
		stage.Connect(t, again)
		e.quiet()
	})
}

func TestPort_WithoutAnyFreeOneIsTriedAsOftenAsACrash(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "restarts = { 1, 2 }, port_retry = 1, port_patience = 0", nil)
		lock, _ := e.serve()
		e.Lua(nil, `
			local range = require("claudecode").state.config.port_range
			range.min, range.max = (...), (...)
		`, lock.Port)
		occupied := e.usurp(lock.Port)
		e.heard(fmt.Sprintf("[ERROR] No free port in %d-%[1]d (EADDRINUSE)", lock.Port))
		occupied()
	})
}
