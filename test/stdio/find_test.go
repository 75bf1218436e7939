// Copyright (c) 2026 the claudecoded authors. MIT license.

package stdio

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestStdio_FindsTheEditorThatIsMeant(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		outer, inner := editor(t, stage.Options{Nvim: nvim, Env: env}), editor(t, stage.Options{Nvim: nvim, Env: env})
		deep := filepath.Join(outer.Project, "in ner", "deep")
		if err := os.MkdirAll(deep, 0o700); err != nil {
			t.Fatal(err)
		}
		inner.Lua(nil, `vim.api.nvim_set_current_dir(...)`, filepath.Dir(deep))
		var socket string
		outer.Lua(&socket, `return vim.v.servername`)
		outerPID, innerPID := serve(t, outer), serve(t, inner)
		port := strconv.Itoa(listed(t, env, outerPID).Port)
		link := filepath.Join(nvimtest.Lookup(env, "HOME"), "link")
		if err := os.Symlink(deep, link); err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct {
			dir  string
			env  string
			args []string
			pid  int
		}{
			"the folder of one":                  {outer.Project, "", nil, outerPID},
			"the deepest of two":                 {deep, "", nil, innerPID},
			"a link to it":                       {link, "", nil, innerPID},
			"the terminal of another":            {deep, "NVIM=" + socket, nil, outerPID},
			"the terminal of none":               {deep, "NVIM=/no/such/socket", nil, innerPID},
			"a folder that is named":             {deep, "NVIM=" + socket, []string{"--cwd", deep}, innerPID},
			"a port that is named":               {deep, "", []string{"--port", port}, outerPID},
			"a process that is named":            {outer.Project, "", []string{"--pid", strconv.Itoa(innerPID)}, innerPID},
			"a terminal below a foreign program": {deep, "CLAUDE_CODE_SSE_PORT=" + port, nil, innerPID},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := start(t, test.dir, append(env, test.env), test.args...)
				c.greet()
				if pid := c.pid("1"); pid != test.pid {
					t.Errorf("process %d, not %d", pid, test.pid)
				}
				c.end()
			})
		}
		for name, test := range map[string]struct {
			args []string
			want string
		}{
			"another folder":  {nil, "no Neovim with claudecoded runs for " + nvimtest.Lookup(env, "HOME")},
			"another port":    {[]string{"--port", "9"}, "no Neovim with claudecoded runs on port 9"},
			"another process": {[]string{"--pid", "1"}, "no Neovim with claudecoded runs in process 1"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := start(t, nvimtest.Lookup(env, "HOME"), env, test.args...)
				c.greet()
				c.send(call("1", "own_pid"))
				if line := c.until(`"id":1`); !strings.Contains(line, test.want) || !strings.Contains(line, ":ClaudeCodeStart") {
					t.Errorf("%s", line)
				}
				c.end()
			})
		}
	})
}

// The server of mcp-tools alone is found too, although nothing leads Claude Code to it.
func TestStdio_FindsAnEditorThatClaudeCodeIsNotLedTo(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := editor(t, stage.Options{Nvim: nvim})
		e.Lua(nil, `
			local notify = require("claudecode.daemon").notify
			require("claudecode.daemon").notify = function(method, message)
				if method == "start" then
					message.lock, message.token = false, "token-of-the-test"
				end
				return notify(method, message)
			end`)
		pid := serve(t, e)
		if locks, _ := filepath.Glob(filepath.Join(stage.LockDir(e.Env), "*")); len(locks) != 0 {
			t.Errorf("lock files %v", locks)
		}
		c := start(t, e.Project, e.Env)
		c.greet()
		if got := c.pid("1"); got != pid {
			t.Errorf("process %d, not %d", got, pid)
		}
		registry := filepath.Join(nvimtest.Lookup(e.Env, "XDG_STATE_HOME"), "claudecoded", "editors")
		files, err := filepath.Glob(filepath.Join(registry, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		for path, mode := range map[string]os.FileMode{registry: 0o700, files[0]: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
		e.Command("ClaudeCodeStop")
		nvimtest.Eventually(t, "the file is removed", func() bool { return !stage.Exists(files[0]) })
	})
}
