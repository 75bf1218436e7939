// Copyright (c) 2026 the claudecoded authors. MIT license.

package stdio

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// token is the one that the editor's clients show.
func token(t *testing.T, env []string) string {
	t.Helper()
	lock, err := claude.Find(stage.LockDir(env), "")
	if err != nil {
		t.Fatal(err)
	}
	return lock.AuthToken
}

// run runs the program and returns how it ended.
func run(t *testing.T, dir string, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := stage.Start(t, dir, env, stage.Binary, args...)
	code, stdout = p.Wait()
	return code, stdout, p.Stderr.String()
}

func TestDoctor_TriesTheWholeWay(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := editor(t, stage.Options{Nvim: nvim})
		if code, out, _ := run(t, e.Project, e.Env, "doctor"); code != 1 || !strings.Contains(out, "BROKEN lock") {
			t.Errorf("before the start: %d, %s", code, out)
		}
		pid := serve(t, e)
		secret := token(t, e.Env)
		code, out, errors := run(t, e.Project, e.Env, "doctor")
		if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || len(lines) != 5 {
			t.Errorf("%d, %s%s", code, out, errors)
		}
		for _, part := range []string{fmt.Sprintf("process %d", pid), "the editor is ready", "answered in"} {
			if !strings.Contains(out, part) {
				t.Errorf("no %q in %s", part, out)
			}
		}
		release := block(t, e)
		code, blocked, _ := run(t, e.Project, e.Env, "doctor")
		release()
		if code != 1 || !strings.Contains(blocked, "BROKEN call") || !strings.Contains(blocked, "Neovim is blocked") ||
			!strings.Contains(blocked, "not responding") {
			t.Errorf("blocked: %d, %s", code, blocked)
		}
		if strings.Contains(out+blocked, secret) {
			t.Error("the report has the token")
		}
	})
}

// block keeps an editor from answering until release is called.
func block(t *testing.T, e *stage.Editor) (release func()) {
	t.Helper()
	begun, over := filepath.Join(e.Project, "begun"), filepath.Join(e.Project, "over")
	ended := make(chan error, 1)
	go func() {
		ended <- e.ExecLua(`
			local begun, over = ...
			io.open(begun, "w"):close()
			while not vim.uv.fs_stat(over) do vim.uv.sleep(10) end
		`, nil, begun, over)
	}()
	nvimtest.Eventually(t, "the editor is blocked", func() bool { return stage.Exists(begun) })
	release = sync.OnceFunc(func() {
		if err := os.WriteFile(over, nil, 0o600); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(release)
	return release
}

func TestList_NamesRunningEditorsWithoutTheirTokens(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := editor(t, stage.Options{Nvim: nvim})
		if code, out, _ := run(t, "", e.Env, "list"); code != 0 || out != "no Neovim with claudecoded runs\n" {
			t.Errorf("%d, %q", code, out)
		}
		pid := serve(t, e)
		text, editors := list(t, e.Env)
		if len(editors) != 1 || editors[0].PID != pid || editors[0].Folders[0] != e.Project || editors[0].State != "ready" {
			t.Errorf("%+v", editors)
		}
		code, table, _ := run(t, "", e.Env, "list")
		if code != 0 || !strings.Contains(table, strconv.Itoa(pid)) || !strings.Contains(table, e.Project) {
			t.Errorf("%d, %s", code, table)
		}
		if strings.Contains(text+table, token(t, e.Env)) {
			t.Error("a token")
		}
		_, daemon := e.PIDs()
		e.Lua(nil, `require("claudecode.supervisor").times.restarts = {}`)
		kill(t, daemon)
		nvimtest.Eventually(t, "it is listed as one that does not answer, or not at all", func() bool {
			_, editors := list(t, e.Env)
			return len(editors) == 0 || !editors[0].Answers && strings.Contains(editors[0].State, "nothing listens")
		})
	})
}

func TestHeaders_LeadToTheEditor(t *testing.T) {
	t.Parallel()
	nvim := nvimtest.Versions(t)[0]
	env := stage.Environment(t)
	first := editor(t, stage.Options{Nvim: nvim, Env: env})
	pid := serve(t, first)
	secret, port := token(t, env), strconv.Itoa(listed(t, env, pid).Port)
	elsewhere := nvimtest.Lookup(env, "HOME")
	var socket string
	first.Lua(&socket, `return vim.v.servername`)
	for name, test := range map[string]struct {
		dir, variable string
		args          []string
		code          int
	}{
		"by the folder":                      {first.Project, "", nil, 0},
		"by the port":                        {elsewhere, "", []string{"--port", port}, 0},
		"by the variable":                    {elsewhere, "CLAUDE_CODE_SSE_PORT=" + port, nil, 0},
		"by the terminal":                    {elsewhere, "NVIM=" + socket, nil, 0},
		"a variable of another, by folder":   {first.Project, "CLAUDE_CODE_SSE_PORT=9", nil, 0},
		"a variable that says nothing":       {first.Project, "CLAUDE_CODE_SSE_PORT=", nil, 0},
		"elsewhere":                          {elsewhere, "", nil, 1},
		"a port that is none":                {first.Project, "", []string{"--port", "9"}, 1},
		"a port that is none, by a variable": {elsewhere, "CLAUDE_CODE_SSE_PORT=9", nil, 1},
	} {
		code, out, errors := run(t, test.dir, append(env, test.variable), append([]string{"headers"}, test.args...)...)
		if code != test.code || strings.Contains(errors, secret) {
			t.Errorf("%s: %d, %s", name, code, errors)
		}
		if test.code != 0 {
			if out != "" || !strings.Contains(errors, "no Neovim with claudecoded runs") {
				t.Errorf("%s: %q, %s", name, out, errors)
			}
			continue
		}
		var header map[string]string
		if err := json.Unmarshal([]byte(out), &header); err != nil || len(header) != 1 || header["Authorization"] != "Bearer "+secret {
			t.Errorf("%s: %v, %v", name, header, err)
		}
	}
}

// What config prints is a command that works.
func TestConfig_NamesThisProgram(t *testing.T) {
	t.Parallel()
	env := stage.Environment(t)
	_, out, notes := run(t, "", env, "config", "claude")
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(out), &config); err != nil || !strings.Contains(notes, ".mcp.json") {
		t.Fatalf("%v: %s%s", err, out, notes)
	}
	entry := config.MCPServers["nvim"]
	own, err := os.Stat(stage.Binary)
	if err != nil {
		t.Fatal(err)
	}
	named, err := os.Stat(entry.Command)
	if err != nil || !filepath.IsAbs(entry.Command) || !os.SameFile(own, named) || entry.Args[0] != "stdio" {
		t.Errorf("%+v, %v", entry, err)
	}
}

// A port that was looked up is another one with the next editor, unless the user fixes it.
func TestConfig_SaysThatALookedUpPortPasses(t *testing.T) {
	t.Parallel()
	env := stage.Environment(t)
	first := editor(t, stage.Options{Nvim: nvimtest.Versions(t)[0], Env: env})
	port := strconv.Itoa(listed(t, env, serve(t, first)).Port)
	hint := "port_range = { min = " + port + ", max = " + port + " }"
	_, out, notes := run(t, first.Project, env, "config", "claude", "--http")
	if !strings.Contains(out, "127.0.0.1:"+port+"/mcp") || !strings.Contains(notes, hint) {
		t.Errorf("looked up: %s%s", out, notes)
	}
	if _, _, notes := run(t, first.Project, env, "config", "claude", "--http", "--port", port); strings.Contains(notes, "port_range") {
		t.Errorf("given: %s", notes)
	}
}
