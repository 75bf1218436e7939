// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

func TestSessions_AreToldApart(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		one, two := e.run("one"), e.run("two")
		e.want("status", nil, `"name":"one"`, `"name":"two"`)
		wait := e.start("wait_until_paused", args{"session": 1})
		two.stop(3, "breakpoint")
		e.want("wait_until_paused", args{"session": 2}, "main.fake:3", `"session":2`)
		if text := wait.answered(); text != "" {
			t.Errorf("the first: %s", text)
		}
		one.stop(2, "breakpoint")
		wait.has("main.fake:2", `"session":1`)
		e.want("evaluate", args{"expression": "x", "session": 1}, "x in 20")
		e.want("evaluate", args{"expression": "x", "session": 2}, "x in 30")
		one.on("continue", func(r request) { one.respond(r, object{}) })
		e.want("continue", args{"session": 1}, `"session":1`)
		// The one that is paused is meant.
		e.want("stacktrace", nil, `"id":30`)
		e.want("set_breakpoint", at(4))
		one.saw("setBreakpoints", `"line":4`)
		two.saw("setBreakpoints", `"line":4`)
		e.want("terminate", args{"session": 2}, "Debug session terminated")
		two.saw("disconnect", `"terminateDebuggee":true`)
		e.refused("threads", args{"session": 2}, "There is no open debug session 2")
		e.want("disconnect", args{"session": 1, "terminate_debuggee": false}, "Disconnected from debug adapter")
		one.saw("disconnect", `"terminateDebuggee":false`)
		e.eventually(`require("dap").session() == nil`)
	})
}

// TestSessions_HaveChildren whose stops count as their parents'.
func TestSessions_HaveChildren(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		root := e.run("root")
		wait := e.start("wait_until_paused", nil)
		root.send(object{"type": "request", "command": "startDebugging", "arguments": object{
			"request": "launch", "configuration": object{"type": "fake", "name": "child"},
		}})
		child := e.next()
		child.saw("configurationDone")
		child.stop(3, "breakpoint")
		wait.has("main.fake:3", `"session":2`)
		e.want("status", nil, `"parent_id":1`, `"name":"child"`)
		e.want("evaluate", args{"expression": "x", "session": 2}, "x in 30")
		child.event("output", object{"category": "stdout", "output": "of the child\n"})
		child.event("terminated", nil)
		e.eventually(`next(require("dap").sessions()[1].children) == nil`)
		e.want("program_output", args{"session": 2}, "of the child", `"ended":"session terminated"`)
		e.want("terminate", nil, `"session":1`)
	})
}

// TestSessions_ThatAnAdapterDoesNotEndAreClosed all the same.
func TestSessions_ThatAnAdapterDoesNotEndAreClosed(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `require("mcp-tools.tools.dap.ending").end_ms = 100`)
		e.prepared(func(a *adapter) { a.can("supportsTerminateRequest") })
		a := e.run("s")
		a.on("terminate", a.ignore)
		a.on("disconnect", a.ignore)
		e.want("terminate", nil, "Debug session terminated")
		a.saw("terminate")
		a.saw("disconnect")
		e.eventually(`require("dap").session() == nil`)
		e.Lua(nil, `require("mcp-tools.tools.dap.ending").end_ms = 60000`)
		a = e.run("good")
		e.want("terminate", nil, "Debug session terminated")
		a.saw("terminate")
		if got := a.requests("disconnect"); len(got) > 0 {
			t.Errorf("it was disconnected: %s", got)
		}
	})
}

// TestOutput_IsBounded in lines, in their length and in sessions.
func TestOutput_IsBounded(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `
			local output = require("mcp-tools.tools.dap.output")
			output.max_lines, output.max_line_bytes, output.max_event_bytes = 5, 20, 1000
			require("mcp-tools.tools.dap.tracks").max_ended = 2
		`)
		a := e.run("s")
		a.event("output", object{"category": "stdout", "output": "first\nsecond\n"})
		a.event("output", object{"category": "stdout", "output": strings.Repeat("x\n", 3000) + "a\nb\nc\n"})
		a.event("output", object{"category": "stdout", "output": strings.Repeat("y", 200) + "\n"})
		a.event("output", object{"category": "important", "output": "told\n"})
		a.event("output", object{"category": "telemetry", "output": "hidden\n"})
		a.event("output", object{"output": "pend"})
		a.event("output", object{"output": "ing"})
		e.eventually(`value(function()
			return require("mcp-tools.tools.dap.tracks").of(require("dap").session()).output.n end):find("%d+") ~= nil`)
		e.want("threads", nil) // what was sent before it was taken
		e.want("program_output", args{"category": "stdout"}, `"lines":["x","a","b","c","yyyyyyyyyyyyyyyyyyyy… (180 more bytes)"]`)
		if n := eval[int](e, `vim.tbl_count(require("mcp-tools.tools.dap.tracks").of(require("dap").session()).output.rings.stdout.lines)`); n != 5 {
			t.Errorf("%d lines are kept", n)
		}
		e.want("program_output", args{"category": "console"}, `"lines":["told","pending"]`)
		e.want("program_output", args{"lines": 2}, `"lines":["told","pending"]`, `"line_count":2`)
		e.refused("program_output", args{"category": "no"}, "Invalid category: no")
		a.event("terminated", nil)
		e.eventually(`require("dap").session() == nil`)
		for range 2 {
			a := e.run("more")
			a.event("terminated", nil)
			e.eventually(`require("dap").session() == nil`)
		}
		e.refused("program_output", args{"session": 1}, "There is no debug session 1, or it ended too long ago")
		e.want("program_output", nil, "No output captured for current session", `"lines":[]`)
	})
}

