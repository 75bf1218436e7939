// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// buffers counts those that exist and are terminals.
const buffers = `#vim.tbl_filter(function(buf) return vim.bo[buf].buftype == "terminal" end, vim.api.nvim_list_bufs())`

func TestClose_EndsTheProcessWhereverItIs(t *testing.T) {
	each(t, nil, func(d *desk) {
		for n, hide := range []string{"", "ClaudeCode", "only", "tabnew"} {
			d.Command("ClaudeCode")
			one := d.ready(n + 1)
			if hide != "" {
				d.Command("stopinsert")
				d.Command(hide)
			}
			d.Command("ClaudeCodeClose")
			d.gone(one)
			if got := value[int](d, buffers); got != 0 {
				d.t.Errorf("%d terminals are left", got)
			}
			d.Command("silent! tabonly")
		}
		d.Command("ClaudeCodeClose")
		d.Command("ClaudeCodeClose")
		d.silent("exited")
	})
}

func TestClose_EndsAProcessThatDoesNotWantTo(t *testing.T) {
	each(t, map[string]any{"terminal_cmd": "claude --stubborn"}, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.Command("ClaudeCodeClose")
		d.gone(one)
		d.silent("exited")
	})
}

func TestExit_ClosesTheTerminal(t *testing.T) {
	each(t, nil, func(d *desk) {
		for n, hidden := range []bool{false, true} {
			d.Command("ClaudeCode")
			one := d.ready(n + 1)
			if hidden {
				d.Command("ClaudeCode")
			}
			d.Lua(nil, `require("claudecode.terminal").send_to_terminal("\4", { submit = false })`)
			d.gone(one)
			d.sees("f.txt* n")
			expect(d, buffers, 0)
		}
		// A new one is started where the old one ended, hidden or not.
		d.Command("ClaudeCode")
		d.sees("f.txt claude* t")
		d.ready(3)
		d.silent("exited")
	})
}

func TestExit_CodeIsToldOnce(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode --exit 7")
		d.says("Claude exited with code 7")
		d.sees("f.txt* n")
		if n := strings.Count(d.Messages(), "exited with code"); n != 1 {
			d.t.Errorf("told %d times", n)
		}
		// The end of Terminal mode does not wipe it off the screen.
		d.eventually(`vim.iter(vim.fn.range(1, vim.o.columns)):map(function(column)
			return vim.fn.screenstring(vim.o.lines, column)
		end):join(""):find("exited with code 7", 1, true) ~= nil`)
	})
}

func TestExit_TellsWhatAClaudeThatFailedAtOncePrinted(t *testing.T) {
	each(t, map[string]any{"terminal_cmd": `sh -c 'echo; echo first; echo the settings are broken; exit 3' --`}, func(d *desk) {
		d.Command("ClaudeCode")
		d.says("Claude exited with code 3: first | the settings are broken")
		d.sees("f.txt* n")
	})
}

func TestExit_LeavesItsLastWordsWithoutAutoClose(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"auto_close": false}}, func(d *desk) {
		d.Command("ClaudeCode --exit 7")
		d.says("Claude exited with code 7")
		d.Command("stopinsert")
		d.sees("f.txt claude* n")
		// The next one takes its window.
		d.Command("ClaudeCode")
		d.ready(2)
		d.sees("f.txt claude* t")
		expect(d, buffers, 1)
		d.Command("ClaudeCodeClose")
		d.sees("f.txt* n")
	})
}

func TestOpen_SaysThatTheProgramIsMissing(t *testing.T) {
	each(t, map[string]any{"terminal_cmd": "/no/such/claude"}, func(d *desk) {
		d.Command("ClaudeCode")
		d.says("the program that runs Claude is not found: /no/such/claude")
		d.sees("f.txt* n")
		expect(d, buffers, 0)
	})
}

func TestOpen_SaysThatArgumentsAreTooLate(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command(`ClaudeCodeOpen --resume "a b"`)
		one := d.ready(1)
		if !slices.Equal(one.Args, []string{"--resume", "a b"}) {
			d.t.Errorf("%q", one.Args)
		}
		d.silent("runs already")
		d.Command("ClaudeCodeOpen --continue")
		d.says("Claude runs already, without --continue")
		if len(d.born()) != 1 {
			d.t.Error("a second one was started")
		}
	})
}

func TestKeys_DoNotSuspend(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.sees("f.txt claude* t")
		d.types("a<C-z>b")
		d.typed(one, "ab")
	})
	t.Run("the user's own stay", func(t *testing.T) {
		nvimtest.Each(t, func(t *testing.T, nvim string) {
			d := open(t, nvim, nil)
			d.Command("tnoremap <C-z> undo")
			d.Command("ClaudeCode")
			one := d.ready(1)
			d.sees("f.txt claude* t")
			d.types("<C-z>")
			d.typed(one, "undo")
		})
	})
}

