// Copyright (c) 2026 the claudecoded authors. MIT license.

package options

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"claudecoded/test/nvimtest"
)

const native = `{ terminal = { provider = "native" } }`

// born opens Claude and returns how it was started: its command line, its folder, and its
// environment, each on a line of its own.
func (s *scene) born() string {
	s.t.Helper()
	s.Lua(nil, `require("claudecode.terminal").open()`)
	var text []byte
	nvimtest.Eventually(s.t, "Claude was started", func() bool {
		text, _ = os.ReadFile(filepath.Join(s.home, "born"))
		return len(text) > 0
	})
	return string(text)
}

func (s *scene) line(n int) string { return strings.Split(s.born(), "\n")[n] }

func (s *scene) commandLine() string { return s.line(0) }

// folder is Claude's.
func (s *scene) folder() string { return strings.Replace(s.line(1), s.home, "~", 1) }

// claude opens Claude's terminal and goes there.
func (s *scene) claude() {
	s.t.Helper()
	s.born()
	s.until(`require("claudecode.terminal").window()`)
}

// stub makes snacks.nvim be there.
func (s *scene) stub() {
	s.t.Helper()
	path := filepath.Join(nvimtest.Root(s.t), "test", "terminal", "snacks_stub.lua")
	s.Lua(nil, `package.loaded.snacks = dofile(...) Snacks = package.loaded.snacks`, path)
}

// kind opens Claude, closes it, and tells what showed it.
func (s *scene) kind() string {
	s.t.Helper()
	s.Lua(nil, `custom = nil require("claudecode.terminal").open()`)
	s.turns()
	kind := s.value(`custom or vim.iter({ "snacks", "terminal" }):find(function(kind)
		return vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
			return vim.bo[buf].filetype == "snacks_terminal" and kind == "snacks" or vim.bo[buf].buftype == kind
		end)
	end)`)
	s.Lua(nil, `require("claudecode.terminal").close()`)
	s.turns()
	return kind
}

// customProvider is one of the user's.
const customProvider = `(function()
	local function nothing() end
	return {
		setup = nothing, close = nothing, simple_toggle = nothing, focus_toggle = nothing, get_active_bufnr = nothing,
		open = function() custom = "the user's" end,
		is_available = function() return true end,
	}
end)()`

// inside is an editor in a folder of a git repository.
func inside(s *scene) string {
	s.Lua(nil, `vim.fn.mkdir(".git") vim.fn.mkdir("sub") vim.cmd("cd sub | edit g.txt")`)
	return s.folder()
}

const atHome = `function() return vim.env.HOME end`

var terminals = map[string]probe{
	"terminal.split_side": {with: native, see: func(s *scene) string {
		s.claude()
		return "column " + s.value(`vim.api.nvim_win_get_position(require("claudecode.terminal").window())[2]`)
	}},
	"terminal.split_width_percentage": {with: native, more: []string{"0.5"}, see: func(s *scene) string {
		s.claude()
		return s.value(`vim.api.nvim_win_get_width(require("claudecode.terminal").window())`)
	}},
	"terminal.provider": {more: []string{customProvider}, see: func(s *scene) string {
		without := s.kind()
		s.stub()
		return fmt.Sprintf("%s; with snacks.nvim %s; warned: %v", without, s.kind(), strings.Contains(s.said(), "[WARN]"))
	}},
	"terminal.provider_opts.external_terminal_cmd": {
		with: `{ terminal = { provider = "external" } }`,
		more: []string{`"other -e %s"`, `function() return { "other", "-x" } end`},
		see:  (*scene).commandLine,
	},
	"terminal.show_native_term_exit_tip": {with: native, see: func(s *scene) string {
		s.claude()
		return s.said()
	}},
	"terminal.auto_close": {with: native, see: func(s *scene) string {
		s.claude()
		s.Lua(nil, `
			local win = require("claudecode.terminal").window()
			shown = function() return vim.api.nvim_win_is_valid(win) end
			vim.api.nvim_create_autocmd("TermClose", { callback = function() ended = true end })
			vim.fn.chansend(vim.bo[vim.api.nvim_win_get_buf(win)].channel, "\4")`)
		s.until("ended")
		s.turns()
		return "still shown: " + s.value("shown()")
	}},
	"terminal.auto_insert": {with: native, see: func(s *scene) string {
		s.claude()
		s.keys("")
		return "mode " + s.value("fed_mode")
	}},
	"terminal.snacks_win_opts": {
		with: `{ terminal = { provider = "snacks" } }`,
		more: []string{`{ position = "float" }`},
		see: func(s *scene) string {
			s.stub()
			s.claude()
			return "relative to " + s.value(`vim.api.nvim_win_get_config(require("claudecode.terminal").window()).relative`)
		},
	},
	"terminal.fix_streamed_paste": {alias: true, see: func(s *scene) string {
		return "pieces are joined here: " + s.value(`debug.getinfo(vim.paste, "S").source:find("paste_fix", 1, true) ~= nil`)
	}},
	"mcp.enabled": {with: native, see: func(s *scene) string {
		s.Command("ClaudeCodeStart")
		return fmt.Sprint(strings.Contains(s.commandLine(), "--mcp-config="))
	}},
	"mcp.always_load": {with: native, see: func(s *scene) string {
		s.Command("ClaudeCodeStart")
		return fmt.Sprint(strings.Contains(s.commandLine(), `"alwaysLoad":true`))
	}},
	"terminal.cwd":          {with: native, more: []string{`"~"`}, see: (*scene).folder},
	"cwd":                   {with: native, more: []string{`"~"`}, see: (*scene).folder},
	"terminal.cwd_provider": {with: native, more: []string{atHome}, see: (*scene).folder},
	"cwd_provider":          {with: native, more: []string{atHome}, see: (*scene).folder},
	"terminal.git_repo_cwd": {with: native, see: inside},
	"git_repo_cwd":          {with: native, see: inside, alias: true},
}