// TestLooks_AreCut where an adapter sends more than anybody reads.
func TestLooks_AreCut(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.paused("s", 2)
		a.on("variables", func(r request) {
			list := []object{}
			for i := range 2000 {
				length := 10 + 3000*((i%500+1)/500) // each 500th is long
				list = append(list, object{"name": "v", "value": strings.Repeat("z", length), "variablesReference": 0})
			}
			a.respond(r, object{"variables": list})
		})
		e.want("variables", args{"variables_reference": 1}, "1 to 500 of 2000. Use start and count for others", "more bytes)")
		e.want("variables", args{"variables_reference": 1, "start": 100, "count": 2}, "101 to 102 of 2000")
		e.want("variables", args{"variables_reference": 1, "count": 5000}, "1 to 500 of 2000")
		// What is more than there may be is no error.
		if text := eval[string](e, `vim.json.encode(vim.tbl_map(function(entry)
			return entry.input_schema:find('"maximum"', 1, true) and entry.name or nil
		end, require("mcp-tools.registry").catalogue()))`); text != "[]" && text != "{}" {
			t.Errorf("limits that are errors: %s", text)
		}
		e.want("program_output", args{"lines": 5000}, `"lines"`)
		e.want("current_location", args{"context_lines": 5000}, `>    2 | two`)
		e.want("stacktrace", args{"levels": 0}, `"total_frames":2`)
		e.refused("disassemble", nil, "The debug adapter fake does not support disassembly")
		e.refused("set_variable", args{"name": "x", "value": "1"}, "The debug adapter fake does not support setting variables")
	})
}

// TestContext_IsTheEditorsText and none that may not leave it.
func TestContext_IsTheEditorsText(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.paused("s", 2)
		e.Lua(nil, `
			local buf = vim.fn.bufadd("main.fake")
			vim.fn.bufload(buf)
			vim.api.nvim_buf_set_lines(buf, 1, 2, false, { "unsaved" })
		`)
		e.want("current_location", args{"context_lines": 1}, `     1 | one\n>    2 | unsaved\n     3 | `)
		a.in(e.Write(".env", "secret\nsecret\n"))
		a.stop(2, "step")
		e.eventually(`(require("dap").session().current_frame or {}).source.path:find(".env", 1, true) ~= nil`)
		if got := e.want("current_location", nil, "selection_filter"); strings.Contains(got, "secret") {
			t.Errorf("it says %s", got)
		}
		a.in(filepath.Join(e.Project, "gone.fake"))
		a.stop(3, "step")
		e.eventually(`(require("dap").session().current_frame or {}).source.path:find("gone.fake", 1, true) ~= nil`)
		e.want("current_location", nil, `gone.fake`)
	})
}

// TestOutput_OfATerminalIsKept where the next program has the same terminal; the user goes on typing.
func TestOutput_OfATerminalIsKept(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.keys("o")
		e.eventually(`vim.fn.mode() == "i"`)
		run := func(name, prints string) *adapter {
			t.Helper()
			a := e.run(name)
			e.keys("a")
			a.send(object{"type": "request", "command": "runInTerminal", "arguments": object{
				"kind": "integrated", "cwd": e.Project, "args": []string{"sh", "-c", `echo "$1"; read -r _`, "sh", prints},
			}})
			e.keys("b")
			nvimtest.Eventually(t, "it printed", func() bool {
				return strings.Contains(e.want("program_output", args{"category": "terminal"}), prints)
			})
			// It must not end sooner: nvim-dap asks for its process while it begins, and fails if there is none.
			e.Lua(nil, `channel = vim.bo[require("dap").session().term_buf].channel; vim.fn.chansend(channel, "\r")`)
			e.eventually(`vim.fn.jobwait({ channel }, 0)[1] ~= -1`)
			return a
		}
		one := run("one", "of the first")
		one.event("terminated", nil)
		e.eventually(`require("dap").session() == nil`)
		e.want("program_output", nil, "of the first", `"ended":"session terminated"`)
		two := run("two", "of the second")
		if got := e.want("program_output", args{"session": 1}, "of the first"); strings.Contains(got, "of the second") {
			t.Errorf("what another printed: %s", got)
		}
		two.event("terminated", nil)
		e.eventually(`require("dap").session() == nil`)
		e.Lua(nil, `vim.api.nvim_buf_delete(require("mcp-tools.tools.dap.tracks").all()[2].session.term_buf, { force = true })`)
		// Below it may be the echo of its input, and that it exited.
		e.want("program_output", args{"session": 2, "lines": 9}, "of the second")
		e.keys("c")
		e.eventually(`vim.fn.mode() == "i" and vim.fn.getbufline("notes.txt", 2)[1] == "ababc"`)
	})
}
