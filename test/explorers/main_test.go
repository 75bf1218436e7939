// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package explorers tests how files are mentioned from file explorers, in real Neovims. netrw is
// the real one; of the plugins there is a stand-in each, with the functions that are asked, under
// testdata.
package explorers

import (
	"encoding/json"
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

// explorer is one that files are added from.
type explorer struct {
	// open is Lua that opens it on the folder root.
	open string
	// mark is Lua that marks what is under the cursor; empty: there are no marks.
	mark string
	// flat lists one folder only, not what is in those it lists.
	flat bool
}

var explorers = map[string]explorer{
	"netrw": {
		open: `vim.cmd.edit(vim.fn.fnameescape(root))`,
		mark: `vim.cmd.normal("mf")`,
		flat: true,
	},
	"nvim-tree": {
		open: `require("nvim-tree.api").tree.open({ path = root })`,
		mark: `require("nvim-tree.api").marks.toggle()`,
	},
	"neo-tree": {
		open: `require("neo-tree.command").execute({ dir = root })`,
		mark: `
			local state = require("neo-tree.sources.manager").get_state_for_window()
			state.selected[state.tree:get_node():get_id()] = true
		`,
	},
	"oil":        {open: `require("oil").open(root)`, flat: true},
	"mini-files": {open: `require("mini.files").open(root)`, flat: true},
	"snacks": {
		open: `picker = require("snacks").explorer({ cwd = root })`,
		mark: `table.insert(picker.list.selected, picker.list:get(vim.fn.line(".")))`,
	},
}

// files are in the folder that the explorers show.
var files = []string{"$b [x].txt", "a.txt", "sub/c.txt", "two words/e f.txt", "z.txt"}

// desk is an editor with a folder to explore and a client that is sent mentions.
type desk struct {
	*stage.Editor
	t        *testing.T
	root     string
	before   string // the view when keys were typed
	mu       sync.Mutex
	mentions []string
}

// each runs f for each Neovim and explorer that is wanted.
func each(t *testing.T, f func(d *desk, x explorer), wanted ...string) {
	t.Helper()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, x := range explorers {
			if len(wanted) > 0 && !slices.Contains(wanted, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				d := sit(t, nvim)
				d.serve()
				d.Lua(nil, x.open)
				f(d, x)
			})
		}
	})
}

// sit opens an editor that has every explorer.
func sit(t *testing.T, nvim string) *desk {
	t.Helper()
	e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: map[string]any{
		"connection_wait_delay": 1, "connection_timeout": 60000, "queue_timeout": 60000,
		"terminal": map[string]any{"provider": "none"},
	}})
	d := &desk{Editor: e, t: t, root: filepath.Join(e.Project, "the $root")}
	for _, name := range files {
		path := filepath.Join(d.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stands, err := filepath.Glob(filepath.Join(nvimtest.Root(t), "test", "explorers", "testdata", "*"))
	if err != nil || len(stands) != 6 {
		t.Fatalf("%d stand-ins, %v", len(stands), err)
	}
	e.Lua(nil, `
		local stands
		root, stands = ...
		vim.opt.runtimepath:append(stands)
		vim.o.columns, vim.o.lines = 200, 40
		vim.o.swapfile = false
		contexts = {}
		vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeSendComplete", callback = function(event)
			table.insert(contexts, event.data.context)
		end })
		for _, mode in ipairs({ "n", "x" }) do
			vim.keymap.set(mode, "gt", "<cmd>ClaudeCodeTreeAdd<cr>")
			vim.keymap.set(mode, "gs", "<cmd>ClaudeCodeSend<cr>")
		end
	`, d.root, stands)
	return d
}

func (d *desk) take(method string, params json.RawMessage) {
	if method != "at_mentioned" {
		return
	}
	var got struct {
		FilePath  string
		LineStart *int
	}
	if err := json.Unmarshal(params, &got); err != nil || got.LineStart != nil {
		panic(string(params))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mentions = append(d.mentions, strings.TrimPrefix(got.FilePath, d.root+"/"))
}

// serve starts the server and connects the client.
func (d *desk) serve() {
	d.t.Helper()
	d.Command("ClaudeCodeStart")
	d.connect()
	nvimtest.Eventually(d.t, "Neovim knows the client", func() (connected bool) {
		d.Lua(&connected, `return require("claudecode").is_claude_connected()`)
		return connected
	})
}

func (d *desk) connect() {
	d.t.Helper()
	lock := stage.Find(d.t, d.Env)
	client, err := claude.Dial(stage.Within(d.t), lock.Port, lock.AuthToken, claude.Options{Notification: d.take})
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = client.Close() })
	if _, _, err := client.Start(stage.Within(d.t)); err != nil {
		d.t.Fatal(err)
	}
}

// to moves the cursor to the end of the line that ends with a name.
func (d *desk) to(name string) {
	d.t.Helper()
	var line int
	d.Lua(&line, `return vim.fn.search("\\V" .. (...) .. "\\v[/*@]?$", "cwe")`, name)
	if line == 0 {
		d.t.Fatalf("no line shows %s", name)
	}
}

// view is where the user is, and what a yank would have changed.
func (d *desk) view() (view string) {
	d.t.Helper()
	d.Lua(&view, `return vim.inspect({ vim.fn.winsaveview(), vim.api.nvim_get_current_win(), vim.fn.getreg('"') })`)
	return view
}

// types feeds keys.
func (d *desk) types(keys string) {
	d.t.Helper()
	d.before = d.view()
	if strings.HasPrefix(keys, "V") {
		d.before = "" // the keys themselves move the cursor
	}
	if _, err := d.Input(keys); err != nil {
		d.t.Fatal(err)
	}
}

// sent waits until the client was sent these paths, relative to root, since the last time, and
// each was announced with the context. The editor is in Normal mode, and where it was.
func (d *desk) sent(context string, want ...string) {
	d.t.Helper()
	list := func() []string {
		d.mu.Lock()
		defer d.mu.Unlock()
		return slices.Clone(d.mentions)
	}
	nvimtest.Eventually(d.t, strings.Join(want, ", ")+" are mentioned", func() bool { return len(list()) >= len(want) })
	var contexts []string
	nvimtest.Eventually(d.t, "they are announced", func() bool {
		d.Lua(&contexts, "return contexts")
		return len(contexts) >= len(want)
	})
	if got := list(); !slices.Equal(got, want) {
		d.t.Errorf("the client was sent %q, not %q", got, want)
	}
	for _, got := range contexts {
		if got != context {
			d.t.Errorf("the context is %q, not %q", got, context)
		}
	}
	if mode, err := d.Mode(); err != nil || mode.Mode != "n" {
		d.t.Errorf("the mode is %v, %v", mode, err)
	}
	if after := d.view(); d.before != "" && d.before != after {
		d.t.Errorf("the window is at %s, not at %s", after, d.before)
	}
	d.before = ""
	d.Lua(nil, "contexts = {}")
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mentions = nil
}
