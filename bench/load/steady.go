// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"claudecoded/bench/claude"
)

// request is the text of a request with an id.
type request func(id int) []byte

func method(name string) request {
	return func(id int) []byte { return fmt.Appendf(nil, `{"method":%q,"jsonrpc":"2.0","id":%d}`, name, id) }
}

// steady keeps requests in flight, each as frames of at most piece bytes if that is not 0.
func (c *client) steady(ctx context.Context, depth, piece int, text request) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return c.exchange(ctx, conn, depth, piece, text)
}

func (c *client) exchange(ctx context.Context, conn *claude.Conn, depth, piece int, text request) error {
	if c.Rate > 0 && piece == 0 {
		return c.paced(ctx, conn, depth, text)
	}
	// Once at least: to build large messages can take all the time.
	asked := false
	more := func() bool { once := !asked; asked = true; return once || ctx.Err() == nil }
	return claude.NewRequests(conn, depth, piece, text).RunWhile(more, c.series.observe)
}

func (c *client) ping(ctx context.Context) error {
	return c.steady(ctx, c.Pipeline, 0, method("ping"))
}

func (c *client) list(ctx context.Context) error {
	return c.steady(ctx, c.Pipeline, 0, method("tools/list"))
}

func (c *client) call(ctx context.Context) error {
	return c.steady(ctx, c.Pipeline, 0, func(id int) []byte {
		return claude.CallText(id, c.Tool, c.Arguments)
	})
}

// padded is a ping of a certain size.
func (c *client) padded(id int) []byte {
	head := fmt.Appendf(nil, `{"method":"ping","jsonrpc":"2.0","id":%d,"params":{"pad":"`, id)
	pad := bytes.Repeat([]byte("x"), max(0, c.Large-len(head)-len(`"}}`)))
	return append(append(head, pad...), `"}}`...)
}

func (c *client) large(ctx context.Context) error { return c.steady(ctx, 1, 0, c.padded) }

func (c *client) fragments(ctx context.Context) error { return c.steady(ctx, 1, c.Piece, c.padded) }

// promptCalls are the tools that Claude Code calls in a prompt with one edit, in its order.
var promptCalls = []struct{ tool, arguments string }{
	{"closeAllDiffTabs", `{}`},
	{"getDiagnostics", `{"uri":"file:///nowhere/claudeload.txt"}`},
	{"getDiagnostics", `{}`},
}

func (c *client) prompt(ctx context.Context) error {
	connected, err := claude.Dial(ctx, c.Port, c.Token, claude.Options{})
	if err != nil {
		return err
	}
	defer connected.Close()
	if _, _, err := connected.Start(ctx); err != nil {
		return err
	}
	c.series.connected()
	for ctx.Err() == nil {
		for _, call := range promptCalls {
			done := c.series.timer()
			_, err := connected.Call(ctx, call.tool, json.RawMessage(call.arguments))
			// An error that the server answered is one for the real client, too.
			if refused := new(claude.RPCError); err != nil && !errors.As(err, &refused) {
				return err
			}
			done()
		}
	}
	return nil
}