// A Claude is a job as that of any terminal: what ends the editor asks about both, and
// ends both, in the same way.
func TestQuit_TreatsItAsAnyTerminal(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"qa", "wqa", "xa", "qa!", "wqa!", "quit"} {
		t.Run(command, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				var outcomes []string
				for _, start := range []string{"vsplit | terminal claude", "ClaudeCode"} {
					d := open(t, nvim, nil)
					d.Command(start)
					one := d.ready(1)
					d.Command("stopinsert")
					outcome := "ended"
					if err := d.Nvim.Command(command); err == nil {
						outcome = "done"
					} else if strings.Contains(err.Error(), "Vim") {
						outcome = strings.Split(err.Error(), ":")[1]
						if !stage.Running(one.PID) {
							t.Error("an end that was refused ended Claude")
						}
					}
					if outcome == "ended" {
						d.gone(one)
					}
					outcomes = append(outcomes, outcome)
				}
				if outcomes[0] != outcomes[1] {
					t.Errorf("%q, other terminals %q", outcomes[1], outcomes[0])
				}
			})
		})
	}
}

func TestEnvironment_LeadsToThisEditor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := append(prepare(t), "no_proxy=corp.example, a.b", "NO_PROXY=a.b,::1", "http_proxy=http://127.0.0.1:9")
		d := openIn(t, nvim, env, map[string]any{
			"auto_start": true,
			"env":        map[string]any{"MY_OWN": "x y", "NO_PROXY": "mine", "FORCE_CODE_TERMINAL": "false"},
		})
		d.Command("ClaudeCode")
		one := d.claude(1)
		port := fmt.Sprint(stage.Find(t, d.Env).Port)
		proxies := "corp.example,a.b,::1,mine,localhost,127.0.0.1"
		for name, want := range map[string]string{
			"CLAUDE_CODE_SSE_PORT": port, "CLAUDE_CODE_AUTO_CONNECT_IDE": "true", "ENABLE_IDE_INTEGRATION": "true",
			"FORCE_CODE_TERMINAL": "false", "MY_OWN": "x y", "no_proxy": proxies, "NO_PROXY": proxies,
			"http_proxy": "http://127.0.0.1:9",
		} {
			if got, _ := one.variable(name); got != want {
				t.Errorf("%s is %q, not %q", name, got, want)
			}
		}
	})
}

func TestEnvironment_HasNoPortWithoutAServer(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.claude(1)
		if port, ok := one.variable("CLAUDE_CODE_SSE_PORT"); ok {
			d.t.Errorf("port %q", port)
		}
		if got, _ := one.variable("NO_PROXY"); got != "localhost,127.0.0.1,::1" {
			d.t.Error(got)
		}
	})
}

// A daemon that is still starting is waited for: the setup and the command come in one go.
func TestOpen_WaitsForAServerThatStarts(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, `
			local claudecode = require("claudecode")
			claudecode.setup({ auto_start = true, daemon = claudecode.state.config.daemon })
			assert(claudecode.state.server == nil, "the daemon listens already")
			vim.cmd.ClaudeCode()
		`)
		if _, ok := d.claude(1).variable("CLAUDE_CODE_SSE_PORT"); !ok {
			d.t.Error("no port")
		}
	})
}

func TestOpen_GivesUpOnAServerThatNeverComes(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, `
			require("claudecode.terminal").port_wait_ms = 50
			require("claudecode").setup({ auto_start = true, daemon = { cmd = { "sh", "-c", "sleep 30" } } })
			vim.cmd.ClaudeCode()
		`)
		d.claude(1)
		d.says("Claude starts before the server")
		d.Lua(nil, `require("claudecode").stop()`)
	})
}

func TestCommandLine_HasThePermissionModeUnlessOneIsGiven(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		setup map[string]any
		args  string
		want  []string
	}{
		"unset":     {nil, "-c", []string{"-c"}},
		"set":       {map[string]any{"permission_mode": "default"}, "-c", []string{"--permission-mode", "default", "-c"}},
		"argument":  {map[string]any{"permission_mode": "default"}, "--permission-mode=plan", []string{"--permission-mode=plan"}},
		"command":   {map[string]any{"permission_mode": "plan", "terminal_cmd": "claude --permission-mode default"}, "", []string{"--permission-mode", "default"}},
		"dangerous": {map[string]any{"permission_mode": "plan"}, "--dangerously-skip-permissions", []string{"--dangerously-skip-permissions"}},
		"quoted":    {map[string]any{"permission_mode": "a'b c"}, "", []string{"--permission-mode", "a'b c"}},
		"variable":  {map[string]any{"terminal_cmd": "A=1 claude -v"}, "", []string{"-v"}},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, row.setup)
				d.Command("ClaudeCode " + row.args)
				if got := d.claude(1).Args; !slices.Equal(got, row.want) {
					t.Errorf("%q, not %q", got, row.want)
				}
			})
		})
	}
}

