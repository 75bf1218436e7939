// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package lsp tests the tools of the categories lsp and diagnostics in real Neovims with
// language servers that do as they are told.
package lsp

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

//go:embed server.lua
var servers string

// asked is an editor that has the tools.
type asked struct {
	*stage.Editor
	t *testing.T
}

// open opens f.fake, with a text, in an editor that has the tools; begin is Lua that starts
// servers, with S the table of server.lua.
func open(t *testing.T, nvim, text, begin string) *asked {
	t.Helper()
	e := &asked{stage.Open(t, stage.Options{Nvim: nvim}), t}
	e.prepare(text, begin)
	return e
}

func (e *asked) prepare(text, begin string) {
	e.t.Helper()
	e.Lua(nil, `
		S = load((...))()
		vim.filetype.add({ extension = { fake = "fake" } })
		require("claudecode.tools").setup()
		for _, family in ipairs({ "lsp", "diagnostics" }) do
			for _, tool in ipairs(require("mcp-tools.tools." .. family)) do
				require("mcp-tools").register(tool)
			end
		end
	`, servers)
	e.Write("f.fake", text)
	e.Command("edit f.fake")
	e.Lua(nil, begin)
}

// begin calls a tool, which is given so many milliseconds.
func (e *asked) begin(tool string, arguments map[string]any, ms int) {
	e.t.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	e.Lua(nil, `
		local name, args, ms = ...
		answer, task = nil, nil
		local function took(outcome)
			answer = vim.json.encode(outcome.error and { error = outcome.error } or { result = outcome.result })
		end
		local outcome = require("mcp-tools.registry").execute(name, args, { on_done = took, remaining_ms = ms })
		task = outcome.task_id
		if not outcome.pending then
			took(outcome)
		end
	`, tool, arguments, ms)
}

// answered is what a call came to.
type answered struct {
	result any      // with only notes taken off
	notes  []string // texts behind the result
	err    string
}

func (e *asked) answer() answered {
	e.t.Helper()
	var text string
	e.t.Cleanup(func() {
		if e.t.Failed() {
			e.t.Logf("messages: %s", e.Messages())
		}
	})
	nvimtest.Eventually(e.t, "the tool answers", func() bool {
		e.Lua(&text, `return answer or ""`)
		return text != ""
	})
	var got struct {
		Error  any
		Result any
	}
	decode(e.t, text, &got)
	if got.Error != nil {
		return answered{err: got.Error.(string)}
	}
	result, _ := got.Result.(map[string]any)
	content, ok := result["content"].([]any)
	if !ok {
		return answered{result: got.Result}
	}
	all := answered{}
	for i, item := range content {
		text := item.(map[string]any)["text"].(string)
		if i > 0 {
			all.notes = append(all.notes, strings.Split(text, "\n")...)
			continue
		}
		decode(e.t, text, &all.result)
	}
	return all
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

const patient = 12000

// ask calls a tool and waits for what it answers.
func (e *asked) ask(tool string, arguments map[string]any) answered {
	e.t.Helper()
	e.begin(tool, arguments, patient)
	return e.answer()
}

// expect checks the result of a call, in JSON, and that there are no notes.
func (e *asked) expect(tool string, arguments map[string]any, want string) {
	e.t.Helper()
	e.expectAll(tool, arguments, want)
}

// expectAll checks the result of a call, in JSON, and its notes.
func (e *asked) expectAll(tool string, arguments map[string]any, want string, notes ...string) {
	e.t.Helper()
	got := e.ask(tool, arguments)
	if got.err != "" {
		e.t.Errorf("%s %v: %s", tool, arguments, got.err)
		return
	}
	var wanted any
	decode(e.t, want, &wanted)
	if diff := cmp.Diff(wanted, got.result); diff != "" {
		e.t.Errorf("%s %v: %s", tool, arguments, diff)
	}
	if diff := cmp.Diff(notes, got.notes); diff != "" {
		e.t.Errorf("%s %v, notes: %s", tool, arguments, diff)
	}
}

// refused checks the error of a call.
func (e *asked) refused(tool string, arguments map[string]any, want string) {
	e.t.Helper()
	if got := e.ask(tool, arguments); got.err != want {
		e.t.Errorf("%s %v: %q, %v; not the error %q", tool, arguments, got.err, got.result, want)
	}
}

type args = map[string]any
