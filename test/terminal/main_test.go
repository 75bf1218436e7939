// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package terminal tests Claude's terminal in real Neovims that have a user interface: its
// providers, its windows, and what the process in it is given and how it ends.
package terminal

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) {
	if os.Getenv(standInVar) != "" {
		standIn()
		return
	}
	stage.Main(m)
}

// desk is an editor whose user has a stand-in for Claude on PATH.
type desk struct {
	*stage.Editor
	t    *testing.T
	dir  string // where the stand-ins write
	home string
}

// prepare makes an environment in which the name claude is the stand-in, and others that a
// test wants.
func prepare(t *testing.T, names ...string) []string {
	t.Helper()
	env := stage.Environment(t)
	bin := filepath.Join(nvimtest.Lookup(env, "HOME"), "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec %s \"$@\"\n", standInVar, filepath.Dir(bin), self)
	for _, name := range append(names, "claude") {
		if err := nvimtest.WriteProgram(filepath.Join(bin, name), script); err != nil {
			t.Fatal(err)
		}
	}
	return append(env, "PATH="+bin+":"+os.Getenv("PATH"))
}

// open starts an editor of 80 columns in which a file is open.
func open(t *testing.T, nvim string, setup map[string]any) *desk {
	t.Helper()
	return openIn(t, nvim, prepare(t), setup)
}

func openIn(t *testing.T, nvim string, env []string, setup map[string]any) *desk {
	t.Helper()
	home := nvimtest.Lookup(env, "HOME")
	all := map[string]any{"terminal": map[string]any{"provider": "auto"}}
	for name, value := range setup {
		if table, ok := value.(map[string]any); ok && name == "terminal" {
			maps.Copy(all[name].(map[string]any), table)
			continue
		}
		all[name] = value
	}
	d := &desk{
		Editor: stage.Open(t, stage.Options{Nvim: nvim, Env: env, UI: true, Setup: all}),
		t:      t, dir: home, home: home,
	}
	d.Command("set noswapfile shortmess+=I")
	d.Command("edit " + strings.ReplaceAll(d.Write("f.txt", "one\ntwo\n"), " ", `\ `))
	// The end of an editor must not leave a process that does not listen to a hangup.
	t.Cleanup(func() { d.killAll() })
	return d
}

func value[T any](d *desk, expression string, args ...any) T {
	d.t.Helper()
	var result T
	d.Lua(&result, "return "+expression, args...)
	return result
}

func (d *desk) eventually(expression string) {
	d.t.Helper()
	nvimtest.Eventually(d.t, expression, func() bool { return value[bool](d, "("+expression+") == true") })
}

// expect waits until an expression has a value.
func expect[T comparable](d *desk, expression string, want T) {
	d.t.Helper()
	var got T
	nvimtest.Eventually(d.t, fmt.Sprintf("%s is %v", expression, want), func() bool {
		got = value[T](d, expression)
		return got == want
	})
}

// shows describes the windows of the tab page, left to right: the name of a file, or
// claude; the current one has a star.
const shows = `(function()
	local names = {}
	for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
		local buf = vim.api.nvim_win_get_buf(win)
		local name = vim.bo[buf].buftype == "terminal" and "claude"
			or vim.fs.basename(vim.api.nvim_buf_get_name(buf))
		if not vim.api.nvim_win_get_config(win).hide then
			table.insert(names, name .. (win == vim.api.nvim_get_current_win() and "*" or ""))
		end
	end
	return table.concat(names, " ") .. " " .. vim.fn.mode()
end)()`

// sees waits until the windows and the mode are as wanted, see shows.
func (d *desk) sees(want string) {
	d.t.Helper()
	var got string
	defer func() {
		if got != want {
			d.t.Logf("the windows are %s\n%s", got, d.said())
		}
	}()
	nvimtest.Eventually(d.t, "the windows are "+want, func() bool {
		got = value[string](d, shows)
		return got == want
	})
}

// types feeds keys as a user does.
func (d *desk) types(keys string) {
	d.t.Helper()
	if _, err := d.Input(keys); err != nil {
		d.t.Fatal(err)
	}
}

// said is what the user was told, whole even where the screen is too narrow for it.
func (d *desk) said() string {
	d.t.Helper()
	return value[string](d, `table.concat(require("claudecode.log").recent(), "\n")`) + "\n" + d.Messages()
}

func (d *desk) says(want string) {
	d.t.Helper()
	nvimtest.Eventually(d.t, "a message says "+want, func() bool { return strings.Contains(d.said(), want) })
}

// silent checks that nobody was told anything of a kind.
func (d *desk) silent(unwanted ...string) {
	d.t.Helper()
	for _, text := range append(unwanted, "E5108", "[ERROR]") {
		if messages := d.said(); strings.Contains(messages, text) {
			d.t.Errorf("%q is in the messages:\n%s", text, messages)
		}
	}
}
