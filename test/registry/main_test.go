// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package registry tests tools that a user registers in a real Neovim as the clients of
// every revision of MCP see them, over HTTP.
package registry

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// Revisions that are spoken over HTTP; the last one has no sessions.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// each runs f in an editor of every version, whose server runs and which has the tools
// that code registers with tool(name, execute, more).
func each(t *testing.T, code string, f func(t *testing.T, s *scene)) {
	t.Helper()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		e.Lua(nil, `
			function _G.tool(name, execute, more)
				require("mcp-tools").register(vim.tbl_extend("force", { name = name, description = "d", execute = execute }, more or {}))
			end
		`)
		e.Lua(nil, code)
		e.Command("ClaudeCodeStart")
		f(t, &scene{t, e, stage.Find(t, e.Env)})
	})
}
