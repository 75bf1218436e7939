// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"strings"
	"testing"
)

// pause has one thread stop, and only that one.
func (a *adapter) pause(thread, line int) {
	a.at(line)
	a.event("stopped", object{"reason": "breakpoint", "threadId": thread})
}

// runs answers a request that resumes one thread only.
func (a *adapter) runs(r request) { a.respond(r, object{"allThreadsContinued": false}) }

// TestThreads_ThatNvimDapResumesDoNotHideOneThatIsPaused has a second thread stop, which nvim-dap
// lets run again at once, so that its user stays in the first.
func TestThreads_ThatNvimDapResumesDoNotHideOneThatIsPaused(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		a.on("continue", a.runs)
		a.pause(1, 2)
		e.want("wait_until_paused", nil, "main.fake:2", `"thread_id":1`)
		e.eventually(`require("dap").session().stopped_thread_id == 1 and require("dap").session().current_frame ~= nil`)
		a.pause(2, 3)
		a.saw("continue", `"threadId":2`)
		a.at(2)
		e.want("threads", nil) // by then the answer came
		e.want("status", nil, `"status":"stopped"`, `"stopped_thread_id":1`)
		e.want("stacktrace", nil, `"thread_id":1`)
		a.on("next", func(r request) {
			a.runs(r)
			a.pause(1, 4)
		})
		e.want("step_over", args{"wait_until_paused": true}, "main.fake:4", `"thread_id":1`)
		// What a tool drives takes nobody along, whoever resumed another thread.
		a.pause(2, 3)
		e.want("threads", nil)
		a.event("continued", object{"threadId": 1, "allThreadsContinued": false})
		a.pause(1, 5)
		e.eventually(`vim.tbl_get(require("dap").session(), "current_frame", "line") == 5`)
		if got := eval[string](e, `vim.fn.expand("%:t")`); got != "notes.txt" {
			t.Errorf("the user is in %s", got)
		}
	})
}

// TestThreads_ThatArePausedBesidesAreFound once the one that a tool resumed runs.
func TestThreads_ThatArePausedBesidesAreFound(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `require("dap").defaults.fake.auto_continue_if_many_stopped = false`)
		a := e.run("s")
		a.pause(1, 2)
		e.want("wait_until_paused", nil, `"thread_id":1`)
		e.eventually(`require("dap").session().stopped_thread_id == 1`)
		a.pause(2, 3)
		e.want("threads", nil) // by then it was heard of
		e.want("wait_until_paused", nil, "main.fake:3", `"thread_id":2`)
		a.on("continue", func(r request) { a.refuse(r, "not now") })
		e.refused("continue", args{"thread_id": 1}, "not now")
		e.want("status", nil, `"stopped_thread_id":2`)
		a.on("continue", a.runs)
		e.want("continue", args{"thread_id": 2})
		e.want("status", nil, `"status":"stopped"`)
		e.want("wait_until_paused", nil, `"thread_id":1`)
		a.pause(2, 3)
		e.want("threads", nil)
		e.refused("continue", args{"thread_id": 1, "wait_until_paused": true, "wait_timeout_ms": 50},
			"Timeout after 50ms waiting for debugger to pause")
		e.want("wait_until_paused", nil, `"thread_id":2`)
		a.pause(1, 4)
		e.want("threads", nil)
		// A line is run to although another thread is paused.
		sent := len(a.requests("setBreakpoints"))
		e.want("run_to", at(5))
		e.want("wait_until_paused", nil, `"thread_id":2`)
		if n := len(a.requests("setBreakpoints")) - sent; n != 1 {
			t.Errorf("the adapter was told %d times of breakpoints before the line was reached", n)
		}
		a.pause(1, 5)
		a.saw("setBreakpoints", `"breakpoints":[]`)
		a.on("continue", func(r request) { a.respond(r, object{"allThreadsContinued": true}) })
		e.want("continue", nil)
		e.refused("stacktrace", nil, "No stopped thread")
		a.pause(1, 2)
		e.want("threads", nil)
		e.want("wait_until_paused", nil, `"thread_id":1`)
		a.event("thread", object{"reason": "exited", "threadId": 1})
		e.want("threads", nil)
		if got := e.want("status", nil); !strings.Contains(got, `"status":"running"`) {
			t.Errorf("a thread that is gone is still paused: %s", got)
		}
	})
}
