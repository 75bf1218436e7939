// Copyright (c) 2026 the claudecoded authors. MIT license.

package registry

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// fakes puts small categories in the place of those that come along.
const fakes = `
	_G.notified = {}
	vim.notify = function(message) table.insert(notified, message) end
	local function fake(category, ...)
		local tools = vim.tbl_map(function(name)
			return { name = name, description = "d", execute = function(cb) cb(name) end }
		end, { ... })
		package.preload["mcp-tools.tools." .. category] = function() return tools end
	end
	fake("undo", "undo_tree", "undo_revert", "undo_mark")
	fake("buffers", "buffers_list", "buffers_read")
	package.preload["mcp-tools.tools.test"] = function()
		return function() return { { name = "test_one", description = "d", execute = print } } end
	end
	package.preload["mcp-tools.tools.exec"] = function() error("broken", 0) end
	package.preload["mcp-tools.tools.interview"] = function()
		return { { name = "interview", description = "d" }, { name = "interview_two", description = "d", execute = print } }
	end
	function _G.names()
		local names = vim.tbl_filter(function(name) return name:match("^[a-z_]+$") end, require("mcp-tools.registry").names())
		return table.concat(names, " ")
	end
`

func TestSetup_SwitchesCategoriesAndTools(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ options, names, told string }{
		{`{}`, "", ""},
		{`{ undo = true, buffers = false }`, "undo_tree undo_revert undo_mark", ""},
		{`{ undo = { "undo_tree" } }`, "undo_tree", ""},
		{`{ undo = { "nvim_undo_tree" } }`, "undo_tree", ""},
		{`{ undo = { undo_revert = false } }`, "undo_tree undo_mark", ""},
		{`{ undo = { undo_revert = true } }`, "undo_revert", ""},
		{`{ undo = { undo_tree = true, undo_revert = false } }`, "undo_tree", ""},
		{`{ undo = {} }`, "", ""},
		{`{ test = true }`, "test_one", ""},
		{`{ undo = { "undo_tre" } }`, "", `tools.undo: there is no tool "undo_tre", did you mean "undo_tree"?`},
		{`{ undo = { undo_revrt = false } }`, "undo_tree undo_revert undo_mark", `tools.undo: there is no tool "undo_revrt", did you mean "undo_revert"?`},
		{`{ undo = "yes" }`, "", "tools.undo must be a boolean, a list of names, or a map of names to booleans"},
		{`{ undo = { 1 } }`, "", "tools.undo must be a boolean, a list of names, or a map of names to booleans"},
		{`{ undp = true }`, "", "Unknown option tools.undp, did you mean undo?"},
		{`{ dap = true }`, "", "tools.dap: nvim-dap is not installed"},
		{`{ exec = true, test = true }`, "test_one", "tools.exec: not available: broken"},
		{`{ interview = true }`, "interview_two", "tools.interview: Tool must have an execute function"},
		{`5`, "", "tools must be a table"},
	} {
		t.Run(row.options, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := stage.Open(t, stage.Options{Nvim: nvim})
				var got [2]string
				e.Lua(nil, fakes)
				e.Lua(nil, `require("mcp-tools").setup({ tools = `+row.options+` })`)
				read := func() {
					e.Lua(&got, `return { names(), (table.concat(notified, "\n"):gsub("[^ ]*/[^ ]*:%d+: ", "")) }`)
				}
				want := [2]string{row.names, ""}
				if row.told != "" {
					want[1] = "[mcp-tools] " + row.told
					nvimtest.Eventually(t, "it is told", func() bool { read(); return got[1] != "" })
				}
				read()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestSetup_LeavesAToolOfTheUsersAlone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		var description string
		e.Lua(nil, fakes)
		e.Lua(&description, `
			require("mcp-tools").register({ name = "undo_tree", description = "mine", execute = print })
			require("mcp-tools").setup({ tools = { undo = true } })
			return require("mcp-tools").list_tools().undo_tree.description`)
		if description != "mine" {
			t.Error(description)
		}
	})
}

