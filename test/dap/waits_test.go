// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"strings"
	"testing"
)

// watched is how many wait for a change of a session.
const watched = `(function()
	local n, i = 0, 1
	while true do
		local name, value = debug.getupvalue(require("mcp-tools.tools.dap.tracks").subscribe, i)
		if name == "watchers" then
			return vim.tbl_count(value)
		elseif not name then
			return -1
		end
		i = i + 1
	end
end)()`

// TestWait_SeesAStopJustBeforeIt has the program stop before anybody waits.
func TestWait_SeesAStopJustBeforeIt(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		stacks := a.later("stackTrace")
		a.stop(3, "breakpoint")
		// nvim-dap has not heard where, and the program is paused all the same.
		first := stacks()
		wait := e.start("wait_until_paused", nil)
		second := stacks()
		a.on("stackTrace", a.answer)
		a.answer(second)
		wait.has("main.fake:3", `"reason":"breakpoint"`)
		a.answer(first)
		e.want("wait_until_paused", nil, "main.fake:3")
	})
}

// TestWait_IsAboutTheNextStopAfterAStep has answers and events come in any order.
func TestWait_IsAboutTheNextStopAfterAStep(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.paused("s", 2)
		a.on("next", func(r request) {
			a.stop(3, "step") // before the answer
			a.respond(r, object{})
		})
		e.want("step_over", args{"wait_until_paused": true}, "main.fake:3", `"reason":"step"`)
		a.on("stepIn", func(request) { a.stop(4, "step") }) // never an answer
		e.want("step_into", args{"wait_until_paused": true}, "main.fake:4")
		answer := a.later("stepOut")
		step := e.start("step_out", args{"wait_until_paused": true})
		late := answer()
		a.stop(5, "step")
		step.has("main.fake:5")
		a.respond(late, object{}) // long after it
		e.want("evaluate", args{"expression": "x"}, "x in 50")
		e.want("wait_until_paused", nil, "main.fake:5")
		// The continued event of a step comes between.
		a.on("next", func(r request) {
			a.respond(r, object{})
			a.event("continued", object{"threadId": 1})
			a.stop(2, "step")
		})
		e.want("step_over", args{"wait_until_paused": true}, "main.fake:2")
		// nvim-dap has not heard yet where the program is now.
		a.on("stackTrace", func(r request) {
			if strings.Contains(string(r.Arguments), "levels") {
				a.answer(r)
			}
		})
		a.on("next", func(r request) {
			a.respond(r, object{})
			a.stop(5, "step")
		})
		e.want("step_over", args{"wait_until_paused": true}, "main.fake:5")
		e.want("evaluate", args{"expression": "x"}, "x in 50")
	})
}

// TestWait_EndsByItself has programs that do not stop, end and die.
func TestWait_EndsByItself(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		for how, c := range map[string]struct {
			end  func(a *adapter)
			want string
		}{
			"crash":  {func(a *adapter) { a.die() }, "Debug session ended while waiting: session ended"},
			"end":    {func(a *adapter) { a.event("terminated", nil) }, "Debug session ended while waiting: session terminated"},
			"exited": {func(a *adapter) { a.event("exited", object{"exitCode": 0}) }, "Debug session ended while waiting: debuggee exited with code 0"},
		} {
			a := e.run(how)
			e.refused("wait_until_paused", args{"timeout_ms": 50}, "Timeout after 50ms waiting for debugger to pause")
			one, two := e.start("wait_until_paused", nil), e.start("wait_until_paused", nil)
			c.end(a)
			one.fails(c.want)
			two.fails(c.want)
			if how == "exited" {
				a.event("terminated", nil)
			}
			e.eventually(`require("dap").session() == nil`)
		}
		if n := eval[int](e, watched); n != 0 {
			t.Errorf("%d still wait", n)
		}
	})
}

// TestWait_IsCancelled leaves nothing behind.
func TestWait_IsCancelled(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		wait := e.start("wait_until_paused", nil)
		e.eventually(watched + ` == 1`)
		wait.cancel()
		e.eventually(watched + ` == 0`)
		a.stop(2, "breakpoint")
		e.want("wait_until_paused", nil, "main.fake:2")
		if text := wait.answered(); text != "" {
			t.Errorf("it answered %s", text)
		}
	})
}

