// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// health is what :checkhealth mcp-tools says, and must contain.
func (e *editor) health(parts ...string) string {
	e.t.Helper()
	text := eval[string](e, `(function()
		vim.cmd("checkhealth mcp-tools")
		local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
		vim.cmd.bwipeout()
		return table.concat(lines, "\n")
	end)()`)
	for _, part := range parts {
		if !strings.Contains(text, part) {
			e.t.Errorf("%q is not in:\n%s", part, text)
		}
	}
	if e.client != nil && strings.Contains(text, e.token) {
		e.t.Error("the report has the token")
	}
	return text
}

func TestHealth_WalksFromAClientToATool(t *testing.T) {
	each(t, `{"tools":{"buffers":["buffers_read"]},"permissions":{}}`, func(t *testing.T, e *editor) {
		report := e.health(
			"no other mcp-tools is on the runtimepath",
			"/mcp, daemon pid ",
			"a tool was called over HTTP, and its answer came back",
			"buffers: buffers_read, and ",
			"undo: undo_tree, undo_checkpoint, undo_revert",
			"lsp: off (",
			"your own: propose",
			"families (mcp_1), MCP 2025-11-25, for ",
			"opencode: off", "ampcode: off",
		)
		if strings.Contains(report, "health_trip") || strings.Contains(report, "ERROR") {
			t.Errorf("it says %s", report)
		}
		if eval[bool](e, `require("mcp-tools.registry").has("health_trip")`) {
			t.Error("the tool of the check is still there")
		}
	})
}

func TestHealth_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := &editor{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
		e.health("the server is not running", `require("mcp-tools").start()`, "lsp: off (")
	})
}

func TestHealth_FindsTheOriginal(t *testing.T) {
	each(t, `{"integrations":{"ampcode":true}}`, func(t *testing.T, e *editor) {
		original := filepath.Join(e.Project, "mcp-tools.nvim")
		if err := os.MkdirAll(filepath.Join(original, "lua", "mcp-tools"), 0o700); err != nil {
			t.Fatal(err)
		}
		e.Write("mcp-tools.nvim/lua/mcp-tools/init.lua", "return {}\n")
		e.Lua(nil, `vim.opt.runtimepath:append(...)`, original)
		e.health("another mcp-tools is on the runtimepath: "+original, "ampcode is on, and amp is missing")
	})
}

func TestHealth_AsksNobody(t *testing.T) {
	each(t, `{"permissions":{"*":"ask"}}`, func(t *testing.T, e *editor) {
		e.health("no tool was called to try the way: the rule \"*\" is about every tool")
		if eval[bool](e, `asked ~= nil`) {
			t.Error("the user was asked")
		}
	})
}

func TestHealth_DoesNotWaitForADaemonThatIsStopped(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		_, daemon := e.PIDs()
		stage.Suspend(t, daemon)
		resume := func() { _ = syscall.Kill(daemon, syscall.SIGCONT) }
		t.Cleanup(resume)
		e.health("the daemon has not answered")
		resume()
		e.health("its answer came back")
	})
}
