// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// TestShow_ReplacesNothingSpecial shows a file in layouts of windows; kept are those that must
// stay as they are.
func TestShow_ReplacesNothingSpecial(t *testing.T) {
	const load = `local show = require("mcp-tools.show")
		buf = show.load("test", "main.fake")
		kept = {}
		local function keep() kept[vim.api.nvim_get_current_win()] = vim.api.nvim_get_current_buf() end
	`
	const check = `
		require("mcp-tools.show").go(buf, 3, 2)
		for win, was in pairs(kept) do
			if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= was then
				return "replaced"
			end
		end
		local cursor = vim.api.nvim_win_get_cursor(0)
		return vim.fn.expand("%:t") .. " " .. cursor[1] .. ":" .. cursor[2] .. " " .. #vim.api.nvim_tabpage_list_wins(0)
	`
	each(t, func(t *testing.T, e *editor) {
		for name, c := range map[string]struct{ layout, want string }{
			"the only window":         {``, "main.fake 3:1 1"},
			"one that is beside":      {`keep() vim.cmd("split other.txt | wincmd p")`, "main.fake 3:1 2"},
			"one that shows it":       {`keep() vim.cmd("split main.fake | wincmd p")`, "main.fake 3:1 2"},
			"a terminal":              {`vim.cmd("terminal cat") keep()`, "main.fake 3:1 2"},
			"a chat":                  {`vim.cmd("edit chat.md") vim.bo.filetype = "codecompanion" keep()`, "main.fake 3:1 2"},
			"a panel of the debugger": {`vim.cmd("enew") vim.bo.buftype = "nofile" vim.bo.filetype = "dapui_scopes" keep()`, "main.fake 3:1 2"},
			"the quickfix list":       {`keep() vim.cmd("copen")`, "main.fake 3:1 2"},
			"an unnamed text":         {`vim.cmd("enew") vim.fn.setline(1, "mine") keep()`, "main.fake 3:1 2"},
			"an empty start":          {`vim.cmd("enew")`, "main.fake 3:1 1"},
			"an unsaved file":         {`vim.fn.setline(1, "unsaved")`, "main.fake 3:1 1"},
			"a fixed window":          {`vim.wo.winfixbuf = true keep()`, "main.fake 3:1 2"},
			"a preview":               {`vim.wo.previewwindow = true keep()`, "main.fake 3:1 2"},
			"a diff":                  {`vim.cmd("diffthis") keep()`, "main.fake 3:1 2"},
			"a float":                 {`vim.api.nvim_open_win(0, true, { relative = "editor", row = 1, col = 1, width = 9, height = 3 }) keep()`, "main.fake 3:1 2"},
			"a line that is not there": {`vim.api.nvim_buf_set_lines(buf, 0, -1, false, { "a", "bc" })`,
				"main.fake 2:1 1"},
		} {
			e.Lua(nil, `vim.cmd("silent! tabonly! | silent! only! | edit! notes.txt") vim.wo.previewwindow = false vim.wo.winfixbuf = false
				vim.cmd("silent! %bwipeout! | edit! notes.txt | diffoff!")`)
			e.Lua(nil, load+c.layout)
			want := c.want
			if name == "the quickfix list" {
				want = "main.fake 3:1 2" // where the user's file was, which is the one that may go
				e.Lua(nil, `kept = { [vim.api.nvim_get_current_win()] = vim.api.nvim_get_current_buf() }`)
			}
			if got := eval[string](e, `(function() `+check+` end)()`); got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	})
}

// TestShow_KeepsFocusAndView where autocommands of a file that is loaded move both.
func TestShow_KeepsFocusAndView(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `
			vim.fn.setline(1, vim.fn.range(1, 100))
			vim.cmd("split | normal! 50Gzt")
			vim.api.nvim_create_autocmd("BufReadPost", { pattern = "*.fake", callback = function()
				vim.cmd("noautocmd wincmd w")
				vim.cmd("normal! gg")
			end })
			function wander()
				vim.cmd("wincmd w | normal! gg")
				vim.cmd("wincmd w | normal! gg")
				vim.cmd("wincmd w")
			end
		`)
		const state = `vim.inspect({ vim.fn.winlayout(), vim.api.nvim_get_current_win(), vim.fn.winsaveview().topline })`
		before := eval[string](e, state)
		e.want("set_breakpoint", at(2))
		e.Lua(nil, `require("mcp-tools.show").keeping(wander)`)
		if after := eval[string](e, state); after != before {
			t.Errorf("before %s, after %s", before, after)
		}
	})
}

