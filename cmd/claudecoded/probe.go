// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"claudecoded/nvimbridge/lockfile"
)

const (
	// healthTimeout bounds the answer to GET /health, which never waits for the editor.
	healthTimeout = 2 * time.Second
	// maxProbed is how many bytes of an answer are read.
	maxProbed = 16 << 20
)

// health is what a server says of itself without a token.
type health struct {
	Status string
	Server struct{ Name, Version string }
	// Editor is "ready", or why the editor does not serve calls.
	Editor string
}

var (
	errRefused  = errors.New("nothing listens there")
	errStranger = errors.New("something else listens there")
)

// prober asks an editor's server. It keeps no connection and uses no proxy.
type prober struct {
	editor  lockfile.Found
	session string
}

var probeClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// send returns the status, the header and the body of the answer.
func (p *prober) send(ctx context.Context, method, path, body string) (int, http.Header, []byte, error) {
	url := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(p.editor.Port)) + path
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	if path != "/health" {
		r.Header.Set("Authorization", "Bearer "+p.editor.Token)
	}
	if p.session != "" {
		r.Header.Set("Mcp-Session-Id", p.session)
		r.Header.Set("MCP-Protocol-Version", probeRevision)
	}
	response, err := probeClient.Do(r)
	if opErr := (*net.OpError)(nil); errors.As(err, &opErr) && opErr.Op == "dial" {
		return 0, nil, nil, errRefused
	}
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxProbed))
	return response.StatusCode, response.Header, text, err
}

// health asks how the server is.
func (p *prober) health(ctx context.Context) (h health, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	status, _, text, err := p.send(ctx, http.MethodGet, "/health", "")
	switch {
	case errors.Is(err, errRefused):
		return h, err
	case errors.Is(err, context.DeadlineExceeded):
		return h, fmt.Errorf("the server does not answer within %v", healthTimeout)
	case err != nil, status != http.StatusOK, json.Unmarshal(text, &h) != nil, h.Server.Name == "":
		return h, errStranger
	}
	return h, nil
}

// probeRevision is the revision of MCP that probes speak.
const probeRevision = "2025-11-25"

// open begins a session.
func (p *prober) open(ctx context.Context) error {
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + probeRevision +
		`","capabilities":{},"clientInfo":{"name":"claudecoded-doctor","version":"1"}}}`
	status, header, _, err := p.send(ctx, http.MethodPost, "/mcp", hello)
	switch {
	case err != nil:
		return err
	case status == http.StatusUnauthorized:
		return errors.New("the server refuses the token of the lock file")
	case status != http.StatusOK || header.Get("Mcp-Session-Id") == "":
		return fmt.Errorf("the server began no session: HTTP status %d", status)
	}
	p.session = header.Get("Mcp-Session-Id")
	return nil
}

// close ends the session.
func (p *prober) close(ctx context.Context) {
	if p.session != "" {
		_, _, _, _ = p.send(ctx, http.MethodDelete, "/mcp", "")
	}
}

// ask sends a request in the session and decodes its result.
func (p *prober) ask(ctx context.Context, method, params string, result any) error {
	_, _, text, err := p.send(ctx, http.MethodPost, "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	if err != nil {
		return err
	}
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	switch err := json.Unmarshal(text, &answer); {
	case err != nil:
		return errors.New("the server's answer is no JSON")
	case answer.Error != nil:
		return errors.New(answer.Error.Message)
	}
	return json.Unmarshal(answer.Result, result)
}
