// Copyright (c) 2026 the claudecoded authors. MIT license.

package supervise

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
)

// shown is what the current window shows.
func (e *editor) shown() (name, text string) {
	e.t.Helper()
	return value[string](e, `vim.api.nvim_buf_get_name(0)`),
		value[string](e, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
}

func TestLog_OpensTheDaemonsFile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		file := filepath.Join(nvimtest.Dir(t), "a %b [c] $HOME.log")
		e := open(t, nvim, "", map[string]any{"log_level": "debug"})
		e.Lua(nil, `require("claudecode").state.config.daemon.log_file = ...`, file)
		e.Command("ClaudeCodeLog")
		if name, _ := e.shown(); name != "claudecode://log" {
			t.Errorf("before there is a file, %s is shown", name)
		}
		e.Command("ClaudeCodeStart")
		e.Command("ClaudeCodeLog")
		name, text := e.shown()
		if name != file || !strings.Contains(text, "listening") || !value[bool](e, "vim.bo.readonly") {
			t.Errorf("%s shows %q", name, text)
		}
		e.Command("ClaudeCodeStop")
		e.Command("ClaudeCodeLog")
		if _, text := e.shown(); !strings.Contains(text, "leaving") {
			t.Errorf("shows %q, which is old", text)
		}
		if n := value[int](e, "#vim.api.nvim_list_wins()"); n != 3 {
			t.Errorf("%d windows", n)
		}
	})
}

func TestLog_WithoutAFileShowsWhatIsRemembered(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "restarts = {}", nil)
		e.Command("ClaudeCodeLog")
		if name, text := e.shown(); name != "claudecode://log" || text != "Nothing was logged." {
			t.Errorf("%s shows %q", name, text)
		}
		e.Command("ClaudeCodeStart")
		write(t, e.broken)
		e.Lua(nil, `require("claudecode.supervisor").times.restarts = { 1 }`)
		e.kill(syscall.SIGKILL)
		e.eventually("it gives up", `require("claudecode").state.port == nil`)
		e.Command("ClaudeCodeLog")
		_, text := e.shown()
		for _, want := range []string{
			"[ClaudeCode] [init] [INFO] Claude Code integration started on port ",
			"[ClaudeCode] [daemon] [ERROR] claudecoded ended with exit code 3: out of cheese",
			"What claudecoded last wrote to stderr:\nout of cheese",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q does not hold %q", text, want)
			}
		}
		if changed := value[bool](e, "vim.bo.modified or vim.bo.modifiable or vim.bo.buftype ~= 'nofile'"); changed {
			t.Error("the buffer can be edited")
		}
		if n := value[int](e, "#vim.api.nvim_list_wins()"); n != 2 {
			t.Errorf("%d windows", n)
		}
	})
}
