// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// secret is in everything that must not be logged: files, the selection, what clients say
// and what tools answer, wrong tokens.
const secret = "Sesame-7f3a"

// raising registers a tool for each way to fail with the secret.
const raising = `
	local secret = ...
	local function tool(name, execute)
		require("mcp-tools.registry").register({
			name = name, description = "d", ide = true, execute = execute,
			input_schema = { type = "object", properties = { number = { type = "number" } } },
		})
	end
	tool("raises", function() error("in " .. secret) end)
	tool("refuses", function(cb) cb(nil, "no " .. secret) end)
	tool("rejects", function(cb) cb(nil, { code = -32001, message = secret, data = secret }) end)
	tool("cannot", function(cb) cb({ [secret] = print }) end)
	tool("late", function(cb) vim.schedule(function() cb(nil, secret) end) end)`

// logLine is one event.
var logLine = regexp.MustCompile(`^time=\S+ level=(TRACE|DEBUG|INFO|WARN|ERROR) msg=("([^"\\]|\\.)*"|\S+)( [\w.]+=("([^"\\]|\\.)*"|\S*))*$`)

func TestLog_OfAWholeSessionHoldsNoContentAndNoToken(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"trace", "debug"} {
		t.Run(level, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				file := filepath.Join(nvimtest.Dir(t), "daemon.log")
				e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: map[string]any{
					"log_level": level, "daemon": map[string]any{"log_file": file},
				}})
				must(t, e.TryResizeUI(120, 24))
				e.Lua(nil, raising, secret)
				lock, client := e.Serve()
				work(t, e, client)
				refused(t, lock)
				knows(t, e, 1)
				must(t, client.Close())
				knows(t, e, 0)
				var stderr []string
				e.Told("ClaudeCodeStop", "stopped")
				e.Lua(&stderr, `return require("claudecode.daemon").stderr()`)
				e.Command("ClaudeCodeLog")
				var shown []string
				e.Lua(&shown, `return vim.api.nvim_buf_get_lines(0, 0, -1, false)`)
				for where, text := range map[string]string{
					"the log file": read(t, file), "stderr": strings.Join(stderr, "\n"),
					":ClaudeCodeLog": strings.Join(shown, "\n"), ":messages": e.Messages(),
				} {
					for what, hidden := range map[string]string{"content": secret, "the token": lock.AuthToken} {
						if strings.Contains(text, hidden) {
							t.Errorf("%s holds %s: %s", where, what, linesWith(text, hidden))
						}
					}
				}
				checkEvents(t, read(t, file))
				if waits(t, e) {
					t.Error("Neovim waits for a key")
				}
			})
		})
	}
}

// work makes a client use the tools, well and badly, while the secret is everywhere.
func work(t *testing.T, e *stage.Editor, client *claude.Client) {
	t.Helper()
	path := e.Write("file.txt", "first\n"+secret+"\nlast\n")
	for _, call := range []struct {
		tool string
		args map[string]any
		ok   bool
	}{
		{"openFile", map[string]any{"filePath": path, "startText": secret, "endText": secret}, true},
		{"getCurrentSelection", nil, true},
		{"getLatestSelection", nil, true},
		{"getOpenEditors", nil, true},
		{"checkDocumentDirty", map[string]any{"filePath": path}, true},
		{"saveDocument", map[string]any{"filePath": path}, true},
		{"close_tab", map[string]any{"tab_name": secret}, true},
		{"openFile", map[string]any{"filePath": "/no/" + secret}, false},
		{"openFile", map[string]any{"text": secret}, false},
		{"raises", nil, false},
		{"refuses", nil, false},
		{"rejects", nil, false},
		{"cannot", nil, false},
		{"late", map[string]any{"number": secret}, false},
	} {
		result, err := client.Call(stage.Within(t), call.tool, call.args)
		var refused *claude.RPCError
		if err != nil && !errors.As(err, &refused) {
			t.Fatalf("%s: %v", call.tool, err)
		}
		if failed := err != nil; failed == call.ok {
			t.Errorf("%s %v: %v, %v", call.tool, call.args, result, err)
		}
	}
	stage.Diagnostics(t, client, nil)
	e.Command("edit " + "file.txt")
	types("ggVG")(e, 0)
	if _, err := client.Call(stage.Within(t), "getCurrentSelection", nil); err != nil {
		t.Error(err)
	}
	types("<Esc>")(e, 0)
	e.Lua(nil, `require("claudecode.server").broadcast("selection_changed", { text = ... })`, secret)
	must(t, client.Notify("notifications/cancelled", map[string]string{"reason": secret}))
	if err := client.Request(stage.Within(t), "no_such/method", map[string]string{"a": secret}, &struct{}{}); err == nil {
		t.Error("an unknown method was answered")
	}
}

// refused makes clients that the server refuses.
func refused(t *testing.T, lock claude.Lock) {
	t.Helper()
	for _, token := range []string{"", secret, lock.AuthToken + secret} {
		if conn, err := claude.DialConn(stage.Within(t), lock.Port, token); err == nil {
			_ = conn.Close()
			t.Errorf("a client with the token %q was let in", token)
		}
	}
	for _, path := range []string{"/mcp", "/", "/sse", "/" + secret} {
		url := fmt.Sprintf("http://127.0.0.1:%d%s", lock.Port, path)
		request, err := http.NewRequestWithContext(stage.Within(t), http.MethodPost, url, strings.NewReader(secret))
		must(t, err)
		request.Header.Set("Authorization", "Bearer "+secret)
		request.Close = true
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode < 400 {
				t.Errorf("%s answered %s", path, answer.Status)
			}
		}
	}
	conn := dial(t, lock)
	for _, text := range []string{secret, `{"` + secret, `{"jsonrpc":"2.0","id":1,"method":5,"params":"` + secret + `"}`, `[` + secret} {
		write(t, conn, "%s", text)
	}
	expect(t, conn, `"error"`)
	must(t, conn.Close())
}

// checkEvents checks that every line is one event, and none above debug but of the start,
// the end and those who were refused.
func checkEvents(t *testing.T, log string) {
	t.Helper()
	seen := map[string]int{}
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		found := logLine.FindStringSubmatch(line)
		if found == nil {
			t.Errorf("not one event: %q", line)
			continue
		}
		seen[strings.Trim(found[2], `"`)]++
		if level := found[1]; level == "DEBUG" || level == "TRACE" {
			continue
		}
		expected := false
		for _, news := range []string{"listening", "leaving", "Rejected client_", "Rejected a request of client_", "removed stale lock files"} {
			expected = expected || strings.HasPrefix(strings.Trim(found[2], `"`), news)
		}
		if !expected {
			t.Errorf("news to nobody: %s", line)
		}
	}
	if seen["tools/call failed"] == 0 || seen["leaving"] != 1 {
		t.Errorf("the log tells of too little: %v", seen)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func linesWith(text, part string) (found []string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}
