// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// view is the text of the floating window, "" if there is none.
func (d *desk) view() string {
	d.t.Helper()
	return value[string](d, `(function()
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			local buf = vim.api.nvim_win_get_buf(win)
			if vim.bo[buf].filetype == "claudecode-status" then
				return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
			end
		end
		return ""
	end)()`)
}

// shows waits until the view has all parts.
func (d *desk) shows(parts ...string) {
	d.t.Helper()
	for _, part := range parts {
		defer func() {
			if d.t.Failed() {
				d.t.Logf("it shows %s", d.view())
			}
		}()
		nvimtest.Eventually(d.t, "the view shows "+part, func() bool { return strings.Contains(d.view(), part) })
	}
}

// countTimers has the timers counted that the view makes from now on.
func (d *desk) countTimers() {
	d.t.Helper()
	d.Lua(nil, `
		local new_timer, made = vim.uv.new_timer, {}
		vim.uv.new_timer = function()
			local timer = new_timer()
			if debug.getinfo(2, "S").source:find("claudecode/status.lua", 1, true) then
				table.insert(made, timer)
			end
			return timer
		end
		function _G.timers()
			return #vim.tbl_filter(function(timer) return not timer:is_closing() end, made)
		end`)
}

func (d *desk) types(keys string) {
	d.t.Helper()
	if _, err := d.Input(keys); err != nil {
		d.t.Fatal(err)
	}
}

func TestView_ShowsWhatGoesOnAndKeepsUp(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim, UI: true})
		d.Command("ClaudeCodeStatus")
		d.shows("Claude Code integration is not running")
		d.lock, d.client = d.Serve()
		_, daemon := d.PIDs()
		d.shows(
			fmt.Sprintf("Claude Code integration is running on port %d", d.lock.Port),
			fmt.Sprintf("daemon %d, version ", daemon), ", up for ",
			"client_1 (claude-code 2.1.332, pid ", "connected for ", "no pong yet, 0 B unsent",
		)
		d.begin("openDiff", d.diff("a.txt"))
		d.shows("  openDiff for ", "1 change waits for your review")
		d.Command("fclose")
		if text := d.view(); text != "" {
			t.Errorf("it still shows %s", text)
		}
		d.Lua(nil, `require("claudecode.log").error("init", "out of cheese")`)
		d.Command("ClaudeCodeStatus")
		d.shows("[ERROR] out of cheese")
		_ = d.client.Close()
		d.shows("No Claude is connected.")
		nvimtest.Eventually(t, "nothing waits for a review", func() bool { return !strings.Contains(d.view(), "waits for your review") })
		if text := d.view(); strings.Contains(text, d.lock.AuthToken) {
			t.Error(text)
		}
		d.Command("ClaudeCodeStop")
		d.shows("Claude Code integration is not running")
		if strings.Contains(d.view(), "daemon") {
			t.Error(d.view())
		}
	})
}

func TestView_IsClosedByKeyOrCommandAndLeavesNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim, UI: true})
		windows := value[[]int](d, `vim.api.nvim_list_wins()`)
		d.countTimers()
		buffers := value[int](d, `#vim.api.nvim_list_bufs()`)
		const split = 1
		for i, closing := range []func(){
			func() { d.Command("split | fclose") }, // the buffer stays, the view does not
			split: func() {
				d.Command("split | fclose")
				d.Command("ClaudeCodeStatus")
				d.Command("fclose")
			},
			func() { d.types("q") },
			func() { d.types("<Esc>") },
			func() { d.Command("close") },
			func() { d.Command("enew") },
			func() { d.Command("quit") },
		} {
			d.Command("ClaudeCodeStatus")
			d.Command("ClaudeCodeStatus") // goes there
			if n := value[int](d, `#vim.api.nvim_list_wins()`); n != len(windows)+1 {
				t.Fatalf("%d windows", n)
			}
			if n := value[int](d, "timers()"); n != 1 {
				t.Errorf("%d timers while it is open", n)
			}
			closing()
			d.eventually("nothing is refreshed", "timers() == 0")
			if text := d.view(); text != "" && i > split {
				t.Errorf("it still shows %s", text)
			}
			d.Lua(nil, `
				for _, win in ipairs(vim.api.nvim_list_wins()) do
					if vim.api.nvim_win_get_config(win).relative ~= "" then
						vim.api.nvim_win_close(win, true)
					end
				end
				vim.cmd("silent! %bwipeout")`)
		}
		if n := value[int](d, `#vim.api.nvim_list_bufs()`); n > buffers {
			t.Errorf("%d buffers, %d before", n, buffers)
		}
	})
}

func TestView_TakesAPartOfTheScreenOnly(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim, UI: true})
		for range 12 {
			stage.Connect(t, d.lock)
		}
		if err := d.TryResizeUI(30, 10); err != nil {
			t.Fatal(err)
		}
		d.Command("ClaudeCodeStatus")
		d.shows("client_13 ")
		size := value[[]int](d, `{ vim.api.nvim_win_get_width(0), vim.api.nvim_win_get_height(0) }`)
		if size[0] > 24 || size[1] > 5 {
			t.Errorf("it is %v of 30, 10", size)
		}
		d.types("G")
		d.eventually("the cursor is at the end", `vim.fn.line(".") == vim.fn.line("$") and vim.fn.line(".") > 12`)
	})
}

func TestView_HasRoomForLinesThatWrap(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim, UI: true})
		stage.Connect(t, d.lock)
		if err := d.TryResizeUI(50, 40); err != nil {
			t.Fatal(err)
		}
		d.Command("ClaudeCodeStatus")
		d.shows("client_2 ")
		d.eventually("all lines are on the screen", `vim.fn.line("w$") == vim.fn.line("$")`)
	})
}

func TestView_SaysThatADaemonDoesNotAnswer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim, UI: true})
		d.Command("ClaudeCodeStatus")
		d.shows("client_1 (claude-code")
		resume := d.stop()
		d.shows("The daemon has not answered for 2 s.", "client_1 (claude-code")
		resume()
		nvimtest.Eventually(t, "it answers again", func() bool { return !strings.Contains(d.view(), "has not answered") })
	})
}

func TestStatus_IsOneMessageWhereNobodyLooksOrWithABang(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, ui := range []bool{false, true} {
			d := open(t, stage.Options{Nvim: nvim, UI: ui})
			command := map[bool]string{false: "ClaudeCodeStatus", true: "ClaudeCodeStatus!"}[ui]
			d.Told(command, "Claude Code integration is not running")
			d.Command("messages clear")
			d.Lua(nil, `require("claudecode").status()`)
			nvimtest.Eventually(t, "it is told", func() bool { return strings.Contains(d.Messages(), "is not running") })
			if d.view() != "" {
				t.Error("a window opened")
			}
		}
		d := open(t, stage.Options{Nvim: nvim, UI: true})
		d.types("q:")
		d.eventually("this is the command-line window", `vim.fn.getcmdwintype() == ":"`)
		d.Command("ClaudeCodeStatus") // no window opens from there
		if said := value[[]string](d, `require("claudecode.log").recent()`); len(said) != 1 || d.view() != "" {
			t.Errorf("said %q", said)
		}
	})
}

func TestView_TellsOfTheLastPongOnceThereIsOne(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim, UI: true, Setup: map[string]any{"daemon": map[string]any{"ping_interval_ms": 500}}})
		d.Command("ClaudeCodeStatus")
		d.shows("last pong 0 s ago, 0 B unsent")
	})
}
