// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package moment tests that tools which open windows wait until the user has stopped
// typing: in real Neovims with a user interface, called by real clients.
package moment

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// desk is an editor that a client works with.
type desk struct {
	*stage.Editor
	t      *testing.T
	lock   claude.Lock
	client *claude.Client
}

// open starts an editor with a user interface and a server, which code that runs before
// may have given tools.
func open(t *testing.T, nvim string, code ...string) *desk {
	t.Helper()
	return serve(stage.Open(t, stage.Options{Nvim: nvim, UI: true}), t, code...)
}

func serve(e *stage.Editor, t *testing.T, code ...string) *desk {
	t.Helper()
	for _, c := range code {
		e.Lua(nil, c)
	}
	lock, client := e.Serve()
	return &desk{e, t, lock, client}
}

// types presses keys.
func (d *desk) types(keys string) {
	d.t.Helper()
	if _, err := d.Input(keys); err != nil {
		d.t.Fatal(err)
	}
}

// typing presses keys and waits for the mode they lead to.
func (d *desk) typing(keys, mode string) {
	d.t.Helper()
	d.types(keys)
	nvimtest.Eventually(d.t, "the mode is "+mode, func() bool {
		m, err := d.Mode()
		return err == nil && m.Mode == mode
	})
}

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

// shown is the name of the file in the current window.
const shown = `vim.fs.basename(vim.api.nvim_buf_get_name(0))`

// waits waits until n calls do, for a reason.
func (d *desk) waits(n int, reason string) {
	d.t.Helper()
	d.eventually(fmt.Sprintf(`(function(s) return vim.startswith(s, "%d call") and s:find(%q, 1, true) ~= nil end)(
		require("claudecode.moment").summary() or "")`, n, reason))
}

// pending is a call that is on its way.
type pending struct {
	t      *testing.T
	answer chan answer
}

type answer struct {
	text string
	err  error
}

// call starts a call.
func (d *desk) call(tool string, arguments map[string]any) *pending {
	d.t.Helper()
	ctx := stage.Within(d.t)
	p := &pending{d.t, make(chan answer, 1)}
	go func() {
		result, err := d.client.Call(ctx, tool, arguments)
		a := answer{err: err}
		if err == nil {
			a.text = result.Content[0].Text
		}
		p.answer <- a
	}()
	return p
}

// openFile asks for a file of the project.
func (d *desk) openFile(name string, more ...any) *pending {
	d.t.Helper()
	arguments := map[string]any{"filePath": d.Write(name, "one two\nthree\n")}
	for i := 0; i < len(more); i += 2 {
		arguments[more[i].(string)] = more[i+1]
	}
	return d.call("openFile", arguments)
}

// waiting checks that nothing was answered.
func (p *pending) waiting() {
	p.t.Helper()
	select {
	case a := <-p.answer:
		p.t.Fatalf("it did not wait: %s, %v", a.text, a.err)
	default:
	}
}

// answers waits for an answer that says what is wanted.
func (p *pending) answers(want string) {
	p.t.Helper()
	a := <-p.answer
	if a.err != nil || !strings.Contains(a.text, want) {
		p.t.Fatalf("answered %s, %v", a.text, a.err)
	}
}

// fails waits for an error that says what is wanted.
func (p *pending) fails(want string) {
	p.t.Helper()
	a := <-p.answer
	if a.err == nil || !strings.Contains(a.err.Error(), want) {
		p.t.Fatalf("answered %s, %v", a.text, a.err)
	}
}
