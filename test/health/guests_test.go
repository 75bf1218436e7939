// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// guest is a client of HTTP.
type guest struct {
	d       *desk
	client  *http.Client
	session string
}

// post sends a message and waits for its answer, or until ctx ends.
func (g *guest) post(ctx context.Context, message string) {
	url := fmt.Sprintf("http://127.0.0.1:%d/mcp", g.d.lock.Port)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		g.d.t.Error(err)
		return
	}
	request.Header.Set("Authorization", "Bearer "+g.d.lock.AuthToken)
	request.Header.Set("Content-Type", "application/json")
	if g.session != "" {
		request.Header.Set("Mcp-Session-Id", g.session)
	}
	response, err := g.client.Do(request)
	if err != nil {
		if ctx.Err() == nil {
			g.d.t.Error(err)
		}
		return
	}
	_ = response.Body.Close()
	if g.session == "" {
		g.session = response.Header.Get("Mcp-Session-Id")
	}
}

// visit begins a session and a call in it that ends with the test.
func (d *desk) visit() {
	d.t.Helper()
	transport := &http.Transport{}
	d.t.Cleanup(transport.CloseIdleConnections)
	g := &guest{d: d, client: &http.Client{Transport: transport}}
	g.post(stage.Within(d.t), `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{},"clientInfo":{"name":"a\u001bguest","version":"1"}}}`)
	ctx, cancel := context.WithCancel(d.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.post(ctx, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_linger"}}`)
	}()
	d.t.Cleanup(func() { cancel(); <-done })
}

func TestGuests_AreShownWithWhatTheyWaitFor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim, UI: true})
		d.Lua(nil, `require("mcp-tools").register({ name = "linger", description = "x", execute = function() end })`)
		d.Command("ClaudeCodeStart")
		d.lock = stage.Find(t, d.Env)
		d.says("no client uses the tools over HTTP")
		d.visit()
		d.Command("ClaudeCodeStatus")
		d.shows("mcp_1 (a guest, MCP 2025-11-25): for ", "  nvim_linger for ", "HTTP connection", ", 1 busy, the oldest open for ", "No Claude is connected.")
		d.says("OK mcp_1 (a guest, MCP 2025-11-25): for ", "mcp_1: in flight: nvim_linger for ", ", 1 busy, the oldest open for ")
	})
}
