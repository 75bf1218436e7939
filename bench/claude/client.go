// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package claude is a synthetic Claude Code: it finds an IDE server through its lock
// file, connects, introduces itself and calls tools message by message as the real
// client does. The demo, the tests and the benchmarks speak through it. What no correct
// server sends is an error that wraps ErrProtocol.
package claude

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gobwas/ws"
)

// Options change what a Client does with what it sees. The zero value is a quiet client.
type Options struct {
	// Trace receives every message in the order of the wire, on any goroutine.
	Trace func(Event)
	// Notification receives each notification of the server on the reading
	// goroutine, which waits for it.
	Notification func(method string, params json.RawMessage)
	// Root is what the client answers to roots/list: its working directory.
	Root string
}

// Event is one message on the wire.
type Event struct {
	// FromServer tells the server's messages from the client's.
	FromServer bool
	// Message is its JSON text; it must not be changed.
	Message []byte
}

// Client is one connected client. Its methods may be called from any goroutine.
type Client struct {
	conn    *Conn
	options Options
	ended   chan struct{}

	mu      sync.Mutex
	next    int64
	pending map[int64]chan incoming
	err     error
}

// Dial connects to the server on the port as DialConn does and starts reading.
func Dial(ctx context.Context, port int, token string, options Options) (*Client, error) {
	conn, err := DialConn(ctx, port, token)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, options: options, ended: make(chan struct{}), pending: map[int64]chan incoming{}}
	go c.read()
	return c, nil
}

// Start introduces the client: initialize with id 0, and once that is answered
// notifications/initialized, ide_connected, tools/list and, if the server offers any,
// prompts/list, without waiting between.
func (c *Client) Start(ctx context.Context) (Initialized, []Tool, error) {
	var hello Initialized
	if err := c.Request(ctx, "initialize", initializeParams(), &hello); err != nil {
		return hello, nil, fmt.Errorf("initialize: %w", err)
	}
	if err := hello.check(); err != nil {
		return hello, nil, err
	}
	if err := c.Notify("notifications/initialized", nil); err != nil {
		return hello, nil, err
	}
	pid := map[string]int{"pid": os.Getpid()}
	if err := c.Notify("ide_connected", pid); err != nil {
		return hello, nil, err
	}
	listed, err := c.ask("tools/list", nil)
	if err != nil {
		return hello, nil, err
	}
	if hello.Capabilities["prompts"] != nil {
		var prompts struct{ Prompts []json.RawMessage }
		if err := c.Request(ctx, "prompts/list", nil, &prompts); err != nil {
			return hello, nil, fmt.Errorf("prompts/list: %w", err)
		}
	}
	tools, err := listed.tools(ctx)
	return hello, tools, err
}

// Tools asks for the server's list of tools and checks it.
func (c *Client) Tools(ctx context.Context) ([]Tool, error) {
	listed, err := c.ask("tools/list", nil)
	if err != nil {
		return nil, err
	}
	return listed.tools(ctx)
}

