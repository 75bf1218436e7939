// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package lua_test tests the plugin's Lua in real Neovim children.
//
// The test binary is also the daemon that most of them launch: one that does as
// the test says, see fake_test.go.
package lua_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/neovim/go-client/nvim"
	"go.uber.org/goleak"

	"claudecoded/test/nvimtest"
)

func TestMain(m *testing.M) {
	if behaviour := os.Getenv(behaviourVar); behaviour != "" {
		os.Exit(fake(behaviour))
	}
	goleak.VerifyTestMain(m)
}

// editor is a Neovim child with the plugin, and what the fake daemon it launches
// was told.
type editor struct {
	*nvim.Nvim
	t   *testing.T
	env []string
	log string
}

// options of an editor; the zero value has no user interface and a fake daemon
// that becomes ready.
type options struct {
	ui        bool
	behaviour string
	env       []string
	args      []string
}

func start(t *testing.T, binary string, o options) *editor {
	t.Helper()
	if o.behaviour == "" {
		o.behaviour = "ready"
	}
	env := nvimtest.Env(t)
	log := filepath.Join(nvimtest.Dir(t), "told")
	env = append(env, behaviourVar+"="+o.behaviour, logVar+"="+log)
	env = append(env, o.env...)
	v := nvimtest.Start(t, nvimtest.Options{Nvim: binary, Env: env, UI: o.ui, Args: o.args})
	e := &editor{Nvim: v, t: t, env: env, log: log}
	// What the user would see, whole, and the fake daemon as the program to run.
	e.lua(nil, `
		notified, builtin_notify = {}, vim.notify
		vim.notify = function(text, level)
			table.insert(notified, { level = level, text = text })
		end
		fake = { auto_start = false, daemon = { cmd = { ... } } }
	`, testBinary(t))
	return e
}

func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// lua runs code and stores what it returns in result, unless that is nil.
func (e *editor) lua(result any, code string, args ...any) {
	e.t.Helper()
	if err := e.ExecLua(code, result, args...); err != nil {
		e.t.Fatalf("%v\nin: %s", err, code)
	}
}

// value runs code that returns a T.
func value[T any](e *editor, code string, args ...any) T {
	e.t.Helper()
	var result T
	e.lua(&result, code, args...)
	return result
}

// eventually polls Lua code until it returns true.
func (e *editor) eventually(code string, args ...any) {
	e.t.Helper()
	nvimtest.Eventually(e.t, code, func() bool { return value[bool](e, "return ("+code+") == true", args...) })
}

// start launches the fake daemon and waits until it is ready, for longer than the
// plugin's own start() would.
func (e *editor) start() {
	e.t.Helper()
	e.lua(nil, `
		require("claudecode").setup(fake)
		require("claudecode.server").launch(require("claudecode").state.config, nil, function(err)
			launched = err or true
		end)
	`)
	e.eventually(`launched ~= nil`)
	if got := value[any](e, `return launched`); got != true {
		e.t.Fatalf("launch: %v", got)
	}
}

// notices are the texts that vim.notify got at a level or above, once there are n.
func (e *editor) notices(n int) []string {
	e.t.Helper()
	e.eventually("#notified >= select(1, ...)", n)
	texts := value[[]string](e, "return vim.tbl_map(function(n) return n.text end, notified)")
	return slices.Clip(texts)
}

// file writes a file below the editor's HOME.
func (e *editor) file(name, content string) string {
	e.t.Helper()
	path := filepath.Join(nvimtest.Lookup(e.env, "HOME"), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}
