// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package options tests that every option does something: each is given each other value it may
// have, in real Neovims, and what that changes is observed. One whose effect cannot be observed
// has no reason to exist.
package options

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// probe observes an option.
type probe struct {
	// with is a Lua table: other options, without which it has no effect.
	with string
	// more are values, in Lua, besides those that its rule lists.
	more []string
	// alias is set if its default stands for one of the other values, which then does the same.
	alias bool
	// see tells what the option has done.
	see func(s *scene) string
}

// probes are those of every group of options, by path.
var probes = func() map[string]probe {
	all := map[string]probe{}
	for _, group := range []map[string]probe{general, mentions, reviews, did, terminals, daemons} {
		for path, p := range group {
			all[path] = p
		}
	}
	return all
}()

// option is one of the plugin's list, or another name of one.
type option struct {
	Path   string
	Values []string
}

// list is Lua that returns the options that are documented, and other names for them, with the
// values that they may have instead of the default. A table of options is none itself.
const list = `
	local options, config = require("claudecode.options"), require("claudecode.config")
	local found = {}
	local function add(path, default, values)
		local others = {}
		for _, value in ipairs(values or {}) do
			if value ~= default then
				table.insert(others, vim.inspect(value))
			end
		end
		table.insert(found, { Path = path, Values = others })
	end
	for _, option in ipairs(options.list) do
		if option.doc then
			add(option.path, option.default, option.rule.values)
		end
	end
	for _, alias in ipairs(options.aliases) do
		local rule = vim.iter(options.list):find(function(option)
			return option.path == alias.path or option.path == "terminal." .. alias.path
		end).rule
		add(alias.path, nil, rule.values)
	end
	return vim.json.encode(found)
`

// listed reads the list from a Neovim.
func listed(t *testing.T, nvim string) (options []option) {
	t.Helper()
	var text string
	if err := nvimtest.Start(t, nvimtest.Options{Nvim: nvim}).ExecLua(list, &text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, `"Values":{}`, `"Values":[]`)), &options); err != nil {
		t.Fatal(err)
	}
	return options
}

func TestOptions_EachValueOfEachIsObserved(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		options := listed(t, nvim)
		for path := range probes {
			if !slices.ContainsFunc(options, func(o option) bool { return o.Path == path }) {
				t.Errorf("%s is observed and is no option", path)
			}
		}
		for _, o := range options {
			t.Run(o.Path, func(t *testing.T) {
				t.Parallel()
				p, ok := probes[o.Path]
				if !ok {
					t.Fatal("nothing observes it")
				}
				o.observe(t, nvim, p)
			})
		}
	})
}

// observe gives the option its default and each other value, of which no two may do the same.
func (o option) observe(t *testing.T, nvim string, p probe) {
	t.Helper()
	values := append([]string{"nil"}, append(o.Values, p.more...)...)
	if len(values) == 1 {
		t.Fatal("it has no other value than its default")
	}
	seen := map[string][]string{}
	for _, value := range values {
		got := p.see(open(t, nvim, p.with, o.Path, value))
		t.Logf("%s: %s", value, got)
		seen[got] = append(seen[got], value)
	}
	pairs := 0
	for got, same := range seen {
		if len(same) == 2 && same[0] == "nil" {
			pairs++
		} else if len(same) > 1 {
			t.Errorf("%s do the same: %s", strings.Join(same, ", "), got)
		}
	}
	if p.alias != (pairs == 1) {
		t.Errorf("that its default does what another value does is %v, not %v: %v", pairs == 1, p.alias, seen)
	}
}

// scene is an editor with f.txt, in which one option may have another value.
type scene struct {
	*stage.Editor
	t    *testing.T
	home string
	fed  int

	mu    sync.Mutex
	heard []string
}

// standIn takes the place of Claude, or of a program of the user's: it writes down how it was
// started and what is typed.
const standIn = `#!/bin/sh
{ echo "${0##*/} $*"; pwd; env; } >"$HOME/part" && mv "$HOME/part" "$HOME/born"
printf '\033[?2004h'
exec cat >"$HOME/input"
`