// TestSetUp_WithoutNvimDap has no tools, and says so where it is looked for.
func TestSetUp_WithoutNvimDap(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		var got []any
		e.Lua(&got, `
			local mcp, registry = require("mcp-tools"), require("mcp-tools.registry")
			mcp.setup({ tools = { dap = true } })
			local ok, err = mcp.enable("dap")
			vim.cmd("checkhealth mcp-tools")
			local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
			local before = registry.count()
			vim.opt.runtimepath:prepend((...))
			local enabled = mcp.enable("dap")
			return { ok or "nil", err, report:find("dap: off, nvim-dap is not installed", 1, true) ~= nil, before, enabled, registry.count(),
				package.loaded.dap == nil, package.loaded["mcp-tools.tools.dap.watch"] ~= nil }
		`, plugin(t))
		want := []any{"nil", "tools.dap: nvim-dap is not installed", true, int64(0), true, int64(26), true, true}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%d: %v, want %v", i, got[i], want[i])
			}
		}
	})
}

// TestSetUp_HearsWhatTheUserRuns from before any tool is called.
func TestSetUp_HearsWhatTheUserRuns(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `require("dap").run({ name = "theirs", type = "fake", request = "launch" }, {})`)
		a := e.next()
		e.ready(a)
		a.event("output", object{"category": "stdout", "output": "early\n"})
		a.stop(2, "breakpoint")
		// nvim-dap takes the user along.
		e.eventually(`vim.fn.expand("%:t") == "main.fake" and vim.fn.line(".") == 2`)
		e.want("wait_until_paused", nil, "main.fake:2", `"reason":"breakpoint"`)
		e.want("program_output", nil, "early")
	})
}

// TestSetUp_AsksBeforeItRunsAnything of the user.
func TestSetUp_AsksBeforeItRunsAnything(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		got := eval[string](e, `(function()
			local asks = {}
			for _, entry in ipairs(require("mcp-tools.registry").catalogue()) do
				if entry.policy then
					table.insert(asks, entry.name .. " " .. entry.policy)
				end
			end
			return table.concat(asks, ", ")
		end)()`)
		if want := "dap_run ask, dap_set_breakpoint ask, dap_evaluate ask, dap_set_variable ask"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestTools_HaveTheirNamesAndArguments that clients know.
func TestTools_HaveTheirNamesAndArguments(t *testing.T) {
	const waits, limited = "wait_timeout_ms wait_until_paused", "timeout_ms"
	want := map[string]string{
		"status": "", "run": "args cwd env host name port program request type " + waits, "terminate": "",
		"disconnect": "terminate_debuggee", "continue": waits, "step_over": waits, "step_into": waits, "step_out": waits,
		"run_to": "filename line " + waits, "wait_until_paused": "check_interval_ms timeout_ms",
		"set_breakpoint": "condition filename hit_condition line log_message", "remove_breakpoint": "filename line",
		"clear_breakpoints": "", "breakpoints": "", "stacktrace": "levels thread_id " + limited, "scopes": "frame_id " + limited,
		"variables": "count filter start variables_reference " + limited, "evaluate": "context expression frame_id",
		"threads": limited, "current_location": "context_lines", "program_output": "category include_metadata lines",
	}
	each(t, func(t *testing.T, e *editor) {
		for tool, names := range want {
			for _, name := range strings.Fields(names) {
				if !eval[bool](e, `(function(tool, arg)
					return vim.tbl_get(require("mcp-tools.registry").list(), tool, "args", arg) ~= nil
				end)(...)`, "dap_"+tool, name) {
					t.Errorf("%s has no argument %s", tool, name)
				}
			}
			if !eval[bool](e, `require("mcp-tools.registry").has(...)`, "dap_"+tool) {
				t.Errorf("there is no tool %s", tool)
			}
		}
	})
}
