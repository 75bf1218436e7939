// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// helpers are what a test's Lua code has: propose() asks for a diff as a client, answers
// has what came of each by name, events what ClaudeCodeDiff* said.
const helpers = stage.Layout + `
	answers, events = {}, {}
	function propose(name, path, text, client)
		answers[name] = {}
		drop = require("claudecode.diff").propose({
			tab_name = name, old_path = path, new_path = path, text = text, client = client,
		}, function(result, err)
			local said = err and { err.code, err.message, err.data } or vim.tbl_map(function(item)
				return item.text
			end, result.content)
			table.insert(answers[name], said)
		end)
	end
	for _, name in ipairs({ "Opened", "Closed" }) do
		vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeDiff" .. name, callback = function(event)
			table.insert(events, { name, event.data })
		end })
	end
	function buffers()
		return vim.tbl_map(function(buf)
			return vim.fs.basename(vim.api.nvim_buf_get_name(buf)) .. (vim.bo[buf].modified and "+" or "")
		end, vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs()))
	end
`

// editor is a Neovim in which diffs are shown.
type editor struct {
	*stage.Editor
	t testing.TB
}

// open starts one with the files f.txt and g.txt, of which the first is shown.
func open(t *testing.T, nvim string, diffOptions map[string]any) *editor {
	t.Helper()
	if diffOptions == nil {
		diffOptions = map[string]any{}
	}
	e := &editor{t: t, Editor: stage.Open(t, stage.Options{
		Nvim: nvim, UI: true, Setup: map[string]any{"diff_opts": diffOptions},
	})}
	e.Lua(nil, helpers)
	e.write("f.txt", "one\ntwo\nthree\n")
	e.write("g.txt", "other\n")
	e.Command("set columns=160 lines=40")
	e.Command("edit f.txt")
	return e
}

// write writes a file of the project.
func (e *editor) write(name, text string) string {
	e.t.Helper()
	path := filepath.Join(e.Project, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}

// propose asks for a diff as a client and waits until it is shown.
func (e *editor) propose(name, file, text string, client ...any) {
	e.t.Helper()
	e.ask(name, file, text, client...)
	e.until("the diff "+name+" is open", `vim.iter(events):any(function(event)
		return event[1] == "Opened" and event[2].tab_name == `+quote(name)+`
	end)`)
}

// ask asks for a diff.
func (e *editor) ask(name, file, text string, client ...any) {
	e.t.Helper()
	args := append([]any{name, filepath.Join(e.Project, file), text}, client...)
	e.Lua(nil, `propose(...)`, args...)
}

// until waits until a Lua expression holds.
func (e *editor) until(what, expression string) {
	e.t.Helper()
	nvimtest.Eventually(e.t, what, func() (holds bool) {
		e.Lua(&holds, `return not not (`+expression+`)`)
		return holds
	})
}

// value is what a Lua expression is.
func (e *editor) value(expression string) (text string) {
	e.t.Helper()
	e.Lua(&text, `local value = `+expression+`
		return type(value) == "string" and value or line(value)`)
	return text
}

// expect compares what a Lua expression is.
func (e *editor) expect(expression, want string) {
	e.t.Helper()
	if got := e.value(expression); got != want {
		e.t.Errorf("%s is\n\t%s, want\n\t%s", expression, got, want)
	}
}

// expectSoon waits until a Lua expression has a value.
func (e *editor) expectSoon(expression, want string) {
	e.t.Helper()
	var got string
	deadline := 0
	nvimtest.Eventually(e.t, expression+" is "+want, func() bool {
		got = e.value(expression)
		if deadline++; got != want && deadline == 40 {
			e.t.Logf("%s is still %s", expression, got)
		}
		return got == want
	})
}

// keys types keys, <> as in mappings.
func (e *editor) keys(keys string) {
	e.t.Helper()
	if _, err := e.Input(keys); err != nil {
		e.t.Fatal(err)
	}
}

// enter moves the cursor into the proposed window.
func (e *editor) enter() {
	e.t.Helper()
	e.Lua(nil, `
		local win = events[#events][2].diff_window
		vim.api.nvim_set_current_win(win)
	`)
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// each runs f for each Neovim and each of the layouts.
func each(t *testing.T, layouts []string, f func(t *testing.T, nvim, layout string)) {
	t.Helper()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, layout := range slices.Sorted(slices.Values(layouts)) {
			t.Run(layout, func(t *testing.T) { f(t, nvim, layout) })
		}
	})
}

var native = []string{"vertical", "horizontal"}

// soon waits until a Lua expression is a text, and returns the last one.
func (e *editor) soon(expression, want string) (got string, ok bool) {
	e.t.Helper()
	for range 1200 {
		if mode, err := e.Mode(); err == nil && mode.Blocking {
			return "a prompt in mode " + mode.Mode, false
		}
		if got = e.value(expression); got == want {
			return got, true
		}
		<-time.After(25 * time.Millisecond)
	}
	return got, false
}

// read is a file of the project, empty if there is none.
func (e *editor) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(e.Project, name))
	return string(text)
}

// terminal opens a terminal that runs Claude, as far as anybody can tell, and goes there.
func (e *editor) terminal() {
	e.t.Helper()
	path := e.write("claude", "#!/bin/sh\nexec cat\n")
	if err := os.Chmod(path, 0o700); err != nil {
		e.t.Fatal(err)
	}
	e.Command("botright 40vsplit | terminal ./claude")
}
