// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"claudecoded/bench/claude"
)

const (
	// revision is the newest one of MCP with sessions.
	revision = "2025-11-25"
	// maxBody bounds an answer over HTTP in bytes.
	maxBody = 32 << 20
)

// web is an MCP session over Streamable HTTP.
type web struct {
	client     http.Client
	url, token string
	session    string
}

func (c *client) http(ctx context.Context) error { return c.web(ctx, method("tools/list")) }

func (c *client) httpCall(ctx context.Context) error {
	return c.web(ctx, func(id int) []byte { return claude.CallText(id, c.HTTPTool, c.Arguments) })
}

// web keeps Pipeline requests in flight, each on a connection that is kept alive.
func (c *client) web(ctx context.Context, text request) error {
	transport := &http.Transport{MaxIdleConnsPerHost: c.Pipeline}
	defer transport.CloseIdleConnections()
	w := &web{http.Client{Transport: transport}, fmt.Sprintf("http://127.0.0.1:%d/mcp", c.Port), c.Token, ""}
	if err := w.initialize(ctx); err != nil {
		return err
	}
	c.series.connected()
	// The answers to what was asked before the end are still waited for.
	drained, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Duration+drain)
	defer cancel()
	var all sync.WaitGroup
	var failed atomic.Bool
	errs := make([]error, c.Pipeline)
	for id := range c.Pipeline {
		all.Go(func() {
			for next := time.Now(); !failed.Load(); {
				if c.Rate > 0 {
					next = next.Add(time.Duration(float64(c.Pipeline) * float64(time.Second) / c.Rate))
				} else {
					next = time.Now()
				}
				if !until(ctx, next) {
					return
				}
				if errs[id] = w.ask(drained, text(id), id); errs[id] != nil {
					failed.Store(true)
					return
				}
				c.series.observe(time.Since(next))
			}
		})
	}
	all.Wait()
	return errors.Join(append(errs, w.end(drained))...)
}

// until waits for a moment and reports whether ctx goes on then.
func until(ctx context.Context, t time.Time) bool {
	if wait := time.Until(t); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

func (w *web) initialize(ctx context.Context) error {
	hello := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,`+
		`"capabilities":{},"clientInfo":{"name":"claudeload","version":"1"}}}`, revision)
	reply, err := w.post(ctx, hello)
	if err != nil {
		return err
	}
	w.session = reply.Header.Get("Mcp-Session-Id")
	if err := result(reply, 0); err != nil {
		return err
	}
	reply, err = w.post(ctx, []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusAccepted {
		return fmt.Errorf("%w: a notification was answered %s", claude.ErrProtocol, reply.Status)
	}
	return nil
}

func (w *web) ask(ctx context.Context, text []byte, id int) error {
	reply, err := w.post(ctx, text)
	if err != nil {
		return err
	}
	return result(reply, id)
}

func (w *web) post(ctx context.Context, text []byte) (*http.Response, error) {
	return w.do(ctx, http.MethodPost, bytes.NewReader(text))
}

func (w *web) end(ctx context.Context) error {
	reply, err := w.do(ctx, http.MethodDelete, nil)
	if err != nil {
		return err
	}
	return reply.Body.Close()
}

func (w *web) do(ctx context.Context, verb string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, verb, w.url, body)
	if err != nil {
		return nil, err
	}
	header := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Authorization": "Bearer " + w.token, "Mcp-Session-Id": w.session, "MCP-Protocol-Version": revision,
	}
	for name, value := range header {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	return w.client.Do(r)
}

// result checks that a response holds the result of a request, as JSON or as the last
// event of a stream.
func result(reply *http.Response, id int) error {
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, maxBody))
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s: %.200s", claude.ErrProtocol, reply.Status, body)
	}
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream") {
		body = lastEvent(body)
	}
	switch got, ok, err := answered(body); {
	case err != nil:
		return err
	case !ok || got != id:
		return fmt.Errorf("%w: not an answer to %d: %.200s", claude.ErrProtocol, id, body)
	}
	return nil
}

// lastEvent is the data of the last event that has any (WHATWG HTML, 9.2).
func lastEvent(stream []byte) []byte {
	data := []byte(`{}`)
	for line := range bytes.Lines(stream) {
		if text, ok := bytes.CutPrefix(line, []byte("data:")); ok && json.Valid(text) {
			data = text
		}
	}
	return data
}
