// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"path/filepath"
	"testing"
)

// TestScenario_FromABreakpointToTheOutputOfAnEndedProgram goes the whole way once.
func TestScenario_FromABreakpointToTheOutputOfAnEndedProgram(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.prepared(func(a *adapter) {
			a.file = filepath.Join(e.Project, "main.fake")
			a.can("supportsConditionalBreakpoints", "supportsSetVariable")
		})
		e.want("status", nil, `"active":false`, "No active debug session")
		e.want("set_breakpoint", args{"filename": "main.fake", "line": 2, "condition": "x > 1"}, "Set breakpoint at main.fake:2")
		run := e.start("run", args{
			"name": "the run", "type": "fake", "request": "launch", "program": "${workspaceFolder}/x", "stopAtEntry": true,
			"deep": args{"list": []string{"a ${fileBasename}"}}, "wait_until_paused": true,
		})
		a := e.next()
		a.saw("configurationDone")
		a.saw("launch", `"stopAtEntry":true`, `a notes.txt`, `pro ject`)
		a.saw("setBreakpoints", `"condition":"x > 1"`, `"line":2`)
		a.event("output", object{"category": "stdout", "output": "hello\nhal"})
		a.stop(2, "breakpoint")
		run.has("Started debug session 'the run' with adapter 'fake'", "Debugger paused due to: breakpoint",
			"main.fake:2 in inner", `>    2 | two`, `"reason":"breakpoint"`, `"thread_id":1`)
		e.want("status", nil, `"active":true`, `"status":"stopped"`, `"stopped_thread_id":1`, `"supportsSetVariable":true`)
		e.want("breakpoints", nil, `"verified":true`, `"type":"breakpointcondition"`, `"condition":"x > 1"`)
		e.want("stacktrace", nil, `"thread_id":1`, `"total_frames":2`, `"id":20`)
		e.want("scopes", args{"frame_id": 20}, `"Locals"`)
		e.want("variables", args{"variables_reference": 7}, `"name":"x"`)
		e.want("evaluate", args{"expression": "x + 1"}, `"result":"x + 1 in 20 for repl"`, `"variables_reference":3`)
		e.want("set_variable", args{"name": "x", "value": "2"}, `"value":"setVariable"`)
		e.want("threads", nil, `"other"`)
		e.want("current_location", nil, `"line":2`, `>    2 | two`)

		a.on("next", func(r request) {
			a.respond(r, object{})
			a.event("output", object{"category": "stdout", "output": "f line\r\n\n"})
			a.stop(3, "step")
		})
		e.want("step_over", args{"wait_until_paused": true}, "Stepped over", "main.fake:3 in inner")
		// The frame is the one where it is now.
		e.want("evaluate", args{"expression": "y"}, `y in 30`)
		a.on("continue", func(r request) {
			a.respond(r, object{})
			a.event("output", object{"category": "stderr", "output": "oh\n"})
			a.event("exited", object{"exitCode": 3})
			a.event("terminated", nil)
		})
		e.refused("continue", args{"wait_until_paused": true}, "Debug session ended while waiting: debuggee exited with code 3")
		e.eventually(`require("dap").session() == nil`)
		e.want("program_output", nil, `"lines":["hello","half line","","oh"]`, "debuggee exited with code 3")
		e.want("program_output", args{"category": "stdout", "lines": 2}, `"lines":["half line",""]`)
		e.want("program_output", args{"category": "stderr", "include_metadata": true}, `[stderr] oh`)
		e.refused("step_over", nil, "No active debug session")
	})
}

// TestUser_IsNotMovedAndLosesNoKey has a program stop while its user types.
func TestUser_IsNotMovedAndLosesNoKey(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.want("set_breakpoint", args{"filename": "main.fake", "line": 2})
		a := e.run("s")
		e.keys("o")
		e.eventually(`vim.fn.mode() == "i"`)
		e.keys("be")
		wait := e.start("wait_until_paused", nil)
		a.stop(2, "breakpoint")
		e.keys("fore")
		wait.has("main.fake:2")
		a.on("next", func(r request) {
			a.respond(r, object{})
			a.stop(3, "step")
		})
		for range 5 {
			step := e.start("step_over", args{"wait_until_paused": true})
			e.keys("x")
			step.has("main.fake:3")
		}
		e.eventually(`vim.api.nvim_get_current_line() == "beforexxxxx"`)
		if got := eval[string](e, `vim.fn.expand("%:t")`); got != "notes.txt" {
			t.Errorf("the user is in %s", got)
		}
		// They see where it is all the same.
		e.eventually(`vim.iter(vim.fn.sign_getplaced(vim.fn.bufnr("main.fake"), { group = "*" })[1].signs):any(function(sign)
			return sign.name == "DapStopped" and sign.lnum == 3
		end)`)
	})
}

// TestUser_IsTakenThereWhenAsked has the file shown once the user does not type.
func TestUser_IsTakenThereWhenAsked(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		e.keys("o")
		e.eventually(`vim.fn.mode() == "i"`)
		wait := e.start("wait_until_paused", args{"show": true})
		a.stop(4, "breakpoint")
		e.eventually(`(require("claudecode.moment").summary() or ""):find("dap_wait_until_paused", 1, true) ~= nil`)
		if text := wait.answered(); text != "" {
			t.Errorf("it answered %s", text)
		}
		e.keys("typed<Esc>")
		wait.has("main.fake:4")
		e.eventually(`vim.fn.expand("%:t") == "main.fake" and vim.fn.line(".") == 4`)
		if got := eval[string](e, `vim.fn.getbufline("notes.txt", 2)[1]`); got != "typed" {
			t.Errorf("the user typed %q", got)
		}
	})
}

// TestUser_StepsAsEver has nvim-dap take the user along where they step themselves.
func TestUser_StepsAsEver(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.paused("s", 2)
		a.on("next", func(r request) {
			a.respond(r, object{})
			a.stop(4, "step")
		})
		e.Lua(nil, `require("dap").session():request("next", { threadId = 1 }, function() end)`)
		e.eventually(`vim.fn.expand("%:t") == "main.fake" and vim.fn.line(".") == 4`)
		e.want("current_location", nil, `"line":4`)
		// A stop that comes before the answer to what led to it counts.
		e.eventually(`require("dap").session().current_frame.line == 4`)
		a.on("next", func(r request) {
			a.stop(5, "step")
			a.respond(r, object{})
		})
		e.Lua(nil, `stepped = nil require("dap").session():request("next", { threadId = 1 }, function() stepped = true end)`)
		e.eventually(`stepped == true and vim.fn.line(".") == 5`)
		e.want("wait_until_paused", nil, "main.fake:5")
		// One that they had resumed does not.
		a.on("continue", func(r request) { a.respond(r, object{}) })
		e.Lua(nil, `stepped = nil require("dap").session():request("continue", { threadId = 1 }, function() stepped = true end)`)
		e.eventually(`stepped == true`)
		e.refused("wait_until_paused", args{"timeout_ms": 50}, "Timeout after 50ms waiting for debugger to pause")
	})
}
