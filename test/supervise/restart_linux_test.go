// Copyright (c) 2026 the claudecoded authors. MIT license.

package supervise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neovim/go-client/nvim"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// TestNeovimRestart_KeepsPortTokenAndClientNumbers restarts Neovim by its own command
// in a terminal, where that has one: before 0.12 nothing is prepared for it.
func TestNeovimRestart_KeepsPortTokenAndClientNumbers(t *testing.T) {
	t.Parallel()
	for name, auto := range map[string]bool{"auto_start": true, "by hand": false} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, program string) {
				env := stage.Environment(t)
				home := nvimtest.Lookup(env, "HOME")
				address := filepath.Join(home, "nvim.sock")
				term := stage.InTerminal(t, home, env, program, arguments(t, address, auto)...)
				// The second Neovim has no parent, and would outlive a test that fails.
				t.Cleanup(func() { leave(address) })
				e := &editor{t: t, Editor: stage.Attach(t, address, env)}
				if !auto {
					e.eventually("the plugin is set up", `package.loaded["claudecode"] ~= nil and require("claudecode").state.initialized`)
					e.Command("ClaudeCodeStart")
				}
				lock := stage.Find(t, env)
				client := stage.Connect(t, lock)
				e.eventually("the editor knows the client", `require("claudecode").is_claude_connected()`)
				if value[int](e, `vim.fn.exists(":restart")`) != 2 {
					if value[bool](e, `vim.env.`+variable+` ~= nil`) {
						t.Error("a restart is prepared that never comes")
					}
					quit(t, term, lock)
					return
				}
				mode := filepath.Join(home, "mode")
				e.Lua(nil, `
					local variable, mode = ...
					vim.api.nvim_create_autocmd("VimLeave", { callback = function()
						local stat = vim.uv.fs_stat(vim.env[variable])
						vim.fn.writefile({ ("%o"):format(stat.mode) }, mode)
					end })
				`, variable, mode)

				term.Types(":restart\r")
				<-client.Ended()
				comesBack(t, lock)
				e.Editor = stage.Attach(t, address, env)
				e.eventually("the next Neovim knows the client", `require("claudecode").is_claude_connected()`)
				again := stage.Find(t, env)
				if neovim, _ := e.PIDs(); again.PID != neovim || again.PID == lock.PID {
					t.Errorf("the lock file names process %d, after %d; Neovim is %d", again.PID, lock.PID, neovim)
				}
				if again.Port != lock.Port || again.AuthToken != lock.AuthToken {
					t.Errorf("port %d is now %d", lock.Port, again.Port)
				}
				if n := value[int](e, `_G.claudecode_clients_created`); n != 2 {
					t.Errorf("%d clients were created", n)
				}
				if text, err := os.ReadFile(mode); string(text) != "100600\n" {
					t.Errorf("the file that is handed over has mode %q, %v", text, err)
				}
				if found := handovers(t, env); len(found) != 0 {
					t.Errorf("left %v", found)
				}
				e.quiet()
				quit(t, term, lock)
				if found := handovers(t, env); len(found) != 0 {
					t.Errorf("left %v at the end", found)
				}
			})
		})
	}
}

func arguments(t *testing.T, address string, auto bool) []string {
	t.Helper()
	args := stage.Args(t, address)
	if !auto {
		last := &args[len(args)-1]
		*last = strings.Replace(*last, `"auto_start":true`, `"auto_start":false`, 1)
	}
	return args
}

// leave ends the Neovim that listens at an address, if there is one.
func leave(address string) {
	if v, err := nvim.Dial(address, nvim.DialLogf(func(string, ...any) {})); err == nil {
		_ = v.Command("qa!")
		_ = v.Close()
	}
}

// quit ends the Neovim in a terminal, and with it all that was there.
func quit(t *testing.T, term *stage.Terminal, lock claude.Lock) {
	t.Helper()
	term.Types(":qa!\r")
	term.Exits(0)
	nvimtest.Eventually(t, "the lock file is gone", func() bool { return !stage.Exists(lock.Path) })
}
