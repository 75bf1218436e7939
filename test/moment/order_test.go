// Copyright (c) 2026 the claudecoded authors. MIT license.

package moment

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// tools registers tools that open windows and note that they ran: one and two, brief, which
// is given 4 s, and writing, which leaves the user in Insert mode.
const tools = `
	ran = {}
	for name, timeout in pairs({ one = 0, two = 0, writing = 0, brief = 4000 }) do
		require("mcp-tools.registry").register({
			name = name, description = name, ide = true, ui = true, timeout = timeout,
			execute = function(cb)
				table.insert(ran, name)
				if name == "writing" then
					vim.cmd.startinsert()
				end
				cb("done")
			end,
		})
	end`

// ran is which of them did, in order.
func (d *desk) ran() string { return eval[string](d, `table.concat(ran, " ")`) }

func TestUITool_RunsInTheOrderOfTheCalls(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, tools)
		d.typing("ihello", "i")
		var calls []*pending
		for i, tool := range []string{"two", "one", "one"} {
			calls = append(calls, d.call(tool, nil))
			d.waits(i+1, "Insert mode")
		}
		d.types("<Esc>")
		for _, call := range calls {
			call.answers("done")
		}
		if ran := d.ran(); ran != "two one one" {
			t.Errorf("ran %q", ran)
		}
	})
}

func TestUITool_WaitsAgainForWhatTheOneBeforeItDid(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, tools)
		d.typing("ihello", "i")
		writing := d.call("writing", nil)
		d.waits(1, "writing")
		one := d.call("one", nil)
		d.waits(2, "writing, one")
		d.types("<Esc>")
		writing.answers("done")
		d.waits(1, "one (you are in Insert mode)")
		one.waiting()
		d.types("<Esc>")
		one.answers("done")
	})
}

// TestRun_WaitsForTheEffectOfTheOneBefore holds that what comes in while one runs does not
// run before Neovim has done what that one asked for.
func TestRun_WaitsForTheEffectOfTheOneBefore(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, `
			local moment = require("claudecode.moment")
			moment.run(function()
				vim.cmd.startinsert()
				moment.run(function() ran = vim.fn.mode() end, { name = "next" })
			end)`)
		d.waits(1, "next (you are in Insert mode)")
		d.types("<Esc>")
		d.eventually(`ran == "n"`)
	})
}

// TestOpenFile_FollowsOneThatSelected holds that a selection is not the user's as long as
// no key was typed.
func TestOpenFile_FollowsOneThatSelected(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim)
		d.openFile("a.txt", "startText", "two").answers(`selected text "two"`)
		d.openFile("b.txt", "startLine", 2).answers("selected lines 2 to 2")
		if got := eval[string](d, `vim.fn.mode() .. " " .. `+shown); got != "V b.txt" {
			t.Error(got)
		}
		d.typing("<Esc>V", "V")
		call := d.openFile("c.txt")
		d.waits(1, "Visual mode")
		d.types("<Esc>")
		call.answers("Opened file: ")
	})
}

func TestUITool_DoesNotRunOnceItsCallWasCancelled(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, tools)
		conns := make([]*claude.Conn, 2)
		for i := range conns {
			conn, err := claude.DialConn(stage.Within(t), d.lock.Port, d.lock.AuthToken)
			if err != nil {
				t.Fatal(err)
			}
			conns[i] = conn
			t.Cleanup(func() { _ = conn.Close() })
		}
		write := func(conn *claude.Conn, text string) {
			t.Helper()
			if err := conn.WriteMessage([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		d.typing("ihello", "i")
		for i, conn := range conns {
			write(conn, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one","arguments":{}}}`)
			d.waits(i+1, "Insert mode")
		}
		two := d.call("two", nil)
		d.waits(3, "one, one, two")
		write(conns[0], `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		d.waits(2, "one, two")
		_ = conns[1].Close() // whose caller left is cancelled too
		d.waits(1, "two")
		d.types("<Esc>")
		two.answers("done")
		if ran := d.ran(); ran != "two" {
			t.Errorf("ran %q", ran)
		}
	})
}

func TestUITool_DoesNotRunOnceItsDeadlinePassed(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, tools)
		d.typing("v", "v")
		d.call("brief", nil).fails("no answer within 4s: the editor is waiting for a safe moment (Visual mode)")
		d.eventually(`require("claudecode.moment").summary() == nil`)
		two := d.call("two", nil)
		d.waits(1, "two")
		d.types("<Esc>")
		two.answers("done")
		if ran := d.ran(); ran != "two" {
			t.Errorf("ran %q", ran)
		}
	})
}

func TestStatus_ShowsWhatWaits(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim)
		status := func() string {
			t.Helper()
			return eval[string](d, `(function()
				local log = require("claudecode.log")
				local before = #log.recent()
				vim.cmd.ClaudeCodeStatus({ bang = true })
				return table.concat(vim.list_slice(log.recent(), before + 1), "\n")
			end)()`)
		}
		running := fmt.Sprintf("Claude Code integration is running on port %d", d.lock.Port)
		if said := status(); !strings.HasSuffix(said, running) {
			t.Error(said)
		}
		d.typing("ihello", "i")
		first := d.openFile("a.txt")
		d.waits(1, "Insert mode")
		if said := status(); !strings.HasSuffix(said, running+"; 1 call waits for you: openFile (you are in Insert mode)") {
			t.Error(said)
		}
		second := d.openFile("b.txt")
		d.waits(2, "Insert mode")
		if said := status(); !strings.HasSuffix(said, "; 2 calls wait for you: openFile, openFile (you are in Insert mode)") {
			t.Error(said)
		}
		d.types("<Esc>")
		first.answers("Opened file: ")
		second.answers("Opened file: ")
		if said := status(); !strings.HasSuffix(said, running) {
			t.Error(said)
		}
	})
}
