// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strconv"
)

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
