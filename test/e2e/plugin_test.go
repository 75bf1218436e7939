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
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// editor is a Neovim whose user has the plugin, and started nothing yet.
type editor struct {
	*stage.Editor
	t *testing.T
}

func open(t *testing.T, binaryOfNvim string) *editor {
	t.Helper()
	return &editor{stage.Open(t, stage.Options{Nvim: binaryOfNvim}), t}
}

func TestPlugin_StartWritesTheLockFileForThisNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		e := open(t, binaryOfNvim)
		e.Told("ClaudeCodeStart", "integration started on port ")
		lock := stage.Find(t, e.Env)
		neovim, _ := e.PIDs()
		want := claude.Lock{
			PID: neovim, WorkspaceFolders: []string{e.Project}, IDEName: "Neovim", Transport: "ws",
			AuthToken: lock.AuthToken, Path: lock.Path, Port: lock.Port,
		}
		if diff := cmp.Diff(want, lock); diff != "" {
			t.Error(diff)
		}
		if len(lock.AuthToken) < 32 {
			t.Errorf("a token of %d characters", len(lock.AuthToken))
		}
		for path, mode := range map[string]os.FileMode{lock.Path: 0o600, stage.LockDir(e.Env): os.ModeDir | 0o700} {
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
		e.Command("ClaudeCodeStart")
		lock := stage.Find(t, e.Env)
		client, err := claude.Dial(stage.Within(t), lock.Port, lock.AuthToken, claude.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		hello, tools, err := client.Start(stage.Within(t))
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
	e.Lua(&connected, `return require("claudecode").is_claude_connected()`)
	return connected
}

func (e *editor) checkFolders(client *claude.Client) {
	e.t.Helper()
	result, err := client.Call(stage.Within(e.t), "getWorkspaceFolders", nil)
	if err != nil {
		e.t.Fatal(err)
	}
	var got any
	if err := result.Decode(&got); err != nil {
		e.t.Fatal(err)
	}
	want := map[string]any{
		"success":  true,
		"rootPath": e.Project,
		"folders": []any{map[string]any{
			"name": "pro ject", "path": e.Project, "uri": "file://" + e.Project,
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		e.t.Error(diff)
	}
}

func (e *editor) checkOpenFile(client *claude.Client) {
	e.t.Helper()
	path := e.Write("main $x [1].txt", "one\ntwo\n")
	result, err := client.Call(stage.Within(e.t), "openFile",
		map[string]any{"filePath": path, "preview": false, "startText": "", "endText": "", "makeFrontmost": true})
	if err != nil {
		e.t.Fatal(err)
	}
	if text, err := result.Text(); err != nil || text != "Opened file: "+path {
		e.t.Errorf("openFile answered %q, %v", text, err)
	}
	var shown string
	e.Lua(&shown, `return vim.api.nvim_buf_get_name(0)`)
	if shown != path {
		e.t.Errorf("Neovim shows %q", shown)
	}
	_, err = client.Call(stage.Within(e.t), "openFile", map[string]any{"filePath": path + ".not"})
	if code, data := failure(err); code != -32000 || !strings.Contains(data, "File not found") {
		e.t.Errorf("a missing file was answered %v", err)
	}
	_, err = client.Call(stage.Within(e.t), "openFile", nil)
	if code, data := failure(err); code != -32602 || !strings.Contains(data, "Missing filePath parameter") {
		e.t.Errorf("no path was answered %v", err)
	}
}

func (e *editor) checkDiagnostics(client *claude.Client) {
	e.t.Helper()
	path := filepath.Join(e.Project, "main $x [1].txt")
	e.Lua(nil, `
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
		var got []file
		if err := stage.Diagnostics(e.t, client, arguments).Decode(&got); err != nil {
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
		e.Command("ClaudeCodeStart")
		lock := stage.Find(t, e.Env)
		for _, token := range []string{"", "x" + lock.AuthToken[1:]} {
			_, err := claude.Dial(stage.Within(t), lock.Port, token, claude.Options{})
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
		e.Told("ClaudeCodeStatus", "is not running")
		e.Command("ClaudeCodeStart")
		lock := stage.Find(t, e.Env)
		e.Told("ClaudeCodeStatus", fmt.Sprintf("is running on port %d", lock.Port))
		client := stage.Connect(t, lock)
		_, daemon := e.PIDs()

		stopped := time.Now()
		e.Told("ClaudeCodeStop", "stopped")
		stage.ExpectGone(t, stopped, daemon, lock, client)
		e.Told("ClaudeCodeStatus", "is not running")
		e.Command("ClaudeCodeStart")
		stage.Connect(t, stage.Find(t, e.Env))
	})
}
