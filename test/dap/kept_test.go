// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
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

// question tells whether the window that asks is the current one.
const question = `vim.bo.filetype == "claudecode-permission"`

// TestConditions_AreAskedAboutAsEveryOtherCall because the program evaluates them: the question has every
// answer, rules lift it, and the audit log has it.
func TestConditions_AreAskedAboutAsEveryOtherCall(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.permit(`nil`)
		log := filepath.Join(e.Project, "audit.jsonl")
		e.Lua(nil, `
			require("mcp-tools.choose").grace_ms = 0
			require("mcp-tools.registry").get("dap_set_breakpoint").ide = true -- for a client of the IDE socket
			require("mcp-tools.config").setup({ audit = { enabled = true, file = ... } })
		`, log)
		_, client := e.Serve()
		set := func(a args) (done func() string) {
			t.Helper()
			answer, ctx := make(chan string, 1), stage.Within(t)
			go func() {
				result, err := client.Call(ctx, "dap_set_breakpoint", a)
				if err != nil {
					answer <- err.Error()
					return
				}
				answer <- result.Content[0].Text
			}()
			return func() string { return <-answer }
		}
		expect := func(got, want string) {
			t.Helper()
			if !strings.Contains(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
		}
		expect(set(at(1))(), "Set breakpoint")
		expect(set(at(1, "condition", ""))(), "Set breakpoint")
		denied := set(at(2, "hit_condition", "f()"))
		e.eventually(question)
		said := eval[string](e, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false))`)
		for _, part := range []string{"dap_set_breakpoint", `"hit_condition":"f()"`, "the default of dap_set_breakpoint"} {
			expect(said, part)
		}
		if n := eval[int](e, `#require("dap.breakpoints").get(vim.fn.bufnr("main.fake"))[vim.fn.bufnr("main.fake")]`); n != 1 {
			t.Errorf("%d breakpoints while the user is asked", n)
		}
		e.keys("4")
		expect(denied(), "the user denied dap_set_breakpoint")
		// One answer is enough for as long as the client is there.
		allowed := set(at(2, "condition", "x"))
		e.eventually(question)
		e.keys("2")
		expect(allowed(), "Set breakpoint")
		expect(set(at(3, "log_message", "{x}"))(), "Set logpoint")
		nvimtest.Eventually(t, "all of it is in the audit log", func() bool {
			text, _ := os.ReadFile(log)
			return strings.Count(string(text), "\n") == 5 && strings.Contains(string(text), `"deny"`) && strings.Contains(string(text), `"session"`)
		})
	})
}
