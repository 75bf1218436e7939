// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// pingInterval is short, so that a client whose pongs nobody sees is soon dropped: after
// silentTicks of them.
const (
	pingInterval = 700 * time.Millisecond
	silentTicks  = 3
)

// oftenPinging are options with that interval.
var oftenPinging = map[string]any{"daemon": map[string]any{"ping_interval_ms": pingInterval.Milliseconds()}}

// block is a way to keep an editor from answering.
type block struct {
	keys    string // that block it, or
	lua     string // that blocks it until the file ... exists, and the keys
	release string // that a prompt waits for
	reason  string // that calls are refused with
}

const (
	notResponding = `not responding for \d`
	atPrompt      = `waiting for your input \(mode r`
)

var blocks = map[string]block{
	"a busy loop": {lua: `while not vim.uv.fs_stat(...) do end`, reason: notResponding},
	"system()": {
		lua: `vim.fn.system({ "sh", "-c", 'until test -e "$0"; do sleep 0.05; done', ... })`, reason: notResponding,
	},
	"vim.system():wait()": {
		lua: `vim.system({ "sh", "-c", 'until test -e "$0"; do sleep 0.05; done', ... }):wait()`, reason: notResponding,
	},
	"hit-enter": {keys: `:echo "one\ntwo\nthree"<CR>`, release: "<CR>", reason: atPrompt},
	"more":      {keys: `:echo join(range(100), "\n")<CR>`, release: "q", reason: atPrompt + "m"},
}

// apply blocks the editor and returns what brings it back.
func (b block) apply(t *testing.T, e *stage.Editor) (release func()) {
	t.Helper()
	if b.lua == "" {
		if _, err := e.Input(b.keys); err != nil {
			t.Fatal(err)
		}
		nvimtest.Eventually(t, "Neovim waits for a key", func() bool { return waits(t, e) })
		return func() { types(b.release)(e, 0) }
	}
	started, file := filepath.Join(e.Project, "started"), filepath.Join(e.Project, "released")
	ended := make(chan error, 1)
	code := `local started, released = ... io.open(started, "w"):close();
		(function(...) ` + b.lua + ` end)(released)`
	go func() { ended <- e.ExecLua(code, nil, started, file) }()
	nvimtest.Eventually(t, "Neovim is busy", func() bool { return stage.Exists(started) })
	release = func() {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(func() {
		release()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return release
}

// waits tells whether Neovim waits for a key at a prompt.
func waits(t *testing.T, e *stage.Editor) bool {
	t.Helper()
	mode, err := e.Mode()
	if err != nil {
		t.Fatal(err)
	}
	return mode.Blocking
}

func eachBlock(t *testing.T, setup map[string]any, check func(t *testing.T, e *stage.Editor, b block)) {
	for name, b := range blocks {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				check(t, stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: setup}), b)
			})
		})
	}
}

func TestBlocked_TheDaemonAnswersAsIfTheEditorWereIdle(t *testing.T) {
	t.Parallel()
	eachBlock(t, oftenPinging, func(t *testing.T, e *stage.Editor, b block) {
		lock, client := e.Serve()
		release := b.apply(t, e)
		answered := make(chan error, 1)
		go func() {
			_, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil)
			answered <- err
		}()
		checkDaemonAlone(t, lock, client)
		checkDiagnosticsFail(t, client, e, b.reason)
		passes((silentTicks + 1) * pingInterval)
		checkDaemonAlone(t, lock, client)
		select {
		case err := <-answered:
			t.Fatalf("the editor was not blocked: %v", err)
		default: // so nothing above waited for it
		}
		release()
		if err := <-answered; err != nil {
			t.Errorf("once the editor is back: %v", err)
		}
		stage.Diagnostics(t, client, nil)
	})
}

// checkDaemonAlone checks what a client gets without the editor's help. The editor is kept
// from helping until the caller lets it.
func checkDaemonAlone(t *testing.T, lock claude.Lock, old *claude.Client) {
	t.Helper()
	check := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	client, err := claude.Dial(stage.Within(t), lock.Port, lock.AuthToken, claude.Options{})
	check("handshake", err)
	if err != nil {
		return
	}
	defer client.Close()
	_, tools, err := client.Start(stage.Within(t))
	if check("initialize and tools/list", err); len(tools) == 0 {
		t.Error("no tools are listed")
	}
	for _, c := range []*claude.Client{client, old} {
		check("ping", c.Request(stage.Within(t), "ping", nil, &struct{}{}))
	}
	check("a WebSocket ping", pong(stage.Within(t), lock))
}

