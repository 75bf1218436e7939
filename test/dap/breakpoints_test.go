// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// at names a place of the file that is debugged, with more arguments.
func at(line int, more ...any) args {
	a := args{"filename": "main.fake", "line": line}
	for i := 0; i < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return a
}

func TestBreakpoints_AreSetListedAndRemovedOnce(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.refused("set_breakpoint", args{"filename": "missing.fake", "line": 1}, "File not found: missing.fake")
		e.refused("set_breakpoint", at(9), "There is no line 9 in main.fake: it has 5")
		e.want("set_breakpoint", at(1, "hit_condition", "% 2"), `"message":"Set breakpoint at main.fake:1"`)
		e.want("set_breakpoint", at(2, "log_message", "x = {x}"), "Set logpoint at main.fake:2")
		e.want("set_breakpoint", at(3, "condition", ""), "Set breakpoint at main.fake:3")
		e.want("set_breakpoint", at(3, "condition", "y"), "Set breakpoint at main.fake:3") // in its place
		list := e.want("breakpoints", nil, `"hit_condition":"% 2"`, `"type":"logpoint"`, `"log_message":"x = {x}"`,
			`"type":"breakpointcondition"`, `"condition":"y"`, `"verified":false`)
		if n := strings.Count(list, `"line"`); n != 3 {
			t.Errorf("%d breakpoints: %s", n, list)
		}
		e.want("remove_breakpoint", at(2), `"removed":true`, "Removed breakpoint at main.fake:2")
		e.want("remove_breakpoint", at(2), `"removed":false`, "There was no breakpoint at main.fake:2")
		e.want("remove_breakpoint", args{"filename": "other.fake", "line": 2}, `"removed":false`)
		// They are there although the file is closed.
		e.Lua(nil, `vim.cmd("bunload main.fake")`)
		e.want("breakpoints", nil, `"line":1`, `"line":3`)
		e.want("remove_breakpoint", at(3), `"removed":true`)
		if list := e.want("breakpoints", nil, `"line":1`); strings.Contains(list, `"line":3`) {
			t.Errorf("it is still there: %s", list)
		}
		e.want("clear_breakpoints", nil, "All breakpoints cleared")
		if list := e.want("breakpoints", nil); list != "[]" {
			t.Errorf("breakpoints are left: %s", list)
		}
		// None of that is seen by the user.
		e.eventually(`#vim.api.nvim_list_wins() == 1 and vim.fn.expand("%:t") == "notes.txt"`)
	})
}

func TestBreakpoints_ReachAProgramThatRuns(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		e.refused("set_breakpoint", at(1, "condition", "x"), "The debug adapter fake does not support conditions of breakpoints")
		e.refused("set_breakpoint", at(1, "hit_condition", "1"), "The debug adapter fake does not support hit conditions of breakpoints")
		e.refused("set_breakpoint", at(1, "log_message", "x"), "The debug adapter fake does not support log points")
		e.want("set_breakpoint", at(1), `"verified":true`)
		a.saw("setBreakpoints", `"line":1`)
		a.on("setBreakpoints", func(r request) {
			a.respond(r, object{"breakpoints": []object{{"verified": true, "line": 1}, {"verified": false, "line": 2, "message": "no code there"}}})
		})
		e.want("set_breakpoint", at(2), `"verified":false`, `"note":"no code there"`)
		e.eventually(`vim.iter(require("dap.breakpoints").get(vim.fn.bufnr("main.fake"))[vim.fn.bufnr("main.fake")]):any(function(bp)
			return bp.state and bp.state.verified == false
		end)`)
		e.want("breakpoints", nil, `"type":"breakpointrejected"`, `"message":"no code there"`)
		a.on("setBreakpoints", func(r request) { a.refuse(r, "busy") })
		e.want("set_breakpoint", at(3), `"verified":false`, `"note":"busy"`)
		a.on("setBreakpoints", a.answer)
		e.want("remove_breakpoint", at(1), `"removed":true`)
		e.want("clear_breakpoints", nil)
		a.saw("setBreakpoints", `"breakpoints":[]`)
	})
}