func (q *question) tools(ctx context.Context) ([]Tool, error) {
	var list struct {
		Tools []Tool `json:"tools"`
	}
	if err := q.wait(ctx, &list); err != nil {
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	return list.Tools, checkTools(list.Tools)
}

// Call calls a tool and waits for its result. A JSON-RPC error is an *RPCError.
func (c *Client) Call(ctx context.Context, name string, arguments any) (Result, error) {
	if arguments == nil {
		arguments = struct{}{}
	}
	var result Result
	asked, err := c.ask("tools/call", func(id int64) any { return callParams(name, arguments, id) })
	if err == nil {
		err = asked.wait(ctx, &result)
	}
	if err != nil {
		return result, fmt.Errorf("%s: %w", name, err)
	}
	if result.Content == nil {
		return result, wrong("%s: the result has no content", name)
	}
	return result, nil
}

// Request sends a request with the next id and decodes the result into result. When ctx
// ends first the answer is dropped once it comes.
func (c *Client) Request(ctx context.Context, method string, params, result any) error {
	asked, err := c.ask(method, func(int64) any { return params })
	if err != nil {
		return err
	}
	return asked.wait(ctx, result)
}

// question is a request that was sent.
type question struct {
	c      *Client
	answer chan incoming
}

// ask sends a request with the next id, whose parameters may repeat the id.
func (c *Client) ask(method string, params func(id int64) any) (*question, error) {
	// One place for the answer, so that the reader never waits for a caller that left.
	q := &question{c, make(chan incoming, 1)}
	c.mu.Lock()
	id := c.next
	c.next++
	c.pending[id] = q.answer
	c.mu.Unlock()
	message := request{Method: method, JSONRPC: "2.0", ID: &id}
	if params != nil {
		message.Params = params(id)
	}
	return q, c.send(message)
}

func (q *question) wait(ctx context.Context, result any) error {
	select {
	case got := <-q.answer:
		return got.decode(result)
	case <-ctx.Done():
		return ctx.Err()
	case <-q.c.ended:
	}
	// The answer may have come just before the end.
	select {
	case got := <-q.answer:
		return got.decode(result)
	default:
		return q.c.Err()
	}
}

func (m incoming) decode(result any) error {
	if m.Error != nil {
		return m.Error
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		return wrong("a result: %v", err)
	}
	return nil
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	return c.send(request{Method: method, Params: params, JSONRPC: "2.0"})
}

// Ended is closed when the connection is over; Err then says why.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Err is what ended the connection, a *CloseError if the server closed it, or nil.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close leaves as the real client does: a Close frame without a code, the server's
// answer (for at most 2 s), the end of the socket. It reports what ended the connection
// other than a Close frame.
func (c *Client) Close() error {
	c.conn.tcp.SetDeadline(time.Now().Add(closeTimeout))
	// A server that left meanwhile ends the read below as well.
	_ = c.conn.writeFrame(ws.NewCloseFrame(nil))
	<-c.ended
	var closed *CloseError
	if err := c.Err(); !errors.As(err, &closed) {
		return err
	}
	return nil
}

func (c *Client) send(message any) error {
	text, err := marshal(message)
	if err != nil {
		return err
	}
	c.trace(false, text)
	if err := c.conn.WriteMessage(text); err != nil {
		// What the reader saw says more than that the socket is closed.
		return cmp.Or(c.Err(), err)
	}
	return nil
}

func (c *Client) trace(fromServer bool, text []byte) {
	if c.options.Trace != nil {
		c.options.Trace(Event{FromServer: fromServer, Message: text})
	}
}

func (c *Client) read() {
	defer close(c.ended)
	defer c.conn.Close()
	for {
		text, err := c.conn.ReadMessage()
		if err == nil {
			c.trace(true, text)
			err = c.take(text)
		}
		if err != nil {
			c.mu.Lock()
			c.err = err
			c.mu.Unlock()
			return
		}
	}
}

// take handles one message of the server.
func (c *Client) take(text []byte) error {
	var m incoming
	if err := json.Unmarshal(text, &m); err != nil {
		return wrong("a message: %v", err)
	}
	switch {
	case m.JSONRPC != "2.0":
		return wrong("a message without jsonrpc 2.0")
	case m.Method == "":
		return c.answered(m)
	case m.ID != nil:
		return c.answer(m)
	}
	if c.options.Notification != nil {
		c.options.Notification(m.Method, m.Params)
	}
	return nil
}

// answered gives an answer to the call that waits for it.
func (c *Client) answered(m incoming) error {
	if (m.Result == nil) == (m.Error == nil) {
		return wrong("an answer has not exactly one of result and error")
	}
	id, err := strconv.ParseInt(string(bytes.TrimSpace(m.ID)), 10, 64)
	if err != nil {
		return wrong("an answer to id %s, which no request had: %v", m.ID, m.Error)
	}
	c.mu.Lock()
	waiting := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if waiting == nil {
		return wrong("an answer to %d, which was not asked or already answered", id)
	}
	waiting <- m
	return nil
}

// answer answers a request of the server as the real client does.
func (c *Client) answer(m incoming) error {
	reply := outgoing{JSONRPC: "2.0", ID: m.ID}
	switch m.Method {
	case "ping":
		reply.Result = struct{}{}
	case "roots/list":
		root := map[string]string{"uri": "file://" + c.options.Root}
		reply.Result = map[string]any{"roots": []any{root}}
	default:
		reply.Error = &RPCError{Code: -32601, Message: "Method not found"}
	}
	return c.send(reply)
}
