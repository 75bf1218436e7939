// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSetUp_WithAnOldNvimDap breaks neither it nor its user, and says what it lacks.
func TestSetUp_WithAnOldNvimDap(t *testing.T) {
	t.Parallel()
	const lacks = "nvim-dap is too old, or another module is called dap: it has no session"
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		var got []string
		e.Lua(&got, `
			local mcp, registry = require("mcp-tools"), require("mcp-tools.registry")
			package.preload.dap = function() return { run = function() end } end
			mcp.setup({ tools = { dap = true } })
			require("dap")
			vim.v.errmsg = ""
			vim.cmd("silent! doautocmd User DapProgressUpdate")
			local said = vim.v.errmsg
			local status = registry.execute("dap_status", {}).error
			mcp.disable("dap")
			local _, refused = mcp.enable("dap")
			vim.cmd("checkhealth mcp-tools")
			local report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
			return { said, status, tostring(refused), report:match("dap: off, ([^\n]*)") or report }
		`)
		if got[0] != "" {
			t.Errorf("its user reads %s", got[0])
		}
		for i, want := range []string{"", lacks, "tools.dap: " + lacks, lacks} {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("%d: %q, want %q", i, got[i], want)
			}
		}
	})
}

// TestSetUp_FindsAPackageThatIsAddedLater which the first call of a tool adds.
func TestSetUp_FindsAPackageThatIsAddedLater(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		opt := filepath.Join(e.Project, "pack", "any", "opt")
		if err := os.MkdirAll(opt, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(plugin(t), filepath.Join(opt, "the-dap")); err != nil {
			t.Fatal(err)
		}
		var got []any
		e.Lua(&got, `
			vim.opt.packpath:prepend((...))
			require("mcp-tools").setup({ tools = { dap = true } })
			local registry = require("mcp-tools.registry")
			local before = package.loaded.dap == nil
			local status = registry.execute("dap_status", {})
			return { registry.has("dap_status"), before, status.error or "", status.result and status.result.message or "" }
		`, e.Project)
		for i, want := range []any{true, true, "", "No active debug session"} {
			if got[i] != want {
				t.Errorf("%d: %v, want %v", i, got[i], want)
			}
		}
	})
}

// TestRun_KnowsItsSession where the user's nvim-dap changes the configuration.
func TestRun_KnowsItsSession(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `
			require("dap").adapters.alias = require("dap").adapters.fake
			require("dap").listeners.on_config.test = function(config)
				return vim.tbl_extend("force", config, { type = "fake" }, config.rename and { name = "theirs" } or {})
			end
		`)
		run := e.start("run", args{"name": "s", "type": "alias", "request": "launch"})
		e.next()
		run.has("Started debug session 's' with adapter 'fake'")
		run = e.start("run", args{"name": "t", "type": "fake", "request": "launch", "rename": true})
		e.next()
		run.has("Started debug session 'theirs'")
	})
}

// TestTerminate_EndsAFamily also where an adapter leaves a child alone.
func TestTerminate_EndsAFamily(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		root := e.run("root")
		root.send(object{"type": "request", "command": "startDebugging", "arguments": object{
			"request": "launch", "configuration": object{"type": "fake", "name": "child"},
		}})
		child := e.next()
		child.saw("configurationDone")
		e.want("terminate", nil, "Debug session terminated", `"session":1`)
		child.saw("disconnect", `"terminateDebuggee":true`)
		if got := e.want("status", nil); strings.Count(got, `"status":"ended"`) != 2 {
			t.Errorf("not both ended: %s", got)
		}
	})
}

