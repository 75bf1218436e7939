// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// health runs :checkhealth claudecode and returns the report.
func (e *editor) health() string {
	e.t.Helper()
	return value[string](e, `
		for _, part in ipairs({ "claude", "handshake", "program", "server" }) do
			require("claudecode.health." .. part).timeout_ms = 60000
		end
		vim.cmd("checkhealth claudecode")
		return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
	`)
}

func TestHealth_TellsEachPart(t *testing.T) {
	program := "#!/bin/sh\necho claudecoded 7.7.7\necho protocol $PROTOCOL\n"
	rows := map[string]struct {
		env      string
		prepare  string
		contains []string
	}{
		"nothing is set up": {"", ``, []string{
			"Neovim 0.1", "setup() was not called", "claudecoded not found: run `make build` in ", "the server is not running",
		}},
		"a program": {"PROTOCOL=5", `require("claudecode").setup({ auto_start = false, daemon = { cmd = "~/own" } })`, []string{
			"setup() was called, plugin version 0.1.0", "found: ", "/own", "claudecoded 7.7.7, protocol 5",
		}},
		"a program of another age": {"PROTOCOL=1", `require("claudecode").setup({ auto_start = false, daemon = { cmd = "~/own" } })`, []string{
			"claudecoded speaks protocol 1, this plugin 5: run `make build` in ",
		}},
		"a program that fails": {"", `require("claudecode").setup({ auto_start = false, daemon = { cmd = "false" } })`, []string{
			"it does not tell its version: exit code 1",
		}},
		"the editor of a session": {"CLAUDE_CODE_SSE_PORT=1", ``, []string{"CLAUDE_CODE_SSE_PORT is set"}},
		"a server": {"", `require("claudecode").setup(fake)
			require("claudecode.server").start_wait_ms = 60000
			require("claudecode").start(false)
			require("claudecode.rpc").handle("client_opened", 3)
			require("claudecode.log").warn("init", "look here")`, []string{
			"running on port 4242, daemon pid ", "version 9.9.9", "lock file: ", "client_3: connected for ", "look here",
		}},
		"a lock file that is gone": {"", `require("claudecode").setup(fake)
			require("claudecode.server").start_wait_ms = 60000
			require("claudecode").start(false)
			require("claudecode.daemon").current().ready.lock_file = "/gone"`, []string{
			"the lock file is missing: /gone", "no Claude is connected",
		}},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := start(t, nvim, options{env: []string{row.env, "PATH=/usr/bin:/bin"}})
				// The repository's own bin is not what is tested here.
				e.lua(nil, `require("claudecode.binary").folder = "/nowhere"`)
				e.lua(nil, `vim.fn.writefile(vim.split((...), "\n"), vim.env.HOME .. "/own") vim.uv.fs_chmod(vim.env.HOME .. "/own", 448)`, program)
				e.lua(nil, row.prepare)
				report := e.health()
				for _, part := range row.contains {
					if !strings.Contains(report, part) {
						t.Errorf("%q is not in:\n%s", part, report)
					}
				}
			})
		}
	})
}