// TestWait_ReportsProgress while the program runs.
func TestWait_ReportsProgress(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		e.Lua(nil, `
			reports = {}
			require("mcp-tools.tools.dap.call").progress_ms = 10
			require("mcp-tools.registry").execute("dap_wait_until_paused", { timeout_ms = 20000 }, {
				on_done = function(outcome) waited = outcome end,
				on_progress = function(n, total, message) table.insert(reports, { n, total, message }) end,
			})
		`)
		e.eventually(`#reports > 2 and reports[2][1] > reports[1][1] and reports[1][2] == 20 and reports[1][3] == "The program runs"`)
		a.stop(2, "breakpoint")
		e.eventually(`waited ~= nil and waited.result.success`)
	})
}

// TestRequest_EndsByItself has an adapter that is late, silent and gone.
func TestRequest_EndsByItself(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.prepared(func(a *adapter) { a.can("supportsCancelRequest") })
		a := e.paused("s", 2)
		answer := a.later("evaluate")
		e.refused("evaluate", args{"expression": "slow", "timeout_ms": 2000}, "Evaluation timed out")
		a.saw("cancel", `"requestId"`)
		late := answer()
		second := e.start("evaluate", args{"expression": "second", "frame_id": 5})
		also := answer()
		a.answer(also)
		second.has(`second in 5`)
		a.answer(late) // nobody waits for it
		a.on("evaluate", func(r request) { a.refuse(r, "no such thing") })
		e.refused("evaluate", args{"expression": "x"}, "Evaluation failed: no such thing")
		a.on("evaluate", func(r request) { a.respond(r, nil) })
		e.refused("evaluate", args{"expression": "x"}, "No evaluation result received")
		for tool, more := range map[string]args{
			"stacktrace": {}, "scopes": {"frame_id": 1}, "variables": {"variables_reference": 1}, "threads": {},
		} {
			command := tool
			if tool == "stacktrace" {
				command = "stackTrace"
			}
			a.on(command, a.ignore)
			more["timeout_ms"] = 30
			e.refused(tool, more, command+" request timed out")
			delete(more, "timeout_ms")
			a.on(command, func(r request) { a.refuse(r, "broken") })
			e.refused(tool, more, "broken")
			a.on(command, func(r request) { a.respond(r, nil) })
			e.refused(tool, more, "No response received from debug adapter")
		}
		a.on("threads", a.ignore)
		stuck := e.start("threads", args{"timeout_ms": 30000})
		a.die()
		stuck.fails("the debug session ended")
	})
}

// TestRequest_IsCancelledAtTheAdapter when nobody waits for it.
func TestRequest_IsCancelledAtTheAdapter(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.prepared(func(a *adapter) { a.can("supportsCancelRequest") })
		a := e.paused("s", 2)
		a.on("evaluate", a.ignore)
		call := e.start("evaluate", args{"expression": "slow", "frame_id": 1})
		a.saw("evaluate", "slow")
		call.cancel()
		a.saw("cancel", `"requestId"`)
		e.eventually(watched + ` == 0`)
	})
}

// TestStep_ThatTheAdapterRefusesLeavesTheProgramPaused where it is.
func TestStep_ThatTheAdapterRefusesLeavesTheProgramPaused(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.paused("s", 2)
		e.eventually(`require("dap").session().current_frame ~= nil`)
		a.on("next", func(r request) { a.refuse(r, "not now") })
		e.refused("step_over", args{"wait_until_paused": true}, "not now")
		e.want("evaluate", args{"expression": "x"}, "x in 20")
		a.on("next", func(r request) { a.respond(r, object{}) })
		e.want("step_over", nil, `"message":"Stepped over"`)
		e.refused("step_over", nil, "No stopped thread: the program of debug session 1 runs")
		e.refused("stacktrace", nil, "No stopped thread")
		e.refused("current_location", nil, "No current execution location available")
		pause := e.start("pause", args{"wait_until_paused": true})
		a.saw("pause", `"threadId":1`)
		a.stop(3, "pause")
		pause.has("Pausing execution", "Debugger paused due to: pause", "main.fake:3")
		a.on("continue", func(r request) { a.respond(r, object{}) })
		e.want("continue", nil)
		// Some adapters do not say which thread stopped.
		pause = e.start("pause", args{"wait_until_paused": true})
		a.saw("continue")
		a.at(4)
		a.event("stopped", object{"reason": "pause", "allThreadsStopped": true})
		pause.has("main.fake:4", `"thread_id":1`)
		// nvim-dap's user can go on from there, who it would tell that nothing is paused.
		e.eventually(`require("dap").session().stopped_thread_id == 1 and require("dap").session().current_frame.line == 4`)
		a.on("next", func(r request) {
			a.respond(r, object{})
			a.stop(5, "step")
		})
		e.want("step_over", args{"wait_until_paused": true}, "main.fake:5")
	})
}