func TestModel_IsChosenAndPassed(t *testing.T) {
	each(t, map[string]any{"models": []map[string]any{
		{"name": "The first", "value": "one"}, {"name": "The second", "value": "opus[1m]"},
	}}, func(d *desk) {
		d.Lua(nil, `
			vim.ui.select = function(items, options, choose)
				offered = options.prompt
				for _, item in ipairs(items) do offered = offered .. " " .. options.format_item(item) end
				choose(nil)
				choose(items[2], 2)
			end
		`)
		d.Command("ClaudeCodeSelectModel --continue")
		if got := d.claude(1).Args; !slices.Equal(got, []string{"--model", "opus[1m]", "--continue"}) {
			d.t.Errorf("%q", got)
		}
		if got := value[string](d, "offered"); got != "Select Claude model: The first The second" {
			d.t.Error(got)
		}
	})
}

func TestCwd_IsTheFirstThatIsGiven(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := prepare(t)
		home := nvimtest.Lookup(env, "HOME")
		for _, dir := range []string{"a b", "pro ject/sub", "repo/.git", "repo/deep"} {
			if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(home, "repo", "deep"), filepath.Join(home, "link")); err != nil {
			t.Fatal(err)
		}
		d := openIn(t, nvim, env, nil)
		rows := []struct{ lua, want string }{
			{"", "pro ject"},
			{`cwd = "~/a b"`, "a b"},
			{`cwd = "$HOME/a b/"`, "a b"},
			{`cwd = "sub"`, "pro ject/sub"},
			{`cwd = "/no/such"`, "pro ject"},
			{`cwd = "~/a b", cwd_provider = function(c) return c.cwd .. "/sub" end`, "pro ject/sub"},
			{`cwd = "~/a b", cwd_provider = function() return "/no/such" end`, "a b"},
			{`cwd = "~/a b", cwd_provider = function() error("oh") end`, "a b"},
			{`git_repo_cwd = true`, "pro ject"},
			{`git_repo_cwd = true, cwd_provider = function(c) return c.file and c.file_dir end`, "pro ject"},
		}
		for n, row := range rows {
			d.Lua(nil, "require('claudecode.terminal').open({ "+row.lua+" })")
			if got := d.ready(n + 1).Dir; got != filepath.Join(home, row.want) {
				t.Errorf("%s: %s", row.lua, got)
			}
			d.Command("ClaudeCodeClose")
		}
		d.Command("edit ~/link/x.txt")
		d.Lua(nil, "require('claudecode.terminal').open({ git_repo_cwd = true })")
		if got := d.ready(len(rows) + 1).Dir; got != filepath.Join(home, "repo") {
			t.Error(got)
		}
		if got := value[string](d, `require("claudecode.cwd").git_root(vim.env.HOME .. "/link")`); got != filepath.Join(home, "repo") {
			t.Error(got)
		}
		d.says("terminal.cwd is no folder")
	})
}

func TestFocus_ContinuesAStoppedProcess(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.Command("ClaudeCode")
		if err := syscall.Kill(one.PID, syscall.SIGSTOP); err != nil {
			d.t.Fatal(err)
		}
		d.Command("ClaudeCodeFocus")
		d.sees("f.txt claude* t")
		d.types("a")
		d.typed(one, "a")
	})
}

func TestClose_EndsAStoppedProcess(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.ready(1)
		if err := syscall.Kill(one.PID, syscall.SIGSTOP); err != nil {
			d.t.Fatal(err)
		}
		d.Command("ClaudeCodeClose")
		d.gone(one)
	})
}

func TestParse_ReadsWordsAsAShellDoes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		home := d.home
		rows := map[string][]string{
			"":                           {},
			"  a \t b  ":                 {"a", "b"},
			`'a  b'c"d e"`:               {"a  bcd e"},
			`"a\"b\\c\$d\` + "`" + `\n"`: {`a"b\c$d` + "`" + `\n`},
			`a\ b \\ c\`:                 {"a b", `\`, `c\`},
			`'a "b`:                      {`a "b`},
			`"a 'b`:                      {`a 'b`},
			`'' ""`:                      {"", ""},
			`~ ~/x a~ ~b`:                {home, home + "/x", "a~", "~b"},
			`opus[1m] * $HOME %`:         {"opus[1m]", "*", "$HOME", "%"},
		}
		for text, want := range rows {
			got := value[[]string](d, `require("claudecode.terminal.command").parse((...))`, text)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, not %q", text, got, want)
			}
		}
		// What quote() writes is read back, here and by a shell.
		for _, word := range []string{"", "a b", "it's", `a"b\`, "$x`y`", "opus[1m]", "é"} {
			quoted := value[string](d, `require("claudecode.terminal.command").quote((...))`, word)
			if got := value[[]string](d, `require("claudecode.terminal.command").parse((...))`, quoted); !slices.Equal(got, []string{word}) {
				t.Errorf("%s is read as %q", quoted, got)
			}
			if out, err := exec.Command("sh", "-c", "printf %s "+quoted).Output(); err != nil || string(out) != word {
				t.Errorf("a shell reads %s as %q", quoted, out)
			}
		}
	})
}
