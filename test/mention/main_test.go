// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package mention tests at-mentions in real Neovims: what the commands and the Lua API
// take, and what a client is sent.
package mention

import (
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// sent is one at_mentioned; a line is -1 if it was not sent.
type sent struct {
	path       string
	start, end int
}

// inbox is what a client was sent.
type inbox struct {
	*claude.Client
	mu       sync.Mutex
	mentions []sent
}

func (b *inbox) take(method string, params json.RawMessage) {
	if method != "at_mentioned" {
		return
	}
	got := struct {
		FilePath           string
		LineStart, LineEnd *int
	}{}
	if err := json.Unmarshal(params, &got); err != nil {
		panic(err)
	}
	line := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mentions = append(b.mentions, sent{got.FilePath, line(got.LineStart), line(got.LineEnd)})
}

func (b *inbox) list() []sent {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]sent(nil), b.mentions...)
}

// open starts an editor whose waits are short but for those that a test sets.
func open(t *testing.T, nvim string, setup map[string]any) *stage.Editor {
	t.Helper()
	all := map[string]any{"connection_wait_delay": 1}
	for name, value := range setup {
		all[name] = value
	}
	e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: all})
	e.Lua(nil, `
		vim.o.columns = 200
		vim.o.swapfile = false
		completed = {}
		vim.api.nvim_create_autocmd("User", { pattern = "ClaudeCodeSendComplete", callback = function(event)
			table.insert(completed, event.data)
		end })
	`)
	return e
}

// still is open with the delays as they are by default, the clock stopped, and the mentions
// counted that leave.
func still(t *testing.T, nvim string, setup map[string]any) *stage.Editor {
	t.Helper()
	all := map[string]any{"connection_wait_delay": 600}
	maps.Copy(all, setup)
	e := open(t, nvim, all)
	e.StopClock()
	e.Lua(nil, `
		local server = require("claudecode.server")
		local broadcast = server.broadcast
		left, written = 0, 0
		server.broadcast = function(method, params, on_written)
			left = left + (method == "at_mentioned" and 1 or 0)
			return broadcast(method, params, on_written and function(n)
				on_written(n)
				vim.schedule(function() written = written + 1 end)
			end)
		end
	`)
	return e
}

// leaves checks how many mentions have left.
func leaves(t *testing.T, e *stage.Editor, want int) {
	t.Helper()
	var got int
	if e.Lua(&got, "return left"); got != want {
		t.Errorf("%d mentions have left, not %d", got, want)
	}
}

// written waits until so many were, and the queue knows.
func written(t *testing.T, e *stage.Editor, want int) {
	t.Helper()
	nvimtest.Eventually(t, "the mentions are written", func() (done bool) {
		e.Lua(&done, "return written == ...", want)
		return done
	})
}

// connect adds a client to a server that runs.
func connect(t *testing.T, lock claude.Lock) *inbox {
	t.Helper()
	b := &inbox{}
	client, err := claude.Dial(stage.Within(t), lock.Port, lock.AuthToken, claude.Options{Notification: b.take})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	b.Client = client
	if _, _, err := client.Start(stage.Within(t)); err != nil {
		t.Fatal(err)
	}
	return b
}

// serve starts the server with one client.
func serve(t *testing.T, e *stage.Editor) *inbox {
	t.Helper()
	e.Command("ClaudeCodeStart")
	b := connect(t, stage.Find(t, e.Env))
	nvimtest.Eventually(t, "Neovim knows the client", func() (connected bool) {
		e.Lua(&connected, `return require("claudecode").is_claude_connected()`)
		return connected
	})
	return b
}

// expect waits until the client was sent these mentions.
func expect(t *testing.T, b *inbox, want ...sent) {
	t.Helper()
	nvimtest.Eventually(t, "the mentions arrive", func() bool { return len(b.list()) >= len(want) })
	got := b.list()
	if len(got) != len(want) {
		t.Fatalf("the client was sent %v, not %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("mention %d is %v, not %v", i+1, got[i], want[i])
		}
	}
}

// types feeds keys as a user does.
func types(t *testing.T, e *stage.Editor, keys string) {
	t.Helper()
	if _, err := e.Input(keys); err != nil {
		t.Fatal(err)
	}
}

// says waits for a message.
func says(t *testing.T, e *stage.Editor, want string) {
	t.Helper()
	nvimtest.Eventually(t, "a message says "+want, func() bool { return strings.Contains(e.Messages(), want) })
}
