// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// shared is an editor whose server mcp-tools started first.
type shared struct {
	*stage.Editor
	t     *testing.T
	port  int
	token string
}

func share(t *testing.T, nvim string) *shared {
	t.Helper()
	s := &shared{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
	s.Lua(nil, `require("mcp-tools").start()`)
	nvimtest.Eventually(t, "it listens", func() bool {
		s.Lua(&s.port, `return require("mcp-tools").get_port() or 0`)
		return s.port != 0
	})
	s.Lua(&s.token, `return require("mcp-tools.bridge").get_auth_token()`)
	return s
}

// locks are the lock files by which Claude Code finds an editor.
func (s *shared) locks() []string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(stage.LockDir(s.Env), "*.lock"))
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

func (s *shared) locked(n int) {
	s.t.Helper()
	nvimtest.Eventually(s.t, fmt.Sprintf("%d lock files", n), func() bool { return len(s.locks()) == n })
}

// serves checks that clients of HTTP are answered.
func (s *shared) serves() {
	s.t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}}}`
	request, err := http.NewRequestWithContext(stage.Within(s.t), http.MethodPost,
		fmt.Sprintf("http://127.0.0.1:%d/mcp", s.port), strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		s.t.Errorf("answered %s", response.Status)
	}
}

// TestShared_ClaudeFindsTheServerOnlyWhileItsSideIsStarted: whoever starts first launches it, the
// last to stop ends it, and the lock file is Claude's.
func TestShared_ClaudeFindsTheServerOnlyWhileItsSideIsStarted(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		s := share(t, nvim)
		s.locked(0)
		s.serves()
		for range 2 {
			s.Told("ClaudeCodeStart", fmt.Sprintf("started on port %d", s.port))
			s.locked(1)
			lock := stage.Find(t, s.Env)
			if lock.Port != s.port || lock.AuthToken != s.token {
				t.Fatalf("another server: port %d, not %d", lock.Port, s.port)
			}
			client := stage.Connect(t, lock)
			s.Told("ClaudeCodeStop", "stopped")
			s.locked(0)
			nvimtest.Eventually(t, "Claude is sent away", func() bool {
				return client.Request(stage.Within(t), "ping", nil, &struct{}{}) != nil
			})
			if again, err := claude.Dial(context.WithoutCancel(stage.Within(t)), s.port, s.token, claude.Options{}); err == nil {
				_ = again.Close()
				t.Error("Claude is let in")
			}
			s.serves()
		}
		s.Told("ClaudeCodeStop", "is not running")
		s.Lua(nil, `require("mcp-tools").stop()`)
		var running bool
		if s.Lua(&running, `return require("mcp-tools").is_running()`); running {
			t.Error("the server goes on for nobody")
		}
	})
}

// TestShared_LockIsThatOfTheFoldersByThen: a folder may change while no lock file is there.
func TestShared_LockIsThatOfTheFoldersByThen(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		s := share(t, nvim)
		s.Command("cd ..")
		s.Command("ClaudeCodeStart")
		s.locked(1)
		lock := stage.Find(t, s.Env)
		nvimtest.Eventually(t, "the new folder is written", func() bool { return folders(t, lock)[0] == filepath.Dir(s.Project) })
	})
}

// TestShared_DaemonThatDiedComesBackAsItWas, with or without a lock file.
func TestShared_DaemonThatDiedComesBackAsItWas(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		s := share(t, nvim)
		kill := func() {
			s.Lua(nil, `
				local daemon = require("claudecode.daemon")
				local before = daemon.current()
				vim.uv.kill(before.ready.pid, "sigkill")
				assert(vim.wait(20000, function()
					local now = daemon.current()
					return now and now ~= before and now.ready ~= nil
				end, 5), "it does not come back")`)
		}
		kill()
		s.serves()
		s.locked(0)
		s.Command("ClaudeCodeStart")
		s.locked(1)
		kill()
		s.serves()
		s.locked(1)
	})
}
