// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// external is the setup of that provider.
func external(command any) map[string]any {
	return map[string]any{
		"env":      map[string]any{"MY_OWN": "x"},
		"terminal": map[string]any{"provider": "external", "provider_opts": map[string]any{"external_terminal_cmd": command}},
	}
}

// launcher is a command that is recorded as Claude is, with what it was to run.
func launcher(t *testing.T) []string { return prepare(t, "launcher") }

func TestExternal_RunsTheUsersProgram(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		command string
		want    []string
	}{
		"words":      {"launcher -e %s", []string{"-e", "claude", "--model", "a b"}},
		"text":       {"launcher -c 'run %s'", []string{"-c", `run claude --model "a b"`}},
		"folder":     {"launcher --dir %s -- %s", []string{"--dir", "DIR", "--", "claude", "--model", "a b"}},
		"one word":   {"launcher --dir=%s %s", []string{"--dir=DIR", "claude", "--model", "a b"}},
		"in a shell": {`launcher "cd '%s'; %s"`, []string{`cd 'DIR'; claude --model "a b"`}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := openIn(t, nvim, launcher(t), external(row.command))
				d.Command(`ClaudeCode --model "a b"`)
				one := d.claude(1)
				want := slices.Clone(row.want)
				for i := range want {
					want[i] = strings.ReplaceAll(want[i], "DIR", d.Project)
				}
				if !slices.Equal(one.Args, want) {
					t.Errorf("%q, not %q", one.Args, want)
				}
				if own, _ := one.variable("MY_OWN"); own != "x" || one.Dir != d.Project {
					t.Errorf("environment %q, folder %s", own, one.Dir)
				}
				d.silent()
			})
		})
	}
}

func TestExternal_RunsOneAndStopsIt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := openIn(t, nvim, launcher(t), external("launcher %s"))
		d.Command("ClaudeCodeOpen")
		one := d.claude(1)
		d.Command("ClaudeCodeOpen --continue")
		d.says("Claude runs already, without --continue")
		for n, stop := range []string{"ClaudeCode", "ClaudeCodeFocus", "ClaudeCodeClose"} {
			d.Command(stop)
			d.gone(one)
			d.Command("ClaudeCode")
			one = d.claude(n + 2)
		}
		d.Command("ClaudeCodeSendText hello")
		d.says(`the provider "external" has no terminal in the editor`)
		d.Command("ClaudeCodeClose")
		d.gone(one)
		d.sees("f.txt* n")
		d.silent("exited")
	})
}

// It is a window of the user's, not the editor's.
func TestExternal_OutlivesTheEditor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := openIn(t, nvim, launcher(t), external("launcher --lasting %s"))
		d.Command("ClaudeCode")
		one := d.claude(1)
		editor := value[int](d, "vim.fn.getpid()")
		_ = d.Nvim.Command("qa!")
		nvimtest.Eventually(t, "the editor is gone", func() bool { return !stage.Running(editor) })
		if !stage.Running(one.PID) {
			t.Error("it ended with the editor")
		}
	})
}

func TestExternal_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ command, says string }{
		"nil":      {`function() return nil end`, "external_terminal_cmd returned nil"},
		"false":    {`function() return false end`, "external_terminal_cmd returned false"},
		"number":   {`function() return 7 end`, "must return a command or a list of its words, not 7"},
		"empty":    {`function() return " " end`, `not " "`},
		"error":    {`function() error("oh no", 0) end`, "external_terminal_cmd failed: oh no"},
		"places":   {`"a %s %s %s"`, "has 3 times %s"},
		"missing":  {`"/no/such/program %s"`, "Failed to start external terminal with command: /no/such/program claude"},
		"exit":     {`"sh -c 'echo why >&2; exit 9' %s"`, "The external terminal exited with code 9: why"},
		"list":     {`function(cmd, env) return { "launcher", cmd, env.ENABLE_IDE_INTEGRATION } end`, ""},
		"function": {`function(cmd, env) return "launcher '" .. cmd .. "' " .. env.ENABLE_IDE_INTEGRATION end`, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := openIn(t, nvim, launcher(t), nil)
				d.Command("set columns=200")
				d.Lua(nil, `local terminal = require("claudecode").state.config.terminal
					terminal.provider = "external"
					terminal.provider_opts.external_terminal_cmd = `+row.command)
				d.Command("ClaudeCode -c")
				if row.says != "" {
					d.says(row.says)
				} else if one := d.claude(1); !slices.Equal(one.Args, []string{"claude -c", "true"}) {
					t.Errorf("%q", one.Args)
				}
			})
		})
	}
}

func TestNone_DoesNothing(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"provider": "none"}}, func(d *desk) {
		for _, command := range []string{"", "Focus", "Open", "Close"} {
			d.Command("ClaudeCode" + command)
		}
		d.Lua(nil, `require("claudecode.terminal").ensure_visible(true)`)
		d.sees("f.txt* n")
		d.silent("WARN")
		d.Command("ClaudeCodeSendText hello")
		d.says(`the provider "none" has no terminal in the editor`)
		if len(d.born()) != 0 {
			d.t.Error("Claude was started")
		}
	})
}