// TestShow_IsNotWaitedForWithoutEnd while the user types.
func TestShow_IsNotWaitedForWithoutEnd(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `require("mcp-tools.tools.dap.wait").show_ms = 50`)
		a := e.paused("s", 2)
		e.keys("o")
		e.eventually(`vim.fn.mode() == "i"`)
		e.want("wait_until_paused", args{"show": true}, "main.fake:2", "Not shown: the user was busy")
		e.want("set_breakpoint", at(3, "show", true), "Set breakpoint", "Not shown: the user was busy")
		if eval[bool](e, `require("claudecode.moment").summary() ~= nil`) {
			t.Error("it is shown all the same, later")
		}
		e.keys("<Esc>")
		a.stop(4, "step")
		e.Lua(nil, `require("mcp-tools.tools.dap.wait").show_ms = 60000`)
		e.want("set_breakpoint", at(5, "show", true), "Set breakpoint")
		e.eventually(`vim.fn.expand("%:t") == "main.fake" and vim.fn.line(".") == 5`)
	})
}

// TestListeners_ThatFailLeaveNvimDapAlone which goes on with the event.
func TestListeners_ThatFailLeaveNvimDapAlone(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		e.Lua(nil, `require("mcp-tools.tools.dap.stops").paused = function() error("broken") end`)
		a.stop(2, "breakpoint")
		e.eventually(`require("dap").session().stopped_thread_id == 1`)
	})
}

// TestResults_AreAsTheirSchemasSay whatever a program does.
func TestResults_AreAsTheirSchemasSay(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		schemas := map[string]*jsonschema.Schema{}
		for tool, text := range eval[map[string]string](e, `(function()
			local all = vim.empty_dict()
			for _, entry in ipairs(require("mcp-tools.registry").catalogue()) do
				all[entry.name] = entry.output_schema
			end
			return all
		end)()`) {
			parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			c := jsonschema.NewCompiler()
			if err := c.AddResource(tool+".json", parsed); err != nil {
				t.Fatal(err)
			}
			schemas[strings.TrimPrefix(tool, "dap_")] = c.MustCompile(tool + ".json")
		}
		check := func(tool string, a args) {
			t.Helper()
			result := e.want(tool, a)
			var value any
			if err := json.Unmarshal([]byte(result), &value); err != nil {
				t.Fatal(err)
			}
			if err := schemas[tool].Validate(value); err != nil {
				t.Errorf("%s: %v in %s", tool, err, result)
			}
		}
		check("program_output", nil)
		a := e.paused("s", 2)
		check("current_location", nil)
		check("current_location", args{"context_lines": 1.5})
		if got := e.want("current_location", args{"context_lines": 1.5}, "   3 | "); strings.Contains(got, "   4 | ") {
			t.Errorf("more than a line behind: %s", got)
		}
		a.event("output", object{"category": "stdout", "output": "one\ntwo\nthree\n"})
		e.want("threads", nil)
		check("program_output", args{"lines": 2.5})
		e.want("program_output", args{"lines": 2.5}, `["two","three"]`)
		check("program_output", args{"category": "terminal", "lines": 2.5})
		a.on("stackTrace", func(r request) {
			source := object{"name": "main.fake", "sourceReference": 3}
			a.respond(r, object{"stackFrames": []object{{"id": 7, "name": "f", "line": 2, "column": 1, "source": source}}})
		})
		a.stop(2, "step")
		if got := e.want("wait_until_paused", nil, "main.fake:2 in f"); strings.Contains(got, "Code context") {
			t.Errorf("the text of another file: %s", got)
		}
		check("current_location", nil)
		a.on("stackTrace", a.answer)
		a.in("")
		a.stop(0, "step")
		e.want("threads", nil)
		check("current_location", nil)
		a.on("evaluate", func(r request) { a.respond(r, object{"result": 7}) })
		e.want("evaluate", args{"expression": "x"}, `"result":"7"`, `"type":"unknown"`, `"variables_reference":0`)
		a.event("terminated", nil)
		e.eventually(`require("dap").session() == nil`)
		check("program_output", nil)
		if len(schemas) != 2 {
			t.Errorf("%d tools have a schema", len(schemas))
		}
	})
}
