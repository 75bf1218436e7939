// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// startModules is all that setup() and the start of the server load, of the plugin and of Neovim's
// own: most of what they cost the editor's thread is to read these. What joins the list is
// needed by every start; all else is required where it is used.
var startModules = []string{
	"claudecode",
	"claudecode.binary",
	"claudecode.clock",
	"claudecode.config",
	"claudecode.daemon",
	"claudecode.disk",
	"claudecode.handover",
	"claudecode.lockfile",
	"claudecode.log",
	"claudecode.lsp",
	"claudecode.moment",
	"claudecode.options",
	"claudecode.options.daemon",
	"claudecode.options.diff",
	"claudecode.options.dotted",
	"claudecode.options.general",
	"claudecode.options.mcp",
	"claudecode.options.review",
	"claudecode.options.rules",
	"claudecode.options.terminal",
	"claudecode.paths",
	"claudecode.rpc",
	"claudecode.selection.filter",
	"claudecode.server",
	"claudecode.server.deferred",
	"claudecode.server.methods",
	"claudecode.supervisor",
	"claudecode.tail",
	"claudecode.terminal.prepare",
	"claudecode.tools.builtin",
	"claudecode.uncompiled",
	"mcp-tools.config",
	"mcp-tools.declaration",
	"mcp-tools.describe",
	"mcp-tools.permissions",
	"mcp-tools.permissions.names",
	"mcp-tools.registry",
}

func TestStart_LoadsOnlyWhatEveryStartNeeds(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `
			before = {}
			for name in pairs(package.loaded) do
				before[name] = true
			end
			-- Needed by some versions of Neovim only.
			before["claudecode.terminal.paste_fix"] = true
		`)
		e.start()
		got := value[[]string](e, `
			local names = {}
			for name in pairs(package.loaded) do
				if not before[name] then
					table.insert(names, name)
				end
			end
			table.sort(names)
			return names
		`)
		if diff := cmp.Diff(startModules, got); diff != "" {
			t.Errorf("modules that are loaded (-want +got):\n%s", diff)
		}
	})
}

// TestStart_CompilesNothing: to compile what runs once takes longer than to interpret it.
func TestStart_CompilesNothing(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		if got := value[string](e, `
			local states, launch = {}, vim.fn.jobstart
			vim.fn.jobstart = function(...)
				table.insert(states, tostring((jit.status())))
				return launch(...)
			end
			fake.auto_start = true
			require("claudecode").setup(fake)
			table.insert(states, tostring((jit.status())))
			pcall(require("claudecode").setup, { port_range = 1 })
			table.insert(states, tostring((jit.status())))
			jit.off()
			require("claudecode").setup(fake)
			table.insert(states, tostring((jit.status())))
			return table.concat(states, " ")
		`); got != "false true true false" {
			t.Errorf("the compiler is on while it launches, after it, after a mistake, where it was off: %s", got)
		}
	})
}
