// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"claudecoded/bench/load"
)

const (
	mib = 1 << 20
	// huge is the size of the large message in bytes.
	huge = 50 * mib
)

// config loads a server with one behaviour.
func (b *bench) config(s *server, behaviour string, clients, pipeline int) load.Config {
	return load.Config{
		Port: s.port, Token: token, Clients: clients, Pipeline: pipeline, Duration: b.time,
		Mix: load.Mix{{Behaviour: behaviour, Weight: 1}}, Arguments: json.RawMessage(`{}`),
		Large: huge, Piece: mib, Stall: time.Second,
	}
}

// loaded runs the load and reports the one row it has, and the CPU time it cost.
func (b *bench) loaded(ctx context.Context, s *server, behaviour string, clients, pipeline int) (load.Row, time.Duration, error) {
	before, err := processor(s.pid())
	if err != nil {
		return load.Row{}, 0, err
	}
	row, err := b.run(ctx, s, behaviour, clients, pipeline)
	if err != nil {
		return row, 0, err
	}
	after, err := processor(s.pid())
	return row, after - before, err
}

func (b *bench) run(ctx context.Context, s *server, behaviour string, clients, pipeline int) (load.Row, error) {
	if s.name == "echo" {
		return echoed(ctx, s.port, clients, pipeline, b.time)
	}
	report, err := load.Run(ctx, b.config(s, behaviour, clients, pipeline))
	if err != nil {
		return load.Row{}, err
	}
	row := report.Rows[0]
	if row.Wrong > 0 || row.Answers == 0 {
		return row, fmt.Errorf("%d answers, %d wrong: %v", row.Answers, row.Wrong, row.Errors)
	}
	return row, nil
}

func perSecond(behaviour string, clients, pipeline int) func(context.Context, *bench, *server) ([]float64, error) {
	return func(ctx context.Context, b *bench, s *server) ([]float64, error) {
		row, ran, err := b.loaded(ctx, s, behaviour, clients, pipeline)
		return []float64{float64(row.Answers) / ran.Seconds()}, err
	}
}

func median(behaviour string) func(context.Context, *bench, *server) ([]float64, error) {
	return func(ctx context.Context, b *bench, s *server) ([]float64, error) {
		row, err := b.run(ctx, s, behaviour, 1, 1)
		return []float64{row.Measured.P50}, err
	}
}

// large sends large messages for the time of a measurement, one at least: the CPU time of
// one in milliseconds, and the most memory in lengths of a message.
func large(behaviour string) func(context.Context, *bench, *server) ([]float64, error) {
	return func(ctx context.Context, b *bench, s *server) ([]float64, error) {
		row, ran, err := b.loaded(ctx, s, behaviour, 1, 1)
		if err != nil {
			return nil, err
		}
		most, err := peak(s.pid())
		return []float64{float64(ran.Microseconds()) / 1000 / float64(row.Answers), float64(most) / huge}, err
	}
}
