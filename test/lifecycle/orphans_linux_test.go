// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// address is where a Neovim of an environment listens.
func address(env []string) string { return filepath.Join(nvimtest.Lookup(env, "HOME"), "s") }

// inTerminal runs a Neovim with the plugin in a terminal of its own.
func inTerminal(t *testing.T, nvim string) (*stage.Editor, *stage.Terminal) {
	t.Helper()
	env := stage.Environment(t)
	term := stage.InTerminal(t, nvimtest.Lookup(env, "HOME"), env, nvim, stage.Args(t, address(env))...)
	return stage.Attach(t, address(env), env), term
}

func TestTerminal_ThatIsClosedLeavesNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e, term := inTerminal(t, nvim)
		lock := stage.Find(t, e.Env)
		client := stage.Connect(t, lock)
		_, daemon := e.PIDs()
		closed := time.Now()
		if err := term.Control.Close(); err != nil {
			t.Fatal(err)
		}
		stage.ExpectGone(t, closed, daemon, lock, client)
	})
}

func TestPipe_ThatAGrandchildKeepsOpenDoesNotKeepTheDaemon(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]leave{
		":qa!":    types(":qa!<CR>"),
		"SIGKILL": gets(syscall.SIGKILL),
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
				lock, client := e.Serve()
				neovim, daemon := e.PIDs()
				keeper := keepPipes(t, e)
				left := time.Now()
				leave(e, neovim)
				stage.ExpectGone(t, left, daemon, lock, client)
				if !stage.Running(keeper) {
					t.Error("nobody kept the pipe open")
				}
			})
		})
	}
}

// keepPipes starts a child of Neovim that inherits every descriptor Neovim has.
func keepPipes(t *testing.T, e *stage.Editor) (pid int) {
	t.Helper()
	e.Lua(&pid, `
		local inherited = {}
		for fd = 3, 100 do
			if (vim.uv.fs_readlink("/proc/self/fd/" .. fd) or ""):find("^[sp][oi][cp]") then
				table.insert(inherited, fd)
			end
		end
		local null = vim.uv.fs_open("/dev/null", "r+", 0)
		local stdio = vim.list_extend({ null, null, null }, inherited)
		local handle, pid = vim.uv.spawn("sleep", { args = { "60" }, stdio = stdio })
		assert(handle and #inherited > 0, pid)
		return pid`)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

func TestNested_AnEditorLeavesWithTheOneAroundIt(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(outer, inner *stage.Editor, pid int){
		"the outer is killed": func(_, _ *stage.Editor, pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) },
		"the outer quits":     func(outer, _ *stage.Editor, _ int) { _ = outer.Nvim.Command("qa!") },
		"the inner quits":     func(_, inner *stage.Editor, _ int) { _ = inner.Nvim.Command("qa!") },
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				outer := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
				outer.Lua(nil, `
					vim.cmd.enew()
					vim.fn.jobstart(..., { pty = true, cwd = vim.env.HOME, width = 100, height = 20 })`,
					append([]string{nvim}, stage.Args(t, address(outer.Env))...))
				inner := stage.Attach(t, address(outer.Env), outer.Env)
				lock := stage.Find(t, outer.Env)
				client := stage.Connect(t, lock)
				var pid int
				outer.Lua(&pid, `return vim.fn.getpid()`)
				_, daemon := inner.PIDs()
				ended := time.Now()
				end(outer, inner, pid)
				stage.ExpectGone(t, ended, daemon, lock, client)
			})
		})
	}
}