// pong pings the server with a control frame and reads its answer.
func pong(ctx context.Context, lock claude.Lock) error {
	header := http.Header{"X-Claude-Code-Ide-Authorization": {lock.AuthToken}}
	dialer := ws.Dialer{Header: ws.HandshakeHeaderHTTP(header), Protocols: []string{"mcp"}}
	conn, _, _, err := dialer.Dial(ctx, fmt.Sprintf("ws://127.0.0.1:%d/", lock.Port))
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := ws.WriteFrame(conn, ws.MaskFrameInPlace(ws.NewPingFrame([]byte("hello")))); err != nil {
		return err
	}
	for {
		header, err := ws.ReadHeader(conn)
		if err != nil {
			return err
		}
		payload := make([]byte, min(header.Length, ws.MaxControlFramePayloadSize))
		if _, err := io.ReadFull(conn, payload); err != nil {
			return err
		}
		if header.OpCode == ws.OpPing {
			continue // the server's own
		}
		if header.OpCode != ws.OpPong || string(payload) != "hello" {
			return fmt.Errorf("opcode %v, %q", header.OpCode, payload)
		}
		return nil
	}
}

// checkDiagnosticsFail checks that the errors of getDiagnostics soon say a reason.
func checkDiagnosticsFail(t *testing.T, client *claude.Client, e *stage.Editor, reason string) {
	t.Helper()
	nvimtest.Eventually(t, "getDiagnostics says "+reason, func() bool {
		return says(t, diagnosticsError(t, client, e), reason)
	})
}

// diagnosticsError checks that an unknown state of a file is an error, at the deadline that
// suits the real client, and returns it.
func diagnosticsError(t *testing.T, client *claude.Client, e *stage.Editor) string {
	t.Helper()
	began := time.Now()
	result, err := client.Call(stage.Within(t), "getDiagnostics", map[string]string{"uri": "file://" + e.Project})
	var failed *claude.RPCError
	if !errors.As(err, &failed) {
		t.Fatalf("getDiagnostics answered %v, %v", result, err)
	}
	if took := time.Since(began); took < 300*time.Millisecond || !strings.Contains(failed.Error(), "no answer within 400ms") {
		t.Errorf("getDiagnostics ended after %v: %v", took, failed)
	}
	return failed.Error()
}

func says(t *testing.T, said, reason string) bool {
	t.Helper()
	matched, err := regexp.MatchString(reason, said)
	if err != nil {
		t.Fatal(err)
	}
	return matched
}

func TestBlocked_TheFirstErrorSaysWhy(t *testing.T) {
	t.Parallel()
	eachBlock(t, nil, func(t *testing.T, e *stage.Editor, b block) {
		e.Lua(nil, `
			require("mcp-tools.registry").register({
				name = "brief", description = "d", ide = true, timeout = 4000, execute = function() end,
			})`)
		_, client := e.Serve()
		b.apply(t, e)
		reason, _, _ := strings.Cut(b.reason, " for ") // that is said from a second on
		if _, err := client.Call(stage.Within(t), "brief", nil); err == nil || !says(t, err.Error(), reason) {
			t.Errorf("the first error is %v", err)
		}
	})
}

// TestConfirm_IsTheUsersAlone holds whether the version of Neovim serves calls while
// confirm() asks, as 0.12 does, or not.
func TestConfirm_IsTheUsersAlone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
		lock, client := e.Serve()
		types(`:let g:answer = confirm("Really?", "&Yes\n&No", 2)<CR>`)(e, 0)
		var blocked bool
		nvimtest.Eventually(t, "Neovim asks", func() bool {
			mode, err := e.Mode()
			blocked = mode.Blocking
			return err == nil && mode.Mode == "r?"
		})
		checkDaemonAlone(t, lock, client)
		if blocked {
			checkDiagnosticsFail(t, client, e, atPrompt)
		} else {
			stage.Diagnostics(t, client, nil)
		}
		types("y")(e, 0)
		var answer int
		nvimtest.Eventually(t, "confirm() has returned", func() bool {
			e.Lua(&answer, `return vim.g.answer or -1`)
			return answer != -1
		})
		if answer != 1 {
			t.Errorf("the user's answer became %d", answer)
		}
		stage.Diagnostics(t, client, nil)
	})
}

func TestInsertMode_AnswersCallsAndKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
		lock, client := e.Serve()
		types("iab")(e, 0)
		nvimtest.Eventually(t, "the user types", func() bool {
			mode, err := e.Mode()
			return err == nil && mode.Mode == "i"
		})
		checkDaemonAlone(t, lock, client)
		if _, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil); err != nil {
			t.Error(err)
		}
		stage.Diagnostics(t, client, nil)
		types("c")(e, 0)
		var line string
		nvimtest.Eventually(t, "all is typed", func() bool {
			e.Lua(&line, `return vim.api.nvim_get_current_line()`)
			return len(line) >= 3
		})
		if mode, err := e.Mode(); err != nil || mode.Mode != "i" || line != "abc" {
			t.Errorf("mode %v, %v, text %q", mode, err, line)
		}
	})
}