// setup is Lua that sets the plugin up with an option, nil for its default, and others.
const setup = `
	local binary, with, path, value = ...
	local config = vim.tbl_deep_extend("force", {
		auto_start = false, daemon = { cmd = binary }, terminal = { provider = "none" },
	}, assert(loadstring("return " .. with))())
	local at, keys = config, vim.split(path, ".", { plain = true })
	local last = table.remove(keys)
	for _, key in ipairs(keys) do
		at[key] = at[key] or {}
		at = at[key]
	end
	at[last] = assert(loadstring("return " .. value))()
	require("claudecode.moment").quiet_ms = 10
	fed = 0
	vim.keymap.set({ "n", "x", "i", "t" }, "<F12>", function() fed, fed_mode = fed + 1, vim.fn.mode() end)
	require("claudecode").setup(config)
`

func open(t *testing.T, nvim, with, path, value string) *scene {
	t.Helper()
	env := stage.Environment(t)
	home := nvimtest.Lookup(env, "HOME")
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"claude", "other"} {
		if err := nvimtest.WriteProgram(filepath.Join(bin, name), standIn); err != nil {
			t.Fatal(err)
		}
	}
	env = append(env, "PATH="+bin+":"+nvimtest.Lookup(env, "PATH"))
	s := &scene{Editor: stage.Open(t, stage.Options{Nvim: nvim, Env: env, UI: true, Setup: map[string]any{
		"terminal": map[string]any{"fix_streamed_paste": false}, // which leaves its trace
	}}), t: t, home: home}
	s.Write("f.txt", "one\ntwo\n")
	s.Command("set noswapfile columns=100")
	s.Command("edit f.txt")
	if with == "" {
		with = "{}"
	}
	s.Lua(nil, setup, stage.Binary, with, path, value)
	return s
}

// value is what a Lua expression is.
func (s *scene) value(expression string) (text string) {
	s.t.Helper()
	s.Lua(&text, `local value = `+expression+` return type(value) == "string" and value or vim.inspect(value)`)
	return text
}

// until waits until a Lua expression holds.
func (s *scene) until(expression string) {
	s.t.Helper()
	nvimtest.Eventually(s.t, expression, func() (holds bool) {
		s.Lua(&holds, "return not not ("+expression+")")
		return holds
	})
}

// keys types, and waits until all is done that came of it.
func (s *scene) keys(keys string) {
	s.t.Helper()
	if _, err := s.Input(keys + "<F12>"); err != nil {
		s.t.Fatal(err)
	}
	s.fed++
	s.until(fmt.Sprintf("fed == %d", s.fed))
}

// turns lets the editor do what it has been asked for.
func (s *scene) turns() {
	s.t.Helper()
	s.Lua(nil, `turned = 0
		local function turn()
			turned = turned + 1
			if turned < 5 then vim.schedule(turn) end
		end
		vim.schedule(turn)`)
	s.until("turned == 5")
}

// serve starts the server and connects a client, which the plugin knows then.
func (s *scene) serve() (*claude.Client, []claude.Tool) {
	s.t.Helper()
	s.Command("ClaudeCodeStart")
	lock := stage.Find(s.t, s.Env)
	client, err := claude.Dial(stage.Within(s.t), lock.Port, lock.AuthToken, claude.Options{
		Notification: func(method string, params json.RawMessage) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.heard = append(s.heard, method)
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = client.Close() })
	_, tools, err := client.Start(stage.Within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	// What the daemon has said of the client comes before a call of the client's.
	if _, err := client.Call(stage.Within(s.t), "getWorkspaceFolders", nil); err != nil {
		s.t.Fatal(err)
	}
	return client, tools
}

// told tells whether the client was told something, after all that was sent has arrived.
func (s *scene) told(method string) bool {
	s.t.Helper()
	s.until(`require("claudecode.server").broadcast("mark", {})`)
	has := func(method string) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Contains(s.heard, method)
	}
	nvimtest.Eventually(s.t, "the client was told of the mark", func() bool { return has("mark") })
	return has(method)
}

// said is what the plugin has told the user.
func (s *scene) said() string {
	s.t.Helper()
	return s.value(`table.concat(require("claudecode.log").recent(), "\n")`)
}