const customProvider = `
	calls = {}
	local provider = {}
	for _, name in ipairs({ "setup", "open", "close", "simple_toggle", "focus_toggle" }) do
		provider[name] = function(...) table.insert(calls, { name, ... }) end
	end
	provider.get_active_bufnr = function() return custom_buffer end
	provider.is_available = function() return available ~= false end
	local daemon = require("claudecode").state.config.daemon
	require("claudecode").setup({ auto_start = false, daemon = daemon, terminal = { provider = provider, cwd = vim.env.HOME } })
`

func TestCustom_IsGivenWhatAProviderNeeds(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, customProvider)
		d.Command("ClaudeCode --x")
		d.Command("ClaudeCodeFocus")
		d.Command("ClaudeCodeOpen")
		d.Lua(nil, `
			local terminal = require("claudecode.terminal")
			terminal.open({ split_side = "left", split_width_percentage = 7, unknown = 1 })
			terminal.toggle_open_no_focus()
			custom_buffer = vim.api.nvim_create_buf(false, true)
			terminal.ensure_visible()
		`)
		d.Command("ClaudeCodeClose")
		got := value[string](d, `(function()
			local lines = {}
			for _, call in ipairs(calls) do
				local name, cmd, env, config, focus = unpack(call, 1, 5)
				if type(env) ~= "table" then
					table.insert(lines, name)
				else
					assert(config.cwd == vim.env.HOME and config.auto_close == true and config.auto_insert == true)
					assert(vim.tbl_isempty(config.snacks_win_opts) and env.ENABLE_IDE_INTEGRATION == "true")
					table.insert(lines, ("%s(%s) %s %s %s"):format(name, cmd, config.split_side, config.split_width_percentage, focus))
				end
			end
			return table.concat(lines, "\n")
		end)()`)
		want := `setup
simple_toggle(claude --x) right 0.3 nil
focus_toggle(claude) right 0.3 nil
open(claude) right 0.3 true
open(claude) left 0.3 true
open(claude) right 0.3 false
open(claude) right 0.3 false
close`
		if got != want {
			d.t.Error(got)
		}
		d.says("split_width_percentage must be a number between 0 and 1")
		if value[int](d, `require("claudecode.terminal").get_active_terminal_bufnr()`) != value[int](d, "custom_buffer") {
			d.t.Error("its buffer is not Claude's")
		}
	})
}

func TestCustom_ErrorsAreMessages(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, customProvider)
		d.Lua(nil, `
			local provider = require("claudecode").state.config.terminal.provider
			provider.open = function() error("my fault", 0) end
			provider.close = provider.open
		`)
		d.Told("ClaudeCodeOpen", "my fault")
		d.Told("ClaudeCodeClose", "my fault")
		d.Lua(nil, "available = false")
		d.Told("ClaudeCodeOpen", "the provider is not available; native is used")
		d.sees("f.txt claude* t")
	})
}

func TestSetup_SaysThatItCannotFocusOtherTerminals(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		terminal     map[string]any
		focus, warns bool
	}{
		"none":     {map[string]any{"provider": "none"}, true, true},
		"external": {map[string]any{"provider": "external", "provider_opts": map[string]any{"external_terminal_cmd": "x %s"}}, true, true},
		"unusable": {map[string]any{"provider": "external"}, true, false},
		"native":   {map[string]any{"provider": "native"}, true, false},
		"auto":     {map[string]any{}, true, false},
		"unasked":  {map[string]any{"provider": "none"}, false, false},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, map[string]any{"focus_after_send": row.focus, "terminal": row.terminal})
				if row.warns {
					d.says("ClaudeCodeSendComplete")
				} else {
					d.Told("ClaudeCodeStatus!", "not running")
					d.silent("ClaudeCodeSendComplete")
				}
			})
		})
	}
}

// connect connects one Claude from outside.
func (d *desk) connect() {
	d.t.Helper()
	d.Serve()
	d.eventually(`require("claudecode").is_claude_connected()`)
}

func TestMention_OpensClaudeWhereNoneIsConnected(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCodeStart")
		d.Command("ClaudeCodeAdd " + filepath.Join(d.Project, "f.txt"))
		d.sees("f.txt claude* t")
		if _, ok := d.ready(1).variable("CLAUDE_CODE_SSE_PORT"); !ok {
			d.t.Error("no port")
		}
	})
}

// Whoever has a Claude elsewhere wants it to get the mention, and not a second one.
func TestMention_StartsNoSecondClaude(t *testing.T) {
	t.Parallel()
	for name, focus := range map[string]bool{"shown": false, "focused": true} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, map[string]any{"focus_after_send": focus})
				d.connect()
				d.Command("ClaudeCodeAdd " + filepath.Join(d.Project, "f.txt"))
				d.sees("f.txt* n")
				if len(d.born()) != 0 {
					t.Error("a Claude was started")
				}
				d.Command("ClaudeCode")
				d.ready(1)
				d.Command("ClaudeCode")
				d.Command("ClaudeCodeAdd " + filepath.Join(d.Project, "f.txt"))
				if focus {
					d.sees("f.txt claude* t")
				} else {
					d.sees("f.txt* claude n")
				}
			})
		})
	}
}