// TestBreakpoints_HaveColumns that adapters are told whoever sends the file's breakpoints.
func TestBreakpoints_HaveColumns(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.want("set_breakpoint", at(4, "column", 7)) // behind an é
		e.want("breakpoints", nil, `"column":7`)
		a := e.run("s")
		a.saw("setBreakpoints", `"column":6`)
		if !a.before(`"column":6`, "configurationDone") {
			t.Error("the program began without the column")
		}
		before := len(a.requests("setBreakpoints"))
		// The user sets another one.
		e.Lua(nil, `
			local buf = vim.fn.bufnr("main.fake")
			require("dap.breakpoints").set({}, buf, 1)
			require("dap").session():set_breakpoints(require("dap.breakpoints").get(buf))
		`)
		nvimtest.Eventually(t, "they are sent again, with the column", func() bool {
			all := a.requests("setBreakpoints")
			last := all[len(all)-1]
			return len(all) > before && strings.Contains(last, `"column":6`) && strings.Contains(last, `"line":1`)
		})
		// It moves with the text, and goes with its breakpoint.
		e.Lua(nil, `vim.api.nvim_buf_set_lines(vim.fn.bufnr("main.fake"), 0, 0, false, { "new" })`)
		e.want("breakpoints", nil, `"column":7`, `"line":5`)
		e.want("remove_breakpoint", at(5))
		e.want("set_breakpoint", at(5))
		if list := e.want("breakpoints", nil); strings.Contains(list, "column") {
			t.Errorf("a column is left: %s", list)
		}
	})
}

// TestRunTo_StopsAtItsLineOnly and has the breakpoints back afterwards.
func TestRunTo_StopsAtItsLineOnly(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.want("set_breakpoint", at(1))
		a := e.paused("s", 2)
		a.on("continue", func(r request) {
			a.respond(r, object{})
			a.stop(5, "breakpoint")
		})
		e.want("run_to", at(5, "wait_until_paused", true), "Running to main.fake:5", "main.fake:5 in inner")
		nvimtest.Eventually(t, "the breakpoints are back", func() bool {
			all := a.requests("setBreakpoints")
			return strings.Contains(all[len(all)-1], `"line":1`) && strings.Contains(strings.Join(all, ""), `"line":5`)
		})
		e.want("breakpoints", nil, `"line":1`)
		if n := eval[int](e, watched); n != 0 {
			t.Errorf("%d still wait", n)
		}
		a.on("setBreakpoints", func(r request) {
			a.respond(r, object{"breakpoints": []object{{"verified": false, "message": "no code"}}})
		})
		e.refused("run_to", at(3), "Failed to run to cursor: no code")
		a.on("setBreakpoints", a.answer)
		a.on("continue", func(r request) { a.refuse(r, "not now") })
		before := len(a.requests("setBreakpoints"))
		e.refused("run_to", at(3), "not now")
		nvimtest.Eventually(t, "the breakpoints are back", func() bool {
			all := a.requests("setBreakpoints")[before:]
			return strings.Contains(strings.Join(all, ""), `"line":3`) && strings.Contains(all[len(all)-1], `"line":1`)
		})
		if n := eval[int](e, watched); n != 0 {
			t.Errorf("%d still wait", n)
		}
		// Nobody waits any more before it runs.
		a.on("setBreakpoints", a.ignore)
		cancelled := e.start("run_to", at(4))
		a.saw("setBreakpoints", `"line":4`)
		cancelled.cancel()
		nvimtest.Eventually(t, "the breakpoints are back", func() bool {
			all := a.requests("setBreakpoints")
			return strings.Contains(all[len(all)-1], `"line":1`)
		})
	})
}

func TestExceptions_AreThoseOfTheAdapter(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("plain")
		e.refused("set_exception_breakpoints", args{"filters": []string{"all"}}, "The debug adapter fake does not support exception breakpoints")
		a.event("terminated", nil)
		e.eventually(`require("dap").session() == nil`)
		e.prepared(func(a *adapter) {
			a.can("supportsExceptionInfoRequest")
			a.caps["exceptionBreakpointFilters"] = []object{{"filter": "all", "label": "All"}}
		})
		a = e.run("able")
		e.refused("set_exception_breakpoints", args{"filters": []string{"al"}}, `The debug adapter has no exception filter "al", only: all`)
		e.want("set_exception_breakpoints", args{"filters": []string{"all"}}, `"All"`)
		a.saw("setExceptionBreakpoints", `"filters":["all"]`)
		a.on("exceptionInfo", func(r request) { a.respond(r, object{"description": "division by zero"}) })
		wait := e.start("wait_until_paused", nil)
		a.stop(2, "exception")
		wait.has("paused due to: exception", "Description: division by zero")
	})
}
