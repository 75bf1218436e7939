// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"claudecoded/bench/claude"
)

const (
	// pingInterval is the time between two pings of the program under test.
	pingInterval = 30 * time.Second
	// calm is how long clients have been connected before they count as idle: the
	// selection is told half a second after that.
	calm = 1500 * time.Millisecond
)

// gauge reads something that grows.
type gauge struct {
	server string
	row    int
	read   func() (float64, error)
	// per is the time that the growth is told for.
	per time.Duration
}

// idlingRows is how many rows idling has.
const idlingRows = 3

func waking(server string, row, pid int) gauge {
	return gauge{server, row, func() (float64, error) {
		n, err := wakeups(pid)
		return float64(n), err
	}, pingInterval}
}

// idling watches everything that is idle at the same time, which disturbs nobody.
func idling(ctx context.Context, b *bench, servers []string) (values, error) {
	var gauges []gauge
	for _, name := range servers {
		if name != direct {
			s, err := b.start(ctx, name)
			if err != nil {
				return nil, err
			}
			defer s.stop()
			conn, err := listening(ctx, s.port, token)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			defer conn.Close()
			gauges = append(gauges, waking(name, 0, s.pid()))
		}
		if name != ours && name != direct {
			continue
		}
		v, err := b.neovim(ctx)
		if err != nil {
			return nil, err
		}
		defer v.stop()
		if name == ours {
			at, err := v.serve(b)
			if err != nil {
				return nil, err
			}
			conn, err := listening(ctx, at.Port, at.Token)
			if err != nil {
				return nil, err
			}
			defer conn.Close()
			pid, err := v.daemon()
			if err != nil {
				return nil, err
			}
			gauges = append(gauges, waking(name, 1, pid))
		}
		gauges = append(gauges, gauge{name, 2, func() (float64, error) {
			us, err := v.thread()
			return us / 1000, err
		}, time.Minute})
	}
	if err := pause(ctx, calm); err != nil {
		return nil, err
	}
	return b.watch(ctx, gauges)
}

// watch is how much gauges grow while nothing is done.
func (b *bench) watch(ctx context.Context, gauges []gauge) (values, error) {
	before := make([]float64, len(gauges))
	for i, g := range gauges {
		var err error
		if before[i], err = g.read(); err != nil {
			return nil, fmt.Errorf("%s: %w", g.server, err)
		}
	}
	if err := pause(ctx, b.quiet); err != nil {
		return nil, err
	}
	got := values{}
	for i, g := range gauges {
		after, err := g.read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.server, err)
		}
		if got[g.server] == nil {
			got[g.server] = slices.Repeat([]float64{math.NaN()}, idlingRows)
		}
		got[g.server][g.row] = (after - before[i]) * g.per.Seconds() / b.quiet.Seconds()
	}
	return got, nil
}

// listening is an introduced client that reads what comes, which answers pings, until it
// is closed.
func listening(ctx context.Context, port int, token string) (*claude.Conn, error) {
	conn, err := introduced(ctx, port, token)
	if err != nil {
		return nil, err
	}
	go func() {
		for {
			if _, err := conn.ReadMessage(); err != nil {
				return
			}
		}
	}()
	return conn, nil
}
