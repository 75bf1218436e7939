// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/neovim/go-client/nvim"

	"claudecoded/test/nvimtest"
)

const (
	// behaviourVar makes this test binary the daemon: ready, failed, old (speaks
	// another protocol), silent (never answers start), crash (ends at start), deaf
	// (ready, then ignores stop).
	behaviourVar = "CLAUDECODED_FAKE"
	// logVar names the file that gets each message as one line of JSON.
	logVar = "CLAUDECODED_FAKE_LOG"
)

// told is one message that the daemon got.
type told struct {
	Method  string         `json:"method"`
	Message map[string]any `json:"message"`
}

// fake is the daemon's main function. Beside PROTOCOL.md it understands say
// {name, args}, which makes it push that message, and die, which makes it crash.
func fake(behaviour string) int {
	log, err := os.OpenFile(os.Getenv(logVar), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	v, err := nvim.New(os.Stdin, os.Stdout, os.Stdout, func(string, ...any) {})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	pushes := make(chan []any, 16)
	go func() {
		for push := range pushes {
			_ = v.ExecLua(`return require("claudecode.rpc").handle(...)`, nil, push...)
		}
	}()
	push := func(name string, args ...any) { pushes <- append([]any{name}, args...) }
	crash := func() {
		fmt.Fprint(os.Stderr, strings.Repeat("noise\n", 100), "panic: out of ", "cheese\n\nat line 3\n")
		os.Exit(3)
	}
	var one sync.Mutex
	handle := func(method string, do func(message map[string]any)) {
		_ = v.RegisterHandler(method, func(args ...any) {
			one.Lock()
			defer one.Unlock()
			message, _ := args[0].(map[string]any)
			_ = json.NewEncoder(log).Encode(told{method, message})
			do(message)
		})
	}
	for _, method := range []string{"catalogue", "broadcast", "send", "tool_done", "tool_progress", "workspace_folders"} {
		handle(method, func(map[string]any) {})
	}
	handle("say", func(m map[string]any) {
		args, _ := m["args"].([]any)
		push(m["name"].(string), args...)
	})
	handle("die", func(map[string]any) { crash() })
	handle("stop", func(map[string]any) {
		if behaviour != "deaf" {
			os.Exit(0)
		}
	})
	handle("start", func(map[string]any) {
		protocol := 5
		switch behaviour {
		case "failed":
			push("failed", map[string]any{"message": "No free port in 1-2 (EADDRINUSE)", "protocol": 5})
		case "crash":
			crash()
		case "old":
			protocol = 1
			fallthrough
		case "ready", "deaf":
			push("ready", map[string]any{
				"port": 4242, "token": "0123456789abcdef", "pid": os.Getpid(), "protocol": protocol,
				"version": "9.9.9", "lock_file": os.Getenv(logVar),
			})
		}
	})
	_ = v.Serve()
	return 0
}

// told reads what the fake daemon got so far.
func (e *editor) told() []told {
	e.t.Helper()
	data, err := os.ReadFile(e.log)
	if err != nil && !os.IsNotExist(err) {
		e.t.Fatal(err)
	}
	var all []told
	for line := range strings.Lines(string(data)) {
		var one told
		if json.Unmarshal([]byte(line), &one) == nil {
			all = append(all, one)
		}
	}
	return all
}

// awaitTold waits for the n-th message (from 1) of a method and returns it.
func (e *editor) awaitTold(method string, n int) map[string]any {
	e.t.Helper()
	var found map[string]any
	nvimtest.Eventually(e.t, fmt.Sprintf("the daemon was told %s %d times", method, n), func() bool {
		count := 0
		for _, one := range e.told() {
			if one.Method == method {
				count++
				if count == n {
					found = one.Message
					return true
				}
			}
		}
		return false
	})
	return found
}

// say makes the fake daemon push a message.
func (e *editor) say(name string, args ...any) {
	e.t.Helper()
	if args == nil {
		args = []any{}
	}
	e.lua(nil, `require("claudecode.daemon").notify("say", { name = select(1, ...), args = select(2, ...) })`, name, args)
}

// running reports whether the process lives; a zombie does not.
func running(t *testing.T, pid int) bool {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
