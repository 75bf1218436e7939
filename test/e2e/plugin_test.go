// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/neovim/go-client/nvim"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

// editor is a Neovim whose user has the plugin.
type editor struct {
	*nvim.Nvim
	t       *testing.T
	env     []string
	project string
}

// open starts a Neovim in a project of its own, with the plugin set up and not started.
func open(t *testing.T, binaryOfNvim string) *editor {
	t.Helper()
	env := environment(t)
	project := filepath.Join(nvimtest.Lookup(env, "HOME"), "pro ject")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	e := &editor{nvimtest.Start(t, nvimtest.Options{Nvim: binaryOfNvim, Env: env, Dir: project}), t, env, project}
	e.command("set columns=200") // room for whole messages
	e.lua(nil, `require("claudecode").setup({ auto_start = false, daemon = { cmd = ... } })`, binary)
	return e
}

// lua runs code and decodes what it returns into result, if that is not nil.
func (e *editor) lua(result any, code string, args ...any) {
	e.t.Helper()
	if err := e.ExecLua(code, result, args...); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) command(command string) {
	e.t.Helper()
	if err := e.Command(command); err != nil {
		e.t.Fatal(err)
	}
}

// told runs a command and waits until the user was told what is wanted.
func (e *editor) told(command, want string) {
	e.t.Helper()
	e.command("messages clear")
	e.command(command)
	nvimtest.Eventually(e.t, fmt.Sprintf(":%s says %q", command, want), func() bool {
		messages, err := e.Exec("messages", true)
		if err != nil {
			e.t.Fatal(err)
		}
		return strings.Contains(messages, want)
	})
}

// pids returns the process ids of Neovim and of its daemon.
func (e *editor) pids() (neovim, daemon int) {
	e.t.Helper()
	var pids [2]int
	e.lua(&pids, `return { vim.fn.getpid(), vim.fn.jobpid(require("claudecode.daemon").current().channel) }`)
	return pids[0], pids[1]
}

func (e *editor) write(name, text string) string {
	e.t.Helper()
	path := filepath.Join(e.project, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}

func TestPlugin_StartWritesTheLockFileForThisNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		e := open(t, binaryOfNvim)
		e.told("ClaudeCodeStart", "integration started on port ")
		lock := find(t, e.env)
		neovim, _ := e.pids()
		want := claude.Lock{
			PID: neovim, WorkspaceFolders: []string{e.project}, IDEName: "Neovim", Transport: "ws",
			AuthToken: lock.AuthToken, Path: lock.Path, Port: lock.Port,
		}
		if diff := cmp.Diff(want, lock); diff != "" {
			t.Error(diff)
		}
		if len(lock.AuthToken) < 32 {
			t.Errorf("a token of %d characters", len(lock.AuthToken))
		}
		for path, mode := range map[string]os.FileMode{lock.Path: 0o600, lockDir(e.env): os.ModeDir | 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
			}
		}
	})
}

func TestPlugin_AnswersTheRealClientsConversation(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		e := open(t, binaryOfNvim)
		e.command("ClaudeCodeStart")
		lock := find(t, e.env)
		client, err := claude.Dial(within(t), lock.Port, lock.AuthToken, claude.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		hello, tools, err := client.Start(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if hello.ProtocolVersion != "2024-11-05" || hello.ServerInfo.Name != "claudecode-neovim" {
			t.Errorf("initialize answered %v", hello)
		}
		for _, name := range []string{"getWorkspaceFolders", "openFile", "getDiagnostics"} {
			if !slices.ContainsFunc(tools, func(tool claude.Tool) bool { return tool.Name == name }) {
				t.Errorf("%s is not listed", name)
			}
		}
		nvimtest.Eventually(t, "Neovim knows the client", func() bool { return e.connected() })

		e.checkFolders(client)
		e.checkOpenFile(client)
		e.checkDiagnostics(client)

		if err := client.Close(); err != nil {
			t.Error(err)
		}
		nvimtest.Eventually(t, "Neovim knows that the client left", func() bool { return !e.connected() })
	})
}

func (e *editor) connected() (connected bool) {
	e.t.Helper()
	e.lua(&connected, `return require("claudecode").is_claude_connected()`)
	return connected
}

