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
)

// plugin is the folder of nvim-dap, or of its stand-in.
func plugin(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(PluginVar); dir != "" {
		return dir
	}
	dir, err := filepath.Abs("standin")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// editor is a Neovim with a user and the tools of the debugger.
type editor struct {
	*stage.Editor
	*adapters
	t testing.TB
}

const setup = `
	local folder, relay, address, options = ...
	vim.opt.runtimepath:prepend(folder)
	require("mcp-tools").setup(vim.json.decode(options))
	assert(not package.loaded.dap, "nvim-dap was loaded at start-up")
	answers, tasks = {}, {}
	-- A machine that is busy must not decide a test.
	local call, wait = require("mcp-tools.tools.dap.call"), require("mcp-tools.tools.dap.wait")
	call.request_ms, call.timeout_arg.default, wait.location_ms = 60000, 60000, 60000
	wait.default_ms, wait.args.wait_timeout_ms.default = 60000, 60000
	require("mcp-tools.tools.dap.ending").end_ms = 60000
	function adapt()
		require("dap").adapters.fake = { type = "executable", command = relay, args = { "relay", address } }
	end
	function value(f, ...)
		return vim.json.encode({ f(...) })
	end
`

// program is the text of the file that is debugged.
const program = "one\ntwo\n\tthree\nfour é five\nsix\n"

func open(t testing.TB, nvim string) *editor {
	t.Helper()
	e := &editor{Editor: stage.Open(t, stage.Options{Nvim: nvim, UI: true}), adapters: listen(t), t: t}
	e.prepared(func(a *adapter) { a.file = filepath.Join(e.Project, "main.fake") })
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e.Lua(nil, setup, plugin(t), binary, e.listen.Addr().String(), `{"tools":{"dap":true}}`)
	e.Lua(nil, `adapt()`)
	e.Write("main.fake", program)
	e.Write("notes.txt", "notes\n")
	e.Command("edit notes.txt")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("messages: %s", e.Messages())
		}
	})
	return e
}

// each runs f in each Neovim.
func each(t *testing.T, f func(t *testing.T, e *editor)) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) { f(t, open(t, nvim)) })
}

type args = map[string]any

// call is one of a tool.
type call struct {
	e    *editor
	n    int
	tool string
}

// start calls a tool.
func (e *editor) start(tool string, a args) *call {
	e.t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		e.t.Fatal(err)
	}
	if a == nil {
		text = []byte("{}")
	}
	c := &call{e: e, tool: tool}
	e.Lua(&c.n, `
		local name, args = ...
		local n = #tasks + 1
		tasks[n] = false
		local function took(outcome)
			answers[n] = vim.json.encode(outcome.error and { error = outcome.error } or { result = outcome.result })
		end
		local outcome = require("mcp-tools.registry").execute(name, vim.json.decode(args), { on_done = took })
		if outcome.pending then
			tasks[n] = outcome.task_id
		else
			took(outcome)
		end
		return n
	`, "dap_"+tool, string(text))
	return c
}

// answered is what a call came to, or not yet.
func (c *call) answered() string {
	c.e.t.Helper()
	var text string
	c.e.Lua(&text, `return answers[...] or ""`, c.n)
	return text
}

// result waits for the result, as JSON, or the error.
func (c *call) result() (result, err string) {
	c.e.t.Helper()
	var text string
	nvimtest.Eventually(c.e.t, c.tool+" answers", func() bool {
		text = c.answered()
		return text != ""
	})
	var got struct {
		Error  *string
		Result json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		c.e.t.Fatalf("%v: %s", err, text)
	}
	if got.Error != nil {
		return "", *got.Error
	}
	return string(got.Result), ""
}

// has waits for a result that has all parts.
func (c *call) has(parts ...string) string {
	c.e.t.Helper()
	result, err := c.result()
	if err != "" {
		c.e.t.Errorf("%s: the error %s", c.tool, err)
		return result
	}
	plain := strings.ReplaceAll(result, `\/`, "/")
	for _, part := range parts {
		if !strings.Contains(plain, part) {
			c.e.t.Errorf("%s: no %s in %s", c.tool, part, plain)
		}
	}
	return plain
}

// fails waits for an error.
func (c *call) fails(want string) {
	c.e.t.Helper()
	if result, err := c.result(); err != want {
		c.e.t.Errorf("%s: the error %q, %s; want %q", c.tool, err, result, want)
	}
}

// cancel tells the call that nobody waits for it any more.
func (c *call) cancel() {
	c.e.t.Helper()
	c.e.Lua(nil, `require("mcp-tools.registry").cancel_task(tasks[...])`, c.n)
}

// want calls a tool whose result has all parts.
func (e *editor) want(tool string, a args, parts ...string) string {
	e.t.Helper()
	return e.start(tool, a).has(parts...)
}

// refused calls a tool that fails.
func (e *editor) refused(tool string, a args, want string) {
	e.t.Helper()
	e.start(tool, a).fails(want)
}

// run starts a session.
func (e *editor) run(name string) *adapter {
	e.t.Helper()
	c := e.start("run", args{"name": name, "type": "fake", "request": "launch"})
	a := e.next()
	c.has("Started debug session '" + name + "' with adapter 'fake'")
	e.ready(a)
	return a
}

// ready waits until a session's program runs, which the editor must have heard of.
func (e *editor) ready(a *adapter) {
	e.t.Helper()
	a.saw("configurationDone")
	e.eventually(`require("dap").session() ~= nil and require("dap").session().initialized`)
}

// paused starts a session whose program is paused.
func (e *editor) paused(name string, line int) *adapter {
	e.t.Helper()
	a := e.run(name)
	a.stop(line, "breakpoint")
	e.want("wait_until_paused", nil, `"success":true`)
	return a
}

// eval is the value of a Lua expression.
func eval[T any](e *editor, expression string, a ...any) (v T) {
	e.t.Helper()
	e.Lua(&v, "return "+expression, a...)
	return v
}

// eventually waits until a Lua expression is true.
func (e *editor) eventually(expression string, a ...any) {
	e.t.Helper()
	nvimtest.Eventually(e.t, expression, func() bool { return eval[bool](e, expression, a...) })
}

// keys types.
func (e *editor) keys(keys string) {
	e.t.Helper()
	if _, err := e.Input(keys); err != nil {
		e.t.Fatal(err)
	}
}
