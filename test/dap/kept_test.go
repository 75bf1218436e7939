// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"path/filepath"
	"strings"
	"testing"
)

// permit sets the user's rules, which are Lua.
func (e *editor) permit(rules string) {
	e.t.Helper()
	e.Lua(nil, `require("mcp-tools.config").options.permissions = `+rules)
}

// TestContext_OfAFileThatARuleClosesIsKept whichever tool comes upon it.
func TestContext_OfAFileThatARuleClosesIsKept(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.run("s")
		e.Lua(nil, `vim.fn.mkdir("Closed")`)
		e.Write("Closed/plan.fake", "hidden\nhidden\nhidden\n")
		e.Lua(nil, `vim.uv.fs_symlink("Closed/plan.fake", "link.fake")`)
		for name, c := range map[string]struct {
			rule string
			kept bool
		}{
			"a folder":         {`{ tool = "*", path = "**/closed", action = "deny" }`, true},
			"all in a folder":  {`{ tool = "nvim_dap_*", path = { "/nowhere", "**/Closed/**" }, action = "ask" }`, true},
			"a name":           {`{ tool = "*", path = "**/pl?n.*", action = "deny" }`, true},
			"several folders":  {`{ tool = "*", path = "/**/Clo*/**/plan.fake", action = "deny" }`, true},
			"everything":       {`{ tool = "*", path = "**", action = "ask" }`, true},
			"another folder":   {`{ tool = "*", path = "**/Closed2", action = "deny" }`, false},
			"another tool":     {`{ tool = "nvim_buffers_*", path = "**", action = "deny" }`, false},
			"what it may read": {`{ tool = "*", path = "**", action = "allow" }`, false},
		} {
			e.permit("{ " + c.rule + " }")
			for _, file := range []string{"Closed/plan.fake", "link.fake"} {
				a.in(filepath.Join(e.Project, file))
				a.stop(2, "step")
				wait := e.want("wait_until_paused", nil, file+":2")
				e.eventually(`vim.endswith(vim.tbl_get(require("dap").session(), "current_frame", "source", "path") or "", ...)`, file)
				for tool, got := range map[string]string{"wait": wait, "location": e.want("current_location", nil, file)} {
					if hidden := !strings.Contains(got, "hidden"); hidden != c.kept {
						t.Errorf("%s, %s of %s: %s", name, tool, file, got)
					} else if c.kept && !strings.Contains(got, "is withheld (the rule") {
						t.Errorf("%s, %s does not say why: %s", name, tool, got)
					}
				}
				a.on("continue", func(r request) { a.respond(r, object{"allThreadsContinued": true}) })
				e.want("continue", nil)
			}
		}
	})
}

const needsConsent = `. The user can allow it with the option permissions of mcp-tools, for example { ["nvim_dap_set_breakpoint"] = "allow" }`

// TestConditions_AreAskedAboutAsExpressionsAre because the program evaluates them.
func TestConditions_AreAskedAboutAsExpressionsAre(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.permit(`nil`)
		e.Lua(nil, `vim.ui.select = function(items, options, done) asked, answer = options.prompt, done end`)
		e.want("set_breakpoint", at(1), "Set breakpoint")
		e.want("set_breakpoint", at(1, "condition", ""), "Set breakpoint")
		for i, argument := range []string{"condition", "hit_condition", "log_message"} {
			e.Lua(nil, `asked = nil`)
			set := e.start("set_breakpoint", at(2, argument, "f()"))
			e.eventually(`asked == "Have the program evaluate at main.fake:2: f()"`)
			if n := eval[int](e, `#require("dap.breakpoints").get(vim.fn.bufnr("main.fake"))[vim.fn.bufnr("main.fake")]`); n != 1 {
				t.Errorf("%d breakpoints while the user is asked", n)
			}
			if i == 2 {
				e.Lua(nil, `answer("Allow once", 1)`)
				set.has("Set logpoint")
				continue
			}
			e.Lua(nil, `answer(nil)`)
			set.fails("nvim_dap_set_breakpoint was denied: the user said no" + needsConsent)
		}
		e.Lua(nil, `asked, require("mcp-tools.tools.dap.consent").answer_ms = nil, 20`)
		e.refused("set_breakpoint", at(3, "condition", "x"), "nvim_dap_set_breakpoint was denied: the user has not answered"+needsConsent)
		e.Lua(nil, `require("mcp-tools.tools.dap.consent").answer_ms = 60000`)
		for rule, asks := range map[string]bool{
			`["nvim_dap_evaluate"] = "allow"`:                                         false,
			`["dap_set_breakpoint"] = "ask"`:                                          false, // the daemon has
			`{ tool = "*", path = "**/main.fake", action = "allow" }`:                 false,
			`{ tool = "nvim_dap_*", path = "**/other.fake", action = "allow" }`:       true,
			`["nvim_dap_evaluate"] = "deny"`:                                          true,
			`["nvim_buffers_read"] = "allow"`:                                         true,
			`{ tool = "nvim_dap_evaluate", path = "**/main.fake", action = "allow" }`: true,
		} {
			e.permit("{ " + rule + " }")
			e.Lua(nil, `asked = nil`)
			set := e.start("set_breakpoint", at(4, "condition", "x"))
			if asks {
				e.eventually(`asked ~= nil`)
				set.cancel()
				continue
			}
			set.has("Set breakpoint")
			if eval[bool](e, `asked ~= nil`) {
				t.Errorf("%s: the user was asked", rule)
			}
		}
		e.permit(`nil`)
		e.Lua(nil, `vim.api.nvim_list_uis = function() return {} end`)
		e.refused("set_breakpoint", at(3, "condition", "x"),
			"nvim_dap_set_breakpoint was denied: nobody is there to be asked whether the program may evaluate x"+needsConsent)
	})
}