func (e *editor) checkFolders(client *claude.Client) {
	e.t.Helper()
	result, err := client.Call(within(e.t), "getWorkspaceFolders", nil)
	if err != nil {
		e.t.Fatal(err)
	}
	var got any
	if err := result.Decode(&got); err != nil {
		e.t.Fatal(err)
	}
	want := map[string]any{
		"success":  true,
		"rootPath": e.project,
		"folders": []any{map[string]any{
			"name": "pro ject", "path": e.project, "uri": "file://" + e.project,
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		e.t.Error(diff)
	}
}

func (e *editor) checkOpenFile(client *claude.Client) {
	e.t.Helper()
	path := e.write("main $x [1].txt", "one\ntwo\n")
	result, err := client.Call(within(e.t), "openFile",
		map[string]any{"filePath": path, "preview": false, "startText": "", "endText": "", "makeFrontmost": true})
	if err != nil {
		e.t.Fatal(err)
	}
	if text, err := result.Text(); err != nil || text != "Opened file: "+path {
		e.t.Errorf("openFile answered %q, %v", text, err)
	}
	var shown string
	e.lua(&shown, `return vim.api.nvim_buf_get_name(0)`)
	if shown != path {
		e.t.Errorf("Neovim shows %q", shown)
	}
	_, err = client.Call(within(e.t), "openFile", map[string]any{"filePath": path + ".not"})
	if code, data := failure(err); code != -32000 || !strings.Contains(data, "File not found") {
		e.t.Errorf("a missing file was answered %v", err)
	}
	_, err = client.Call(within(e.t), "openFile", nil)
	if code, data := failure(err); code != -32602 || !strings.Contains(data, "Missing filePath parameter") {
		e.t.Errorf("no path was answered %v", err)
	}
}

func (e *editor) checkDiagnostics(client *claude.Client) {
	e.t.Helper()
	path := filepath.Join(e.project, "main $x [1].txt")
	e.lua(nil, `
		vim.diagnostic.set(vim.api.nvim_create_namespace("e2e"), 0, { {
			lnum = 1, col = 2, end_lnum = 1, end_col = 3, message = "not <three>", severity = vim.diagnostic.severity.WARN,
			source = "e2e", code = 7,
		} })`)
	type position struct{ Line, Character int }
	type diagnostic struct {
		Message, Severity, Source, Code string
		Range                           struct{ Start, End position }
	}
	type file struct {
		URI         string
		Diagnostics []diagnostic
	}
	want := []file{{Diagnostics: []diagnostic{{Message: "not <three>", Severity: "Warning", Source: "e2e", Code: "7"}}}}
	want[0].Diagnostics[0].Range.Start = position{1, 2}
	want[0].Diagnostics[0].Range.End = position{1, 3}
	for _, arguments := range []any{map[string]string{"uri": "file://" + path}, nil} {
		result, err := client.Call(within(e.t), "getDiagnostics", arguments)
		if err != nil {
			e.t.Fatal(err)
		}
		var got []file
		if err := result.Decode(&got); err != nil {
			e.t.Fatal(err)
		}
		want[0].URI = "file://" + path
		if diff := cmp.Diff(want, got); diff != "" {
			e.t.Errorf("getDiagnostics %v: %s", arguments, diff)
		}
	}
}

// failure is the code and the data of a JSON-RPC error.
func failure(err error) (code int, data string) {
	var failed *claude.RPCError
	if !errors.As(err, &failed) {
		return 0, ""
	}
	_ = json.Unmarshal(failed.Data, &data)
	return failed.Code, data
}

func TestPlugin_RefusesAClientWithAnotherToken(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		e := open(t, binaryOfNvim)
		e.command("ClaudeCodeStart")
		lock := find(t, e.env)
		for _, token := range []string{"", "x" + lock.AuthToken[1:]} {
			_, err := claude.Dial(within(t), lock.Port, token, claude.Options{})
			var refused *claude.RejectedError
			if !errors.As(err, &refused) || refused.Status != 400 {
				t.Errorf("token %q: %v", token, err)
			}
		}
	})
}

func TestPlugin_StatusAndStopSayWhatIs(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		e := open(t, binaryOfNvim)
		e.told("ClaudeCodeStatus", "is not running")
		e.command("ClaudeCodeStart")
		lock := find(t, e.env)
		e.told("ClaudeCodeStatus", fmt.Sprintf("is running on port %d", lock.Port))
		client := connect(t, lock)
		_, daemon := e.pids()

		stopped := time.Now()
		e.told("ClaudeCodeStop", "stopped")
		expectGone(t, stopped, daemon, lock, client)
		e.told("ClaudeCodeStatus", "is not running")
		e.command("ClaudeCodeStart")
		connect(t, find(t, e.env))
	})
}

func TestPlugin_LeavesNothingWhenNeovimEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(e *editor, pid int) error{
		":qa!":    func(e *editor, _ int) error { _ = e.Command("qa!"); return nil },
		":cquit":  func(e *editor, _ int) error { _ = e.Command("cquit"); return nil },
		"SIGKILL": func(_ *editor, pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
		"SIGTERM": func(_ *editor, pid int) error { return syscall.Kill(pid, syscall.SIGTERM) },
		"SIGHUP":  func(_ *editor, pid int) error { return syscall.Kill(pid, syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
				e := open(t, binaryOfNvim)
				e.command("ClaudeCodeStart")
				lock := find(t, e.env)
				client := connect(t, lock)
				neovim, daemon := e.pids()
				ended := time.Now()
				if err := end(e, neovim); err != nil {
					t.Fatal(err)
				}
				expectGone(t, ended, daemon, lock, client)
			})
		})
	}
}
