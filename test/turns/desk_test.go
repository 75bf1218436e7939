// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// helpers are what a test's Lua code has.
const helpers = stage.Layout + `
	local function named(part)
		return vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
			return vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf):sub(-#part) == part
		end)
	end
	function lines_of(part)
		local buf = named(part)
		return buf and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "|") or "no buffer"
	end
	window_options = { "diff", "scrollbind", "cursorbind", "wrap", "foldmethod", "foldcolumn", "foldenable", "foldlevel",
		"number", "signcolumn", "cursorline", "winfixheight" }
	function state()
		local wins = {}
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			local options = {}
			for _, name in ipairs(window_options) do
				options[name] = vim.wo[win][name]
			end
			table.insert(wins, vim.api.nvim_win_call(win, function()
				local jumps = vim.tbl_map(function(jump) return { jump.bufnr, jump.lnum, jump.col } end, vim.fn.getjumplist()[1])
				return { win, vim.api.nvim_win_get_buf(win), vim.fn.winsaveview(), options, jumps, vim.w[win],
					vim.api.nvim_win_get_height(win), vim.api.nvim_win_get_width(win) }
			end))
		end
		local registers = {}
		for char in ('"0123456789abc-.:/#%'):gmatch(".") do
			registers[char] = vim.fn.getreg(char)
		end
		registers[":"] = nil
		local marks = {}
		for _, buf in ipairs(vim.api.nvim_list_bufs()) do
			if vim.bo[buf].buflisted and vim.api.nvim_buf_is_loaded(buf) then
				marks[buf] = { vim.fn.getmarklist(buf), vim.api.nvim_buf_get_keymap(buf, "n") }
			end
		end
		return vim.inspect({ wins, vim.fn.winlayout(), vim.api.nvim_get_current_win(), vim.fn.winnr("#"), registers, marks,
			vim.fn.getmarklist(), vim.o.scrollopt, vim.o.hlsearch, vim.v.hlsearch, vim.o.cmdheight, vim.api.nvim_list_tabpages(),
			vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs()), vim.o.undoreload, vim.o.fileformats,
			vim.o.fileencodings })
	end
`

// desk is an editor in which Claude works without asking.
type desk struct {
	*stage.Editor
	t      *testing.T
	lock   claude.Lock
	client *claude.Client
}

// open starts one with a user interface and a server.
func open(t *testing.T, nvim string, setup map[string]any) *desk {
	t.Helper()
	e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: setup})
	e.Lua(nil, helpers)
	e.Command("set columns=160 lines=40")
	lock, client := e.Serve()
	return &desk{e, t, lock, client}
}

// path is that of a file of the project.
func (d *desk) path(name string) string { return filepath.Join(d.Project, name) }

// read is what a file holds.
func (d *desk) read(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "no file"
	} else if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// holds waits until a file holds a text.
func (d *desk) holds(name, want string) {
	d.t.Helper()
	d.eventually(name+" holds it", func() (string, bool) {
		got := d.read(name)
		return got, got == want
	})
}

// eventually waits until something holds; what is seen is told if it never does.
func (d *desk) eventually(what string, see func() (string, bool)) {
	d.t.Helper()
	deadline, pause := time.Now().Add(nvimtest.Patience), time.Millisecond
	for {
		got, ok := see()
		if ok {
			return
		} else if time.Now().After(deadline) {
			d.t.Fatalf("gave up waiting until %s: %q\nmessages: %s", what, got, d.Messages())
		}
		<-time.After(pause)
		pause = min(2*pause, 100*time.Millisecond)
	}
}

// put writes a file as it is on disk, with its permissions if there is one.
func (d *desk) put(name, text string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// value is what a Lua expression is.
func (d *desk) value(expression string) (text string) {
	d.t.Helper()
	d.Lua(&text, `local value = `+expression+`
		return type(value) == "string" and value or line(value)`)
	return text
}

// expect compares what a Lua expression is.
func (d *desk) expect(expression, want string) {
	d.t.Helper()
	if got := d.value(expression); got != want {
		d.t.Errorf("%s is\n\t%s, want\n\t%s\nmessages: %s", expression, got, want, d.Messages())
	}
}

// soon waits until a Lua expression has a value.
func (d *desk) soon(expression, want string) {
	d.t.Helper()
	d.eventually(expression+" is "+want, func() (string, bool) {
		if mode, err := d.Mode(); err == nil && mode.Blocking {
			return "a prompt in mode " + mode.Mode, false
		}
		got := d.value(expression)
		return got, got == want
	})
}

// keys types keys, <> as in mappings.
func (d *desk) keys(keys string) {
	d.t.Helper()
	if _, err := d.Input(keys); err != nil {
		d.t.Fatal(err)
	}
}

// says waits until the user was told something.
func (d *desk) says(want string) {
	d.t.Helper()
	d.eventually("the user is told "+want, func() (string, bool) {
		got := d.value(`table.concat(require("claudecode.log").recent(), "\n")`)
		return got, strings.Contains(got, want)
	})
}

// answer has every question answered with its first choice. It is in the variable asked.
func (d *desk) answer() {
	d.t.Helper()
	d.Lua(nil, `vim.ui.select = function(items, options, on_choice)
		asked = options.prompt
		on_choice(items[1], 1)
	end`)
}

// asks has the last prompt taken back up to the question, which answer() in Lua gives its first choice.
func (d *desk) asks() {
	d.t.Helper()
	d.Lua(nil, `vim.ui.select = function(items, options, on_choice)
		asked, answer = options.prompt, function() on_choice(items[1], 1) end
	end`)
	d.keys(":ClaudeCodeRevert!<CR>")
	d.soon("asked ~= nil", "true")
}

// review opens the review and waits for its first file.
func (d *desk) review(arguments ...string) {
	d.t.Helper()
	d.Lua(nil, `previous = require("claudecode.turns.review").current() or false`)
	d.keys(":ClaudeCodeReview " + strings.Join(arguments, " ") + "<CR>")
	d.soon(`(function(it) return it ~= nil and it ~= previous and it.view ~= nil end)(require("claudecode.turns.review").current())`, "true")
}

// list is what the list of a review shows.
const list = `table.concat(vim.api.nvim_buf_get_lines(require("claudecode.turns.review").current().list, 1, -1, false), "|")`
