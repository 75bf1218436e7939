// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package claude is a synthetic Claude Code: it finds an IDE server through its lock
// file, connects, introduces itself and calls tools message by message as the real
// client does. The demo, the tests and the benchmarks speak through it. What no correct
// server sends is an error that wraps ErrProtocol.
package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
