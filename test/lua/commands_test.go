// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

func TestCommands_SayWhatTheyDid(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `require("claudecode").setup(fake) require("claudecode.server").start_wait_ms = 60000`)
		for _, command := range []string{"Status", "Stop", "Start", "Status", "Start", "Stop"} {
			if err := e.Command("ClaudeCode" + command); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{
			"[ClaudeCode] [init] [INFO] Claude Code integration is not running",
			"[ClaudeCode] [init] [WARN] Claude Code integration is not running",
			"[ClaudeCode] [init] [INFO] Claude Code integration started on port 4242",
			"[ClaudeCode] [init] [INFO] Claude Code integration is running on port 4242",
			"[ClaudeCode] [init] [WARN] Claude Code integration is already running on port 4242",
			"[ClaudeCode] [init] [INFO] Claude Code integration stopped",
		}
		if diff := cmp.Diff(want, value[[]string](e, `return require("claudecode.log").recent()`)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPlugin_LoadsNothingUntilItIsUsed(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[[]string](e, `
			local loaded = {}
			for name in pairs(package.loaded) do
				if vim.startswith(name, "claudecode") or vim.startswith(name, "mcp-tools") then
					table.insert(loaded, name)
				end
			end
			return loaded
		`)
		if len(got) != 0 || value[int](e, "return vim.g.loaded_claudecode") != 1 {
			t.Errorf("loaded %v", got)
		}
	})
}

// The commands work before setup was called, with the defaults: here they find the
// daemon on PATH under its own name.
func TestCommands_WorkBeforeSetup(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `
			require("claudecode.binary").folder = "/nowhere"
			local bin = vim.env.HOME .. "/bin"
			vim.fn.mkdir(bin)
			vim.uv.fs_symlink((...), bin .. "/claudecoded")
			vim.env.PATH = bin .. ":" .. vim.env.PATH
			require("claudecode.server").start_wait_ms = 60000
			vim.cmd.ClaudeCodeStart()
		`, testBinary(t))
		if port := value[int](e, `return require("claudecode").state.port or 0`); port != 4242 {
			t.Errorf("port %d", port)
		}
	})
}

func TestPlugin_SetsItselfUpFromAGlobal(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{args: []string{
			"--cmd", "let g:claudecode_auto_setup = {'auto_start': v:false, 'log_level': 'warn'}",
		}})
		e.eventually(`require("claudecode").state.initialized and require("claudecode").state.config.log_level == "warn"`)
	})
}
