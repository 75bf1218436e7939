// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package health tests what the plugin says of itself: the chain that :checkhealth walks,
// the view of :ClaudeCodeStatus, the word for the status line, and what is told once.
package health

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// desk is an editor that may have a server and a client.
type desk struct {
	*stage.Editor
	t      *testing.T
	lock   claude.Lock
	client *claude.Client
	// hurried has the report wait no longer than for users: what it asks does not answer.
	hurried bool
}

// open starts an editor whose Claude is a program of the test's, see program.
func open(t *testing.T, o stage.Options) *desk {
	t.Helper()
	if o.Env == nil {
		o.Env = stage.Environment(t)
	}
	setup := map[string]any{"terminal_cmd": "~/claude --some argument"}
	for name, value := range o.Setup {
		setup[name] = value
	}
	o.Setup = setup
	d := &desk{Editor: stage.Open(t, o), t: t}
	d.program("echo '2.1.332 (Claude Code)'")
	return d
}

// serve is open with a server and a client.
func serve(t *testing.T, o stage.Options) *desk {
	t.Helper()
	d := open(t, o)
	d.lock, d.client = d.Serve()
	d.eventually("the editor knows the client", `require("claudecode").is_claude_connected()`)
	return d
}

// program is what the editor's user has for Claude.
func (d *desk) program(script string) {
	d.t.Helper()
	path := filepath.Join(nvimtest.Lookup(d.Env, "HOME"), "claude")
	if err := nvimtest.WriteProgram(path, "#!/bin/sh\n"+script+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

// value is what a Lua expression evaluates to.
func value[T any](d *desk, expression string, args ...any) T {
	d.t.Helper()
	var result T
	d.Lua(&result, "return "+expression, args...)
	return result
}

func (d *desk) eventually(what, expression string) {
	d.t.Helper()
	nvimtest.Eventually(d.t, what, func() bool { return value[bool](d, "("+expression+") == true") })
}

// patience has the report wait for what is asked as long as a machine that is busy may need,
// unless that is hurried.
const patience = `
	local hurried = ...
	for _, part in ipairs({ "claude", "handshake", "program", "server" }) do
		local module = require("claudecode.health." .. part)
		module.users_ms = module.users_ms or module.timeout_ms
		module.timeout_ms = hurried and module.users_ms or 20000
	end
`

// report is what :checkhealth says. It never says the token, nor takes long.
func (d *desk) report() string {
	d.t.Helper()
	d.Lua(nil, patience, d.hurried)
	began := time.Now()
	text := value[string](d, `(function()
		vim.cmd("checkhealth claudecode")
		local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
		vim.cmd.bwipeout()
		return table.concat(lines, "\n")
	end)()`)
	// The bound is 2 s; the rest is for a machine that is busy.
	if took := time.Since(began); took > 30*time.Second {
		d.t.Errorf("it took %v", took)
	}
	if d.lock.AuthToken != "" && strings.Contains(text, d.lock.AuthToken) {
		d.t.Error("the report has the token")
	}
	return text
}

// says checks that parts are in the report.
func (d *desk) says(parts ...string) string {
	d.t.Helper()
	report := d.report()
	for _, part := range parts {
		if !strings.Contains(report, part) {
			d.t.Errorf("%q is not in:\n%s", part, report)
		}
	}
	return report
}

// stop stops the daemon's process, until resume or the end of the test.
func (d *desk) stop() (resume func()) {
	d.t.Helper()
	_, daemon := d.PIDs()
	stage.Suspend(d.t, daemon)
	d.hurried = true
	resume = func() {
		_ = syscall.Kill(daemon, syscall.SIGCONT)
		d.hurried = false
	}
	d.t.Cleanup(resume)
	return resume
}

// call runs a tool and drops what comes of it.
func (d *desk) call(tool string, arguments any) {
	d.t.Helper()
	_, _ = d.client.Call(stage.Within(d.t), tool, arguments)
}

// begin starts a call that may never end.
func (d *desk) begin(tool string, arguments any) {
	d.t.Helper()
	ctx := stage.Within(d.t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = d.client.Call(ctx, tool, arguments)
	}()
	d.t.Cleanup(func() { <-done })
}

// diff proposes a change of a file.
func (d *desk) diff(name string) map[string]any {
	path := d.Write(name, "one\n")
	return map[string]any{
		"old_file_path": path, "new_file_path": path, "new_file_contents": "two\n", "tab_name": "✻ " + name,
	}
}
