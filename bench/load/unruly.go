// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"context"
	"fmt"
	"time"

	"claudecoded/bench/claude"
)

const (
	// slowRate is how many bytes a second a slow reader takes.
	slowRate = 64 << 10
	// stalled is how many requests wait for a client that does not read.
	stalled = 64
)

// handshake connects and leaves; that whole is what is timed.
func (c *client) handshake(ctx context.Context) error {
	for ctx.Err() == nil {
		done := c.series.timer()
		conn, err := claude.DialConn(ctx, c.Port, c.Token)
		if err != nil {
			return err
		}
		c.series.connected()
		if err := conn.Leave(); err != nil {
			return err
		}
		done()
	}
	return nil
}

// churn connects, introduces itself and leaves; that whole is what is timed.
func (c *client) churn(ctx context.Context) error {
	for ctx.Err() == nil {
		done := c.series.timer()
		conn, err := c.dial(ctx)
		if err != nil {
			return err
		}
		if err := conn.Leave(); err != nil {
			return err
		}
		done()
	}
	return nil
}

// idle reads what comes, which answers pings; what is timed is nothing.
func (c *client) idle(ctx context.Context) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	for {
		if _, err := conn.ReadMessage(); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

func (c *client) slow(ctx context.Context) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.ReadSlowly(slowRate)
	return c.exchange(ctx, conn, c.Pipeline, 0, method("tools/list"))
}

// stall asks, reads nothing for a while, and then times how long all the answers take.
func (c *client) stall(ctx context.Context) error {
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for ctx.Err() == nil {
		for id := range stalled {
			if err := conn.WriteMessage(method("tools/list")(id)); err != nil {
				return err
			}
		}
		select {
		case <-time.After(c.Stall):
		case <-ctx.Done():
		}
		if err := c.collect(conn); err != nil {
			return err
		}
	}
	return nil
}

// collect reads the answers to the requests 0 to stalled-1, in whatever order.
func (c *client) collect(conn *claude.Conn) error {
	done := c.series.timer()
	var seen [stalled]bool
	for left := stalled; left > 0; {
		text, err := conn.ReadMessage()
		if err != nil {
			return err
		}
		id, ok, err := answered(text)
		switch {
		case err != nil:
			return err
		case !ok:
		case id < 0 || id >= stalled || seen[id]:
			return fmt.Errorf("%w: an answer to %d, which was not asked", claude.ErrProtocol, id)
		default:
			seen[id] = true
			left--
		}
	}
	done()
	return nil
}

func (c *client) reset(ctx context.Context) error {
	for ctx.Err() == nil {
		done := c.series.timer()
		conn, err := c.dial(ctx)
		if err != nil {
			return err
		}
		done()
		if err := conn.Reset(); err != nil {
			return err
		}
	}
	return nil
}
