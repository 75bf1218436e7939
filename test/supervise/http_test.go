// Copyright (c) 2026 the claudecoded authors. MIT license.

package supervise

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// guest is a client of MCP over HTTP.
type guest struct {
	t      *testing.T
	lock   claude.Lock
	client *http.Client
}

func newGuest(t *testing.T, lock claude.Lock) *guest {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &guest{t, lock, &http.Client{Transport: transport}}
}

// ask sends a request with fields of its header, name and value in turn.
func (g *guest) ask(method, body string, fields ...string) (status int, session, text string) {
	g.t.Helper()
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", g.lock.Port)
	request, err := http.NewRequestWithContext(stage.Within(g.t), method, url, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	fields = append(fields, "Authorization", "Bearer "+g.lock.AuthToken,
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream")
	for ; len(fields) > 0; fields = fields[2:] {
		request.Header.Set(fields[0], fields[1])
	}
	response, err := g.client.Do(request)
	if err != nil {
		g.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		g.t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Mcp-Session-Id"), string(read)
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"guest","version":"1"}}}`
	call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_getWorkspaceFolders"}}`
	lone = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_getWorkspaceFolders","_meta":` +
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

// A client's session is gone with the daemon. 404 is what tells it to begin another; in
// the revision without sessions there is nothing to tell.
func TestRestart_HasClientsOfHTTPBeginAnew(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "", nil)
		lock, _ := e.serve()
		g := newGuest(t, lock)
		_, old, _ := g.ask("POST", hello)
		if status, _, text := g.ask("POST", call, "Mcp-Session-Id", old); status != 200 || !strings.Contains(text, e.Project) {
			t.Errorf("%d %s", status, text)
		}
		e.kill(syscall.SIGKILL)
		e.restarted()
		for _, method := range []string{"POST", "GET", "DELETE"} {
			if status, _, text := g.ask(method, call, "Mcp-Session-Id", old); status != 404 {
				t.Errorf("%s: %d %s", method, status, text)
			}
		}
		if status, _, text := g.ask("POST", lone, "MCP-Protocol-Version", "2026-07-28",
			"Mcp-Method", "tools/call", "Mcp-Name", "nvim_getWorkspaceFolders"); status != 200 || !strings.Contains(text, e.Project) {
			t.Errorf("%d %s", status, text)
		}
		status, next, text := g.ask("POST", hello, "Mcp-Session-Id", old)
		if status != 200 || next == "" || next == old {
			t.Errorf("%d, session %q after %q, %s", status, next, old, text)
		}
		if status, _, text := g.ask("POST", call, "Mcp-Session-Id", next); status != 200 || !strings.Contains(text, e.Project) {
			t.Errorf("%d %s", status, text)
		}
		e.quiet()
	})
}
