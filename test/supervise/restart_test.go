// Copyright (c) 2026 the claudecoded authors. MIT license.

package supervise

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// deaths are ways to die: at once, and as the Go runtime ends a program that has
// crashed or panicked.
var deaths = map[string]syscall.Signal{
	"SIGKILL": syscall.SIGKILL, "SIGSEGV": syscall.SIGSEGV, "panic": syscall.SIGABRT,
}

func TestRestart_KeepsPortTokenAndClientNumbers(t *testing.T) {
	t.Parallel()
	for name, signal := range deaths {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := open(t, nvim, "", nil)
				lock, _ := e.serve()
				e.kill(signal)
				e.restarted()
				if again := stage.Find(t, e.Env); cmp.Diff(lock, again) != "" {
					t.Errorf("the lock file is another: %s", cmp.Diff(lock, again))
				}
				stage.Connect(t, lock)
				e.eventually("the next client has the next number",
					`vim.deep_equal(vim.tbl_map(function(c) return c.id end, require("claudecode.server").get_status().clients), { "client_2" })`)
				e.quiet()
				if n := e.launched(); n != 2 {
					t.Errorf("%d launches", n)
				}
			})
		})
	}
}

// comesBack reconnects as the real client does: at once, then after growing pauses, five
// tries in all.
func comesBack(t *testing.T, lock claude.Lock) *claude.Client {
	t.Helper()
	var err error
	for _, pause := range []time.Duration{0, 1100, 2300, 3400, 7100} {
		<-time.After(pause * time.Millisecond)
		var client *claude.Client
		if client, err = claude.Dial(stage.Within(t), lock.Port, lock.AuthToken, claude.Options{}); err != nil {
			continue
		}
		t.Cleanup(func() { _ = client.Close() })
		if _, _, err = client.Start(stage.Within(t)); err == nil {
			return client
		}
	}
	t.Fatalf("the client gave up: %v", err)
	return nil
}

func TestRestart_LetsAClientThatRetriesThrough(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "", nil)
		lock, client := e.serve()
		if err := syscall.Kill(e.daemon(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-client.Ended()
		if _, err := comesBack(t, lock).Call(stage.Within(t), "getWorkspaceFolders", nil); err != nil {
			t.Error(err)
		}
		e.quiet()
	})
}

func TestRestart_EndsWhatWasUnderWay(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "restarts = { 60000 }", nil)
		e.Lua(nil, `
			require("mcp-tools").register({ name = "slow", description = "d", ide = true, execute = function(_, _, ctx)
				called = true
				ctx.on_cancel(function() cancelled = (cancelled or 0) + 1 end)
			end })
		`)
		_, client := e.serve()
		go func() { _, _ = client.Call(stage.Within(t), "slow", nil) }()
		e.eventually("the tool runs", "called")
		// One that is stopped does not write.
		stage.Suspend(t, e.daemon())
		e.Lua(nil, `
			require("claudecode.server").broadcast("m", {}, function(n)
				reached = reached or {}
				table.insert(reached, n)
			end)
		`)
		e.kill(syscall.SIGKILL)
		e.eventually("the call is cancelled", "cancelled == 1")
		e.eventually("the broadcast reached nobody", "vim.deep_equal(reached, { 0 })")
		e.eventually("no client is there", `not require("claudecode").is_claude_connected()`)
		<-client.Ended()
	})
}

// In the time between two daemons the state says where the server is going to be.
func TestRestart_KeepsThePortInTheStateMeanwhile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "restarts = { 60000 }", nil)
		lock, _ := e.serve()
		e.kill(syscall.SIGKILL)
		check := func() {
			t.Helper()
			want := fmt.Sprintf("{ %d, %q, { client_count = 0, clients = {}, port = %[1]d, restarting = true, running = true } }",
				lock.Port, lock.AuthToken)
			got := value[string](e, `(vim.inspect({
				require("claudecode").state.port, require("claudecode").state.auth_token, require("claudecode.server").get_status(),
			}):gsub("%s+", " "))`)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		check()
		e.Told("ClaudeCodeStatus", fmt.Sprintf("is being restarted on port %d", lock.Port))
		e.Told("ClaudeCodeStart", fmt.Sprintf("is already running on port %d", lock.Port))
		e.Lua(nil, `require("claudecode").setup(require("claudecode").state.config)`)
		e.Command("checkhealth claudecode")
		if text := value[string](e, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`); !strings.Contains(text, "is being started again on port") {
			t.Errorf("the health report says %s", text)
		}
		err := e.ExecLua(`require("claudecode.rpc").handle("attached", { channel = ..., protocol = 1, version = "1" })`, nil, e.ChannelID())
		if err == nil || !strings.Contains(err.Error(), "is being started again") {
			t.Errorf("another daemon may attach: %v", err)
		}
		check()
		if n := e.launched(); n != 1 {
			t.Errorf("%d launches", n)
		}
	})
}

func TestRestart_GivesUpAfterALoopOfCrashes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "restarts = { 1, 2, 3, 4, 5 }", nil)
		lock, _ := e.serve()
		write(t, e.broken)
		e.kill(syscall.SIGKILL)
		e.heard("[ERROR] claudecoded ended with exit code 3: out of cheese")
		if n := e.launched(); n != 6 {
			t.Errorf("%d launches", n)
		}
		if state := value[string](e, `vim.inspect({ require("claudecode.server").state.server, require("claudecode").state.port })`); state != "{}" {
			t.Errorf("left behind: %s", state)
		}
		if stage.Exists(lock.Path) {
			t.Error("the lock file is still there")
		}
		remove(t, e.broken)
		e.Told("ClaudeCodeStart", "integration started on port ")
		stage.Connect(t, stage.Find(t, e.Env))
	})
}

func TestRestart_CountsOnlyTheDeathsOfTheLastMinute(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "restarts = { 1 }, window = 0", nil)
		e.serve()
		for range 3 {
			e.kill(syscall.SIGKILL)
			e.restarted()
		}
		e.quiet()
		e.Lua(nil, `require("claudecode.supervisor").times.window = 60000`)
		e.kill(syscall.SIGKILL)
		e.heard("[ERROR] claudecoded ended with exit code 137")
	})
}

func TestRestart_HasTheTimesThatClientsNeed(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "", nil)
		got := value[string](e, `(vim.inspect(require("claudecode.supervisor").times):gsub("%s+", " "))`)
		want := "{ port_patience = 14000, port_retry = 250, restarts = { 100, 500, 1000, 2000, 5000 }, window = 60000 }"
		if got != want {
			t.Error(got)
		}
	})
}
