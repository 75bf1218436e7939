// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package policy tests who may call what: rules, the question to the user, the audit log and
// the view of what clients do, in real Neovims called by real clients.
package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// desk is an editor with tools that note what they got, and a client.
type desk struct {
	*stage.Editor
	t      *testing.T
	lock   claude.Lock
	client *claude.Client
}

// tools are run, which takes anything, look, whose argument is a file, and slow, which
// answers when it is told to. ran has what each of them got.
const tools = `
	ran = {}
	local function tool(name, more)
		require("mcp-tools").register(vim.tbl_extend("force", {
			name = name, description = name, ide = true, args = {},
			execute = function(cb, args)
				table.insert(ran, { name, args })
				cb("did " .. name)
			end,
		}, more or {}))
	end
	tool("run")
	tool("look", { args = { path = { type = "string" }, bufnr = { type = "integer" } } })
	tool("careful", { policy = "ask" })
	require("mcp-tools").setup(vim.json.decode(...))
`

// open starts an editor with options of mcp-tools, a server and a client. Windows that ask
// take answers at once.
func open(t *testing.T, o stage.Options, options string) *desk {
	t.Helper()
	d := &desk{Editor: stage.Open(t, o), t: t}
	d.Lua(nil, `require("mcp-tools.choose").grace_ms = 0`)
	d.Lua(nil, tools, options)
	d.lock, d.client = d.Serve()
	return d
}

func withUI(nvim string) stage.Options { return stage.Options{Nvim: nvim, UI: true} }

// eval is what a Lua expression yields.
func eval[T any](d *desk, expression string) T {
	d.t.Helper()
	var result T
	d.Lua(&result, "return "+expression)
	return result
}

// eventually polls a Lua expression until it is true.
func (d *desk) eventually(expression string) {
	d.t.Helper()
	nvimtest.Eventually(d.t, expression, func() bool { return eval[bool](d, expression) })
}

// types presses keys.
func (d *desk) types(keys string) {
	d.t.Helper()
	if _, err := d.Input(keys); err != nil {
		d.t.Fatal(err)
	}
}

// settled waits until the daemon has read what the editor told it before.
func (d *desk) settled() {
	d.t.Helper()
	d.Lua(nil, `settled = nil require("claudecode.inquiry").ask(function() settled = true end)`)
	d.eventually(`settled == true`)
}

// offers waits until the client is offered a tool that was registered meanwhile.
func (d *desk) offers(tool string) {
	d.t.Helper()
	nvimtest.Eventually(d.t, tool+" is offered", func() bool {
		list, err := d.client.Tools(stage.Within(d.t))
		if err != nil {
			d.t.Fatal(err)
		}
		return slices.ContainsFunc(list, func(t claude.Tool) bool { return t.Name == tool })
	})
}

// ran is what the tools got, as JSON.
func (d *desk) ran() string { return eval[string](d, `vim.json.encode(ran)`) }

// question is the window that asks.
const question = `vim.iter(vim.api.nvim_list_wins()):find(function(win)
	return vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "claudecode-permission"
end)`

// asked waits for the window that asks, and returns what it says.
func (d *desk) asked() string {
	d.t.Helper()
	d.eventually(`(` + question + `) == vim.api.nvim_get_current_win()`)
	return eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
}

// quiet checks that no window asks.
func (d *desk) quiet() {
	d.t.Helper()
	d.eventually(`(` + question + `) == nil`)
}

// pending is a call that is on its way.
type pending struct {
	t      *testing.T
	answer chan string
}

func call(t *testing.T, client *claude.Client, tool string, arguments any) *pending {
	t.Helper()
	ctx := stage.Within(t)
	p := &pending{t, make(chan string, 1)}
	go func() {
		result, err := client.Call(ctx, tool, arguments)
		if err != nil {
			p.answer <- err.Error()
			return
		}
		p.answer <- result.Content[0].Text
	}()
	return p
}

func (d *desk) call(tool string, arguments any) *pending {
	d.t.Helper()
	return call(d.t, d.client, tool, arguments)
}

// says waits for an answer that says what is wanted.
func (p *pending) says(want ...string) {
	p.t.Helper()
	got := <-p.answer
	for _, w := range want {
		if !strings.Contains(got, w) {
			p.t.Fatalf("answered %q, not %q", got, w)
		}
	}
}

// waits checks that nothing was answered.
func (p *pending) waits() {
	p.t.Helper()
	select {
	case got := <-p.answer:
		p.t.Fatalf("it did not wait: %s", got)
	default:
	}
}

// object is arguments.
type object map[string]any

// options are those of mcp-tools as JSON.
func options(permissions any) string {
	text, err := json.Marshal(object{"permissions": permissions})
	if err != nil {
		panic(fmt.Sprint(err))
	}
	return string(text)
}
