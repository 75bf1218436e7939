// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"claudecoded/bench/load"
)

// work is one row of the table.
type work struct {
	name, unit string
	// less says that a smaller value is better.
	less bool
	// targets are the ratios to reach, ours over another's.
	targets []target
	servers []string
	measure func(ctx context.Context, b *bench, s *server) (float64, error)
}

// target is a ratio between ours and another server that is to be reached: at least, or at
// most where less is better.
type target struct {
	Peer  string  `json:"peer"`
	Ratio float64 `json:"ratio"`
}

var (
	libraries = []string{"gws", "coder", "gorilla", "nbio", "gnet"}
	webs      = append([]string{ours}, libraries...)
)

const (
	mib = 1 << 20
	// huge is the size of the large message in bytes.
	huge = 50 * mib
	// quiet is how long an idle server is watched: the time between two pings.
	quiet = 30 * time.Second
	// sessions is how many idle clients memory is counted with.
	sessions = 500
)

func works() []work {
	return []work{
		{"small requests, 10 × 16", "answers per CPU-second", false, []target{{"gws", 5}}, append(webs, "echo"), perSecond("ping", 10, 16)},
		{"small requests, 50 × 1", "answers per CPU-second", false, []target{{"gws", 1.15}, {"echo", 0.9}}, append(webs, "echo"), perSecond("ping", 50, 1)},
		{"small request, 1 × 1", "µs, median", true, []target{{"gws", 1}, {"echo", 1.15}}, append(webs, "echo"), median("ping")},
		{"50 MiB in one frame", "ms of CPU", true, []target{{fastest, 1.2}}, webs, large("large", cpuPer)},
		{"50 MiB in one frame, memory", "× the message", true, []target{{message, 1.3}}, webs, large("large", peakPer)},
		{"50 MiB in fragments of 1 MiB", "ms of CPU", true, []target{{fastest, 1.2}}, webs, large("fragments", cpuPer)},
		{"50 MiB in fragments, memory", "× the message", true, []target{{message, 2.2}}, webs, large("fragments", peakPer)},
		{"handshakes", "per CPU-second", false, []target{{"gws", 1.4}}, webs, perSecond("handshake", 4, 1)},
		{"an idle session", "bytes resident", true, []target{{"gws", 1}}, webs, idleSession},
		{"from exec to the port", "ms", true, []target{{"trivial", 2}}, []string{ours, "trivial", "gws"}, started},
		{"memory when idle", "MiB resident", true, []target{{"trivial", 2}}, []string{ours, "trivial", "gws"}, idleMemory},
		{"wakeups when idle, one client", "in 30 s", true, []target{{atMost, 3}}, []string{ours, "gws", "gnet"}, idleWakeups},
	}
}

// What a target can be about besides a server.
const (
	fastest = "the fastest"
	message = "the message"
	atMost  = "at most"
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
		return row, fmt.Errorf("%s gave %d answers, %d wrong: %v", s.name, row.Answers, row.Wrong, row.Errors)
	}
	return row, nil
}

func perSecond(behaviour string, clients, pipeline int) func(context.Context, *bench, *server) (float64, error) {
	return func(ctx context.Context, b *bench, s *server) (float64, error) {
		row, ran, err := b.loaded(ctx, s, behaviour, clients, pipeline)
		return float64(row.Answers) / ran.Seconds(), err
	}
}

func median(behaviour string) func(context.Context, *bench, *server) (float64, error) {
	return func(ctx context.Context, b *bench, s *server) (float64, error) {
		row, err := b.run(ctx, s, behaviour, 1, 1)
		return row.Measured.P50, err
	}
}

// large sends large messages for the time of a measurement, one at least.
func large(behaviour string, per func(row load.Row, ran time.Duration, most int64) float64) func(context.Context, *bench, *server) (float64, error) {
	return func(ctx context.Context, b *bench, s *server) (float64, error) {
		row, ran, err := b.loaded(ctx, s, behaviour, 1, 1)
		if err != nil {
			return 0, err
		}
		most, err := peak(s.pid())
		return per(row, ran, most), err
	}
}

func cpuPer(row load.Row, ran time.Duration, _ int64) float64 {
	return float64(ran.Milliseconds()) / float64(row.Answers)
}

func peakPer(_ load.Row, _ time.Duration, most int64) float64 { return float64(most) / huge }

// idleSession is what a client costs that does nothing.
func idleSession(ctx context.Context, b *bench, s *server) (float64, error) {
	before, err := resident(s.pid())
	if err != nil {
		return 0, err
	}
	within, err := b.withIdle(ctx, s, sessions)
	return float64(within-before) / sessions, err
}

// withIdle is the server's memory in bytes while clients are connected that do nothing.
func (b *bench) withIdle(ctx context.Context, s *server, clients int) (int64, error) {
	ended := b.background(ctx, s, clients, b.time)
	select {
	case <-time.After(b.time * 3 / 4):
	case err := <-ended:
		return 0, err
	}
	n, err := resident(s.pid())
	if err != nil {
		return 0, err
	}
	return n, <-ended
}

// background keeps idle clients for a while.
func (b *bench) background(ctx context.Context, s *server, clients int, duration time.Duration) <-chan error {
	config := b.config(s, "idle", clients, 1)
	config.Duration = duration
	ended := make(chan error, 1)
	go func() { _, err := load.Run(ctx, config); ended <- err }()
	return ended
}

func started(_ context.Context, _ *bench, s *server) (float64, error) {
	return float64(s.started.Microseconds()) / 1000, nil
}

func idleMemory(_ context.Context, b *bench, s *server) (float64, error) {
	time.Sleep(b.time)
	n, err := resident(s.pid())
	return float64(n) / mib, err
}

func idleWakeups(ctx context.Context, b *bench, s *server) (float64, error) {
	ended := b.background(ctx, s, 1, quiet+2*b.time)
	time.Sleep(b.time)
	before, err := wakeups(s.pid())
	if err != nil {
		return 0, err
	}
	time.Sleep(quiet)
	after, err := wakeups(s.pid())
	if err != nil {
		return 0, err
	}
	return float64(after - before), <-ended
}
