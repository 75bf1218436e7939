// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package load puts load on an IDE or MCP server of this machine with many synthetic
// clients, of which each behaves in one way for the whole run, and reports how long
// answers took, what was wrong and what it cost the server.
package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"claudecoded/bench/claude"
)

// Config says what to load and how. Every field must be set but Token, Rate and PID.
type Config struct {
	// Port on 127.0.0.1, and the token the server wants there.
	Port  int
	Token string
	// Clients at once, each with at most Pipeline requests in flight, for Duration.
	Clients  int
	Pipeline int
	Duration time.Duration
	// Mix shares the clients out among the behaviours.
	Mix Mix
	// Rate is how many requests a second each client sends on a schedule, whether
	// answers come or not, if its behaviour is a stream of requests. 0: as many as are
	// answered.
	Rate float64
	// Tool and Arguments, JSON text, are what the behaviours call and http-call call.
	Tool      string
	Arguments json.RawMessage
	// HTTPTool is the same for http-call, which lists other names.
	HTTPTool string
	// Large is the size in bytes of a message of the behaviours large and fragments,
	// Piece that of a fragment.
	Large, Piece int
	// Stall is how long a client of the behaviour stall does not read.
	Stall time.Duration
	// PID is the server's process, whose CPU time and memory are watched. 0: neither.
	PID int
}

const (
	// drain bounds how long the last answers are waited for after the run.
	drain = 30 * time.Second
	// again is how long a client waits before it connects again after it lost its server.
	again = 100 * time.Millisecond
)

// Run loads the server until the duration is over or ctx ends. An error means that there
// was nothing to measure; wrong answers are part of the report.
func Run(ctx context.Context, config Config) (*Report, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	usage, err := watch(config.PID)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, config.Duration)
	defer cancel()
	started := time.Now()
	var all sync.WaitGroup
	series := make([]*Series, config.Clients)
	for i, b := range config.Mix.assign(config.Clients) {
		series[i] = newSeries(b.name)
		all.Go(func() { b.spend(ctx, &config, series[i]) })
	}
	all.Wait()
	elapsed := time.Since(started)
	cost, err := usage.stop()
	if err != nil {
		return nil, err
	}
	report := newReport(config, started, elapsed, series, cost)
	if report.connected() == 0 {
		return nil, fmt.Errorf("no client could connect to port %d: %s", config.Port, report.firstError())
	}
	return report, nil
}

// paced says that clients of a behaviour send on a schedule.
func (c *Config) paced(behaviour string) bool {
	b, _ := find(behaviour)
	return c.Rate > 0 && b.paced
}

func (c *Config) check() error {
	for name, bad := range map[string]bool{
		"port": c.Port <= 0 || c.Port > 65535, "clients": c.Clients <= 0, "pipeline": c.Pipeline <= 0,
		"duration": c.Duration <= 0, "rate": c.Rate < 0, "large": c.Large <= 0, "piece": c.Piece <= 0,
		"mix": len(c.Mix) == 0, "arguments": !json.Valid(c.Arguments),
	} {
		if bad {
			return fmt.Errorf("the value for %s is out of range", name)
		}
	}
	if len(c.Mix) > c.Clients {
		return fmt.Errorf("%d clients are too few for %d behaviours", c.Clients, len(c.Mix))
	}
	return nil
}

// spend has one client behave until ctx ends, with a new connection whenever it lost one.
func (b behaviour) spend(ctx context.Context, config *Config, series *Series) {
	for ctx.Err() == nil {
		err := b.run(&client{config, series}, ctx)
		if err == nil || over(ctx) && !errors.Is(err, claude.ErrProtocol) {
			continue
		}
		series.failed(err)
		select {
		case <-time.After(again):
		case <-ctx.Done():
		}
	}
}

// over reports whether ctx ended, or is about to: what bounds a connection by the same
// deadline may be a little earlier.
func over(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && time.Until(deadline) < 10*time.Millisecond
}

// client is one synthetic client.
type client struct {
	*Config
	series *Series
}

// dial connects and introduces the client. The connection breaks when ctx has been over
// for as long as the last answers may take.
func (c *client) dial(ctx context.Context) (*claude.Conn, error) {
	conn, err := claude.DialConn(ctx, c.Port, c.Token)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now().Add(drain)) })
	if _, err := conn.Introduce(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	c.series.connected()
	return conn, nil
}