func TestEnableAndDisable_SwitchAtRunTime(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		e.Lua(nil, fakes)
		e.Lua(nil, `require("mcp-tools").register({ name = "mine", description = "d", execute = function(cb) cb("mine") end })`)
		for _, step := range []struct{ do, names, err string }{
			{`enable("undo_tree")`, "mine undo_tree", ""},
			{`enable("nvim_undo_tree")`, "mine undo_tree", ""},
			{`enable("undo")`, "mine undo_tree undo_revert undo_mark", ""},
			{`disable("undo_revert")`, "mine undo_tree undo_mark", ""},
			{`disable("undo_revert")`, "mine undo_tree undo_mark", ""},
			{`disable("mine")`, "undo_tree undo_mark", ""},
			{`disable("undo")`, "", ""},
			{`disable("buffers")`, "", ""},
			{`enable("mine")`, "mine", ""},
			{`enable("undo")`, "mine undo_tree undo_revert undo_mark", ""},
			{`disable("undo_tree")`, "mine undo_revert undo_mark", ""},
			{`unregister("undo_tree")`, "mine undo_revert undo_mark", ""},
			{`disable("mine")`, "undo_revert undo_mark", ""},
			{`unregister("mine")`, "undo_revert undo_mark", ""},
			{`enable("mine")`, "undo_revert undo_mark", `there is no tool "mine"`},
			{`enable("dap")`, "undo_revert undo_mark", "tools.dap: nvim-dap is not installed"},
			{`enable("undo_tre")`, "undo_revert undo_mark", `there is no tool "undo_tre", did you mean "undo_tree"?`},
			{`disable("undo_revrt")`, "undo_revert undo_mark", `there is no tool "undo_revrt", did you mean "undo_revert"?`},
		} {
			var got [2]string
			e.Lua(&got, `local ok, err = require("mcp-tools").`+step.do+`
				return { names(), ok and "" or err or "" }`)
			if got != [2]string{step.names, step.err} {
				t.Errorf("%s: %q", step.do, got)
			}
		}
	})
}

// feed reads the events of a session's stream, one line for each.
func (c *client) feed() chan string {
	c.s.t.Helper()
	request, err := http.NewRequestWithContext(stage.Within(c.s.t), http.MethodGet, c.url(), nil)
	if err != nil {
		c.s.t.Fatal(err)
	}
	c.fill(request)
	response, err := c.http.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		c.s.t.Fatal(response, err)
	}
	a := &answer{c: c, body: newLines(response.Body)}
	events, over := make(chan string, 64), make(chan struct{})
	go func() {
		defer close(over)
		for line := a.next(); line != nil; line = a.next() {
			events <- string(line)
		}
	}()
	c.s.t.Cleanup(func() {
		_ = response.Body.Close()
		<-over
	})
	return events
}

// listed are the names of the tools that a client is told.
func (c *client) listed() (names []string) {
	c.s.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(c.ask("tools/list", "").result()), &list); err != nil {
		c.s.t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestSwitches_AreToldToClients(t *testing.T) {
	t.Parallel()
	each(t, fakes, func(t *testing.T, s *scene) {
		c := s.client("2025-11-25")
		events := c.feed()
		for _, step := range []struct {
			do   string
			name string
			is   bool
		}{
			{`require("mcp-tools").enable("undo")`, "nvim_undo_mark", true},
			{`require("mcp-tools").disable("undo_mark")`, "nvim_undo_mark", false},
			{`require("mcp-tools").enable("undo_mark")`, "nvim_undo_mark", true},
			{`require("mcp-tools").unregister("undo_mark")`, "nvim_undo_mark", false},
			{`require("mcp-tools").register({ name = "mine", description = "d", execute = print })`, "nvim_mine", true},
		} {
			s.e.Lua(nil, step.do)
			if event := <-events; !strings.Contains(event, `"notifications/tools/list_changed"`) {
				t.Fatal(event)
			}
			if got := c.listed(); slices.Contains(got, step.name) != step.is {
				t.Errorf("%s: listed %q", step.do, got)
			}
		}
		s.e.Lua(nil, `require("mcp-tools").disable("undo_tree")`)
		<-events
		if r := c.call("nvim_undo_tree", "{}").reply(); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("a tool that is off was called: %+v", r)
		}
	})
}
