// Copyright (c) 2026 the claudecoded authors. MIT license.

package stage

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neovim/go-client/nvim"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

// Options say how to open an Editor.
type Options struct {
	// Nvim is the binary, one of nvimtest.Versions.
	Nvim string
	// Env replaces Environment(t), for editors that share a user.
	Env []string
	// UI attaches a user interface, without which Neovim never stops at a prompt.
	UI bool
	// Setup adds to the options of the plugin's setup(), or replaces them.
	Setup map[string]any
}

// Editor is a Neovim whose user has the plugin.
type Editor struct {
	*nvim.Nvim
	// Env is its environment, Project its working folder.
	Env     []string
	Project string

	t testing.TB
}

// Open starts a Neovim in a project of its own, with the plugin set up and not started.
func Open(t testing.TB, o Options) *Editor {
	t.Helper()
	if o.Env == nil {
		o.Env = Environment(t)
	}
	project := filepath.Join(nvimtest.Lookup(o.Env, "HOME"), "pro ject")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	e := &Editor{
		Nvim: nvimtest.Start(t, nvimtest.Options{Nvim: o.Nvim, Env: o.Env, Dir: project, UI: o.UI}),
		Env:  o.Env, Project: project, t: t,
	}
	if !o.UI {
		e.Command("set columns=200") // room for whole messages
	}
	e.Lua(nil, setup, options(t, o.Setup))
	e.Lua(nil, patience, nvimtest.Patience.Milliseconds())
	return e
}

// setup runs the plugin's setup with options in JSON.
const setup = `require("claudecode").setup(vim.json.decode(...))`

// patience has commands wait for a daemon that is slow to start and to end on a machine that
// is busy.
const patience = `
	require("claudecode.daemon").exit_wait_ms = ...
	require("claudecode.server").start_wait_ms = ...
	require("claudecode.terminal").port_wait_ms = ...
`

// options are those of a test's editor, with more added or in their place.
func options(t testing.TB, more map[string]any) string {
	t.Helper()
	all := map[string]any{
		"auto_start": false,
		// Below the ports that the system gives to connections: a daemon that comes back to
		// its port finds it free.
		"port_range": map[string]any{"min": 10000, "max": 32767},
		"daemon":     map[string]any{"cmd": Binary},
		"terminal":   map[string]any{"provider": "none"}, // no test starts the Claude of its machine
	}
	for name, value := range more {
		if table, ok := value.(map[string]any); ok && all[name] != nil {
			maps.Copy(all[name].(map[string]any), table)
			continue
		}
		all[name] = value
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Args are the arguments of a Neovim that has the plugin, started as soon as there is a
// user interface, and listens at an address for Attach.
func Args(t testing.TB, address string) []string {
	t.Helper()
	text := options(t, map[string]any{"auto_start": true})
	return append(nvimtest.Plugin(t), "--listen", address,
		"-c", "lua "+strings.Replace(setup, "...", "[==["+text+"]==]", 1))
}

// Attach connects to a Neovim that listens, or soon will.
func Attach(t testing.TB, address string, env []string) *Editor {
	t.Helper()
	e := &Editor{Env: env, t: t}
	nvimtest.Eventually(t, "Neovim listens", func() bool {
		var err error
		e.Nvim, err = nvim.Dial(address, nvim.DialLogf(func(string, ...any) {}))
		return err == nil
	})
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// Lua runs code and decodes what it returns into result, if that is not nil.
func (e *Editor) Lua(result any, code string, args ...any) {
	e.t.Helper()
	if err := e.ExecLua(code, result, args...); err != nil {
		e.t.Fatal(err)
	}
}

// Command runs an Ex command.
func (e *Editor) Command(command string) {
	e.t.Helper()
	if err := e.Nvim.Command(command); err != nil {
		e.t.Fatal(err)
	}
}

// Messages is what the user was told since the last :messages clear.
func (e *Editor) Messages() string {
	e.t.Helper()
	messages, err := e.Exec("messages", true)
	if err != nil {
		e.t.Fatal(err)
	}
	return messages
}

// Told runs a command and waits until the user was told what is wanted.
func (e *Editor) Told(command, want string) {
	e.t.Helper()
	e.Command("messages clear")
	e.Command(command)
	nvimtest.Eventually(e.t, fmt.Sprintf(":%s says %q", command, want), func() bool {
		return strings.Contains(e.Messages(), want)
	})
}

// Serve starts the server and connects a client.
func (e *Editor) Serve() (claude.Lock, *claude.Client) {
	e.t.Helper()
	e.Command("ClaudeCodeStart")
	lock := Find(e.t, e.Env)
	return lock, Connect(e.t, lock)
}

// PIDs returns the process ids of Neovim and of its daemon.
func (e *Editor) PIDs() (neovim, daemon int) {
	e.t.Helper()
	var pids [2]int
	e.Lua(&pids, `return { vim.fn.getpid(), vim.fn.jobpid(require("claudecode.daemon").current().channel) }`)
	return pids[0], pids[1]
}

// Write puts a file into the project.
func (e *Editor) Write(name, text string) string {
	e.t.Helper()
	path := filepath.Join(e.Project, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}
