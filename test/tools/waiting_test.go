// Copyright (c) 2026 the claudecoded authors. MIT license.

package tools

import (
	"fmt"
	"testing"

	"claudecoded/test/nvimtest"
)

// partings are the ways in which a server stops to serve a file.
var partings = map[string]string{
	"detached": `vim.lsp.buf_detach_client(0, vim.lsp.get_clients()[1].id)`,
	"stopped":  `vim.lsp.stop_client(vim.lsp.get_clients(), true) server.die()`,
	"died":     `server.die()`,
}

func TestGetDiagnostics_OfAServerThatLeavesMeanwhileAreAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, leave := range partings {
			for _, one := range []bool{true, false} {
				t.Run(fmt.Sprint(name, one), func(t *testing.T) {
					t.Parallel()
					e := check(t, nvim, `server.publish = "versions"`)
					arguments := map[string]any(nil)
					if one {
						arguments = e.uri("f.fake")
					}
					e.Lua(nil, `server.mute = true`)
					e.change("f.fake", "fine\n")
					e.ask(arguments, forever)
					e.Lua(nil, leave)
					e.expect(left)
					// From now on nobody looks at the file.
					e.ask(arguments, forever)
					e.expect("")
				})
			}
		}
	})
}

func TestGetDiagnostics_OfAServerThatStartsAreWaitedFor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.starting = true`)
		e.ask(e.uri("f.fake"), 100)
		e.expect(notReady)
		e.ask(e.uri("f.fake"), forever)
		e.Lua(nil, `server.die()`)
		e.expect(left)
	})
}

func TestGetDiagnostics_DoNotWaitForeverForAServerThatNeverReports(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.publish = "versions"`)
		e.Lua(nil, `
			require("claudecode.language_servers").patience_ms = 6000
			quiet = load((...))()
			quiet.mute = true
			vim.lsp.start({ name = "quietls", cmd = quiet.start, root_dir = vim.fn.getcwd() })
			assert(vim.wait(20000, function() return next(quiet.documents) end, 1))
		`, fakeServer)
		texts := 0
		ask := func() bool {
			texts++
			e.change("f.fake", fmt.Sprintf("error %d\n", texts))
			e.ask(e.uri("f.fake"), 1500)
			nvimtest.Eventually(t, "it answers", func() bool { return e.answer() != "" })
			return e.answer() == fmt.Sprintf("[f.fake: %d]", texts)
		}
		if ask() {
			t.Error("it is no checker from the start")
		}
		nvimtest.Eventually(t, "nobody waits for it any more", ask)
		progress := func(value string) {
			e.Lua(nil, `quiet.dispatchers.notification("$/progress", { token = "t", value = `+value+` })`)
		}
		progress(`{ kind = "begin", title = "indexing" }`)
		if ask() {
			t.Error("it is at work, and nobody waits for it")
		}
		progress(`{ kind = "end" }`)
		if !ask() {
			t.Errorf("it has ended its work: %s", e.answer())
		}
	})
}

// countTimers has the global timers count those that run out late, as only those of calls do.
const countTimers = `
	timers = 0
	local new_timer = vim.uv.new_timer
	vim.uv.new_timer = function()
		local timer, counted = new_timer(), 0
		return setmetatable({
			start = function(_, ms, ...)
				counted = ms > 60000 and 1 or 0
				timers = timers + counted
				return timer:start(ms, ...)
			end,
			close = function(_, ...)
				timers = timers - counted
				return timer:close(...)
			end,
		}, { __index = function(_, name)
			return function(_, ...) return timer[name](timer, ...) end
		end })
	end
`

func TestGetDiagnostics_EndWithTheCall(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.publish = "versions"`)
		timers := func() (n int) {
			e.Lua(&n, `return timers`)
			return n
		}
		e.Lua(nil, countTimers+` server.held = true`)
		e.change("f.fake", "error new\n")
		e.ask(nil, forever)
		nvimtest.Eventually(t, "the call waits", func() bool { return timers() > 0 })
		e.Lua(nil, `require("mcp-tools.registry").cancel_task(task)`)
		if n := timers(); n != 0 {
			t.Errorf("%d timers run", n)
		}
		// A report, a server that leaves: neither reaches the call any more.
		e.Lua(nil, `server.release()`)
		e.ask(nil, 20000)
		e.expect("f.fake: new")
		var pending int
		e.Lua(&pending, `return require("mcp-tools.registry").pending_count()`)
		if pending != 0 {
			t.Errorf("%d calls are pending", pending)
		}
		// One that was cancelled before it began to wait never does.
		e.Lua(nil, `server.held = true`)
		e.change("f.fake", "error newer\n")
		e.Lua(nil, `
			require("claudecode.tools.get_diagnostics").timeout = ...
			local registry = require("mcp-tools.registry")
			registry.cancel_task(registry.execute("getDiagnostics", {}).task_id)
		`, forever)
		var settled bool
		e.Lua(&settled, `
			local settled
			vim.schedule(function() vim.schedule(function() settled = true end) end)
			return vim.wait(20000, function() return settled end, 1)
		`)
		if n := timers(); n != 0 || !settled {
			t.Errorf("%d timers run", n)
		}
	})
}

func TestGetDiagnostics_WaitAsLongAsTheCallerDoes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.mute = true`)
		e.Lua(nil, `
			tool = require("claudecode.tools.get_diagnostics")
			wait = function(remaining_ms)
				local limit
				local reports = require("claudecode.reports")
				local wait = reports.wait
				reports.wait = function(_, opts) limit = opts.timeout_ms end
				local registry = require("mcp-tools.registry")
				local id = registry.execute("getDiagnostics", args, { remaining_ms = remaining_ms }).task_id
				vim.wait(20000, function() return limit end, 1)
				registry.cancel_task(id)
				reports.wait = wait
				return limit
			end
		`)
		for _, row := range []struct {
			set  string
			want int
		}{
			// An answer takes a moment to get there.
			{`args, remaining = { uri = vim.api.nvim_buf_get_name(0) }, 1000`, 960},
			{`args, remaining, tool.timeout = {}, 1000, 9000`, 960},
			{`args, remaining, tool.timeout = {}, nil, 9000`, 8960},
			{`args, remaining, tool.timeout = {}, nil, nil`, 1760},
			{`args, remaining = { uri = vim.api.nvim_buf_get_name(0) }, nil`, 360},
		} {
			var got int
			e.Lua(&got, row.set+` return wait(remaining)`)
			if got != row.want {
				t.Errorf("%s: %d ms, not %d", row.set, got, row.want)
			}
		}
	})
}
