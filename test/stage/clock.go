// Copyright (c) 2026 the claudecoded authors. MIT license.

package stage

// clock is Lua that puts a clock into the editor which only advance() moves. timers are those
// that were started; one that was cancelled has no callback.
const clock = `
	local clock = require("claudecode.clock")
	time, timers = clock.now(), {}
	function clock.now() return time end
	function clock.after(ms, callback)
		local timer = { at = time + ms, ms = ms, callback = callback }
		table.insert(timers, timer)
		return function() timer.callback = nil end
	end
	local function next_due(limit)
		timers = vim.tbl_filter(function(timer) return timer.callback ~= nil end, timers)
		table.sort(timers, function(a, b) return a.at < b.at end)
		return timers[1] and timers[1].at <= limit and table.remove(timers, 1) or nil
	end
	function advance(ms)
		local limit = time + ms
		for timer in next_due, limit do
			time = math.max(time, timer.at)
			timer.callback()
		end
		time = limit
	end
`

// StopClock stops the time of the plugin; from then on only Advance moves it. Lua code of the
// test has the time in milliseconds, the timers that were started, and advance().
func (e *Editor) StopClock() {
	e.t.Helper()
	e.Lua(nil, clock)
}

// Advance moves the time of an editor whose clock was stopped, and runs what is due.
func (e *Editor) Advance(ms int) {
	e.t.Helper()
	e.Lua(nil, `advance(...)`, ms)
}
