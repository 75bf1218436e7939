// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"os"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// editor is a Neovim with a user, all families of tools, and a client of theirs.
type editor struct {
	*stage.Editor
	*client

	t testing.TB
}

// setup switches the families on, and lets them do what they like.
const setup = `
	local options = vim.tbl_deep_extend("force", {
		tools = { buffers = true, undo = true, test = true, interview = true, exec = true },
		edits = "direct",
	}, vim.json.decode(...))
	options.permissions = options.permissions or { ["*"] = "allow" }
	require("mcp-tools").setup(options)
`

// open opens an editor with more options of mcp-tools, in JSON, and a user that the test plays.
func open(t testing.TB, nvim, options string) *editor {
	t.Helper()
	return openWith(t, nvim, options, proposer)
}

// openWith opens an editor in which Lua runs before its tools are offered.
func openWith(t testing.TB, nvim, options, lua string) *editor {
	t.Helper()
	e := &editor{Editor: stage.Open(t, stage.Options{Nvim: nvim, UI: true}), t: t}
	e.Lua(nil, setup, options)
	e.Lua(nil, lua)
	e.Command("ClaudeCodeStart")
	e.client = dial(t, stage.Find(t, e.Env))
	return e
}

// each runs f in each Neovim.
func each(t *testing.T, options string, f func(t *testing.T, e *editor)) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		f(t, open(t, nvim, options))
	})
}

// eval is the value of a Lua expression.
func eval[T any](e *editor, expression string, a ...any) (v T) {
	e.t.Helper()
	e.Lua(&v, "return "+expression, a...)
	return v
}

// edit opens a file with a text in the current window.
func (e *editor) edit(name, text string) string {
	e.t.Helper()
	path := e.Write(name, text)
	e.Lua(nil, `vim.cmd.edit({ (...), magic = { file = false } })`, path)
	return path
}

// read is what a file holds.
func (e *editor) read(path string) string {
	e.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	return string(text)
}

// file checks what a file holds.
func (e *editor) file(path, want string) {
	e.t.Helper()
	if got := e.read(path); got != want {
		e.t.Errorf("%s is %q, want %q", path, got, want)
	}
}

// keys types.
func (e *editor) keys(keys string) {
	e.t.Helper()
	if _, err := e.Input(keys); err != nil {
		e.t.Fatal(err)
	}
}

// eventually waits until a Lua expression is true.
func (e *editor) eventually(expression string, a ...any) {
	e.t.Helper()
	nvimtest.Eventually(e.t, expression, func() bool { return eval[bool](e, expression, a...) })
}
