// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// patience bounds everything that happens at once unless something is wrong.
	patience = 20 * time.Second
	// laterAnswer is what comes of the tool that ends later.
	laterAnswer = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`
)

// web is an MCP session over Streamable HTTP.
type web struct {
	client         http.Client
	url, token, id string
}

// visit begins a session and waits until the server knows the tool that ends later.
func visit(at address) (*web, error) {
	w := &web{client: http.Client{Timeout: patience}, url: fmt.Sprintf("http://127.0.0.1:%d/mcp", at.Port), token: at.Token}
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
			`"capabilities":{},"clientInfo":{"name":"compare","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		if _, err := w.post(text); err != nil {
			return nil, err
		}
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		list, err := w.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		if err != nil || strings.Contains(list, `"nvim_later"`) {
			return w, err
		}
		if time.Since(began) > patience {
			return nil, fmt.Errorf("the server does not know the tool: %.200s", list)
		}
	}
}

func (w *web) call(tool string) (string, error) {
	return w.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`)
}

// post sends a message and returns the answer's body.
func (w *web) post(text string) (string, error) {
	r, err := http.NewRequest(http.MethodPost, w.url, bytes.NewBufferString(text))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer "+w.token)
	if w.id != "" {
		r.Header.Set("Mcp-Session-Id", w.id)
	}
	reply, err := w.client.Do(r)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if reply.StatusCode >= http.StatusBadRequest {
		return "", fmt.Errorf("%s: %s", reply.Status, body)
	}
	if id := reply.Header.Get("Mcp-Session-Id"); id != "" {
		w.id = id
	}
	return string(body), err
}
