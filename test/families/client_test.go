// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"claudecoded/bench/claude"
)

// limit is far more than any call takes.
const limit = 30 * time.Second

// client is an MCP client with a session of its own.
type client struct {
	t       testing.TB
	url     string
	token   string
	session string
	http    *http.Client
	ids     atomic.Int64
}

// message is what the server sends: a response, or a notification.
type message struct {
	ID     *int64
	Method string
	Params json.RawMessage
	Result struct {
		Content []struct{ Type, Text string }
		IsError bool
		Tools   []struct{ Name string }
	}
	Error *struct {
		Code    int
		Message string
	}
}

func dial(t testing.TB, lock claude.Lock) *client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := &client{
		t: t, url: fmt.Sprintf("http://127.0.0.1:%d/mcp", lock.Port), token: lock.AuthToken,
		http: &http.Client{Transport: transport},
	}
	_, err := c.request(t.Context(), "initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "families", "version": "1"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// post sends one message; the response's body is the caller's.
func (c *client) post(ctx context.Context, body map[string]any) (*http.Response, error) {
	body["jsonrpc"] = "2.0"
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + c.token, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Session-Id": c.session,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	return c.http.Do(req)
}

// request asks, and hands what is notified meanwhile to heard.
func (c *client) request(ctx context.Context, method string, params any, heard func(message)) (message, error) {
	return c.requestAs(ctx, c.ids.Add(1), method, params, heard)
}

// requestAs is request with an id of the caller's, who may cancel it.
func (c *client) requestAs(ctx context.Context, id int64, method string, params any, heard func(message)) (message, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := c.post(ctx, map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		return message{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	in := bufio.NewReader(resp.Body)
	for {
		line, err := in.ReadString('\n')
		var m message
		if text := strings.TrimPrefix(strings.TrimSpace(line), "data: "); strings.HasPrefix(text, "{") {
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				return m, err
			}
			if m.ID != nil {
				return m, nil
			}
			if heard != nil {
				heard(m)
			}
		}
		if errors.Is(err, io.EOF) {
			return m, fmt.Errorf("%s: no response, status %s", method, resp.Status)
		} else if err != nil {
			return m, err
		}
	}
}

// tool calls a tool and returns its text; it fails with the text of its error.
func (c *client) tool(ctx context.Context, name string, args any) (string, error) {
	return c.toolAs(ctx, c.ids.Add(1), name, args, nil)
}

// toolAs is tool with an id of the caller's, and what is notified meanwhile.
func (c *client) toolAs(ctx context.Context, id int64, name string, args any, heard func(message)) (string, error) {
	params := map[string]any{"name": "nvim_" + name, "arguments": args}
	if heard != nil {
		params["_meta"] = map[string]any{"progressToken": id}
	}
	m, err := c.requestAs(ctx, id, "tools/call", params, heard)
	switch {
	case err != nil:
		return "", err
	case m.Error != nil:
		return "", fmt.Errorf("code %d: %s", m.Error.Code, m.Error.Message)
	case len(m.Result.Content) == 0:
		return "", errors.New("no content")
	case m.Result.IsError:
		return "", errors.New(m.Result.Content[0].Text)
	}
	return m.Result.Content[0].Text, nil
}

// args are those of a call.
type args = map[string]any

// want calls a tool and checks that its text contains what is wanted.
func (c *client) want(name string, a args, parts ...string) string {
	c.t.Helper()
	text, err := c.tool(c.t.Context(), name, a)
	if err != nil {
		c.t.Fatalf("%s %v: %v", name, a, err)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			c.t.Errorf("%s %v: no %q in %s", name, a, part, text)
		}
	}
	return text
}

// refused calls a tool and checks that its error contains what is wanted.
func (c *client) refused(name string, a args, part string) {
	c.t.Helper()
	if text, err := c.tool(c.t.Context(), name, a); err == nil || !strings.Contains(err.Error(), part) {
		c.t.Errorf("%s %v: %q, %v; want the error %q", name, a, text, err, part)
	}
}

// decode reads the text of a call's result as JSON.
func decode[T any](t testing.TB, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// call is one under way.
type call struct {
	t      testing.TB
	cancel func()
	done   chan struct{}
	text   string
	err    error

	mu       sync.Mutex
	notified []string
}

// start begins a call. Its cancel tells the server that nobody waits for it any more: that the
// connection closes means nothing in a session.
func (c *client) start(name string, a args) *call {
	c.t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	id := c.ids.Add(1)
	p := &call{t: c.t, done: make(chan struct{})}
	p.cancel = func() {
		c.t.Helper()
		params := map[string]any{"requestId": id, "reason": "the test"}
		resp, err := c.post(c.t.Context(), map[string]any{"method": "notifications/cancelled", "params": params})
		if err != nil {
			c.t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	go func() {
		defer close(p.done)
		p.text, p.err = c.toolAs(ctx, id, name, a, func(m message) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.notified = append(p.notified, string(m.Params))
		})
	}()
	c.t.Cleanup(func() {
		leave()
		<-p.done
	})
	return p
}

// heard is what was notified so far.
func (p *call) heard() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.notified)
}

// answer waits for what comes of it.
func (p *call) answer() (string, error) {
	p.t.Helper()
	<-p.done
	return p.text, p.err
}

// open tells whether it is not answered yet.
func (p *call) open() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}
