// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"claudecoded/bench/load"
)

// picture is one plot: a line for each server.
type picture struct {
	file, title, x, y string
	logX, logY        bool
	points            func(ctx context.Context, b *bench, name string) (plotter.XYs, error)
}

func pictures() []picture {
	return []picture{
		{"latency.svg", "10 clients, 1 request in flight each", "µs", "share of the answers, in %", true, false, latencies},
		{"pipeline.svg", "10 clients", "requests in flight each", "answers per CPU-second", true, true, depths},
		{"memory.svg", "idle clients", "clients", "MiB resident", false, false, memories},
	}
}

func (b *bench) draw(ctx context.Context, folder string) error {
	for _, pic := range pictures() {
		if err := b.picture(ctx, folder, pic); err != nil {
			return fmt.Errorf("%s: %w", pic.file, err)
		}
	}
	return nil
}

func (b *bench) picture(ctx context.Context, folder string, pic picture) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = pic.title, pic.x, pic.y
	if pic.logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if pic.logY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	for i, name := range webs {
		points, err := pic.points(ctx, b, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		p.Add(line)
		p.Legend.Add(name, line)
	}
	return p.Save(8*vg.Inch, 4.5*vg.Inch, filepath.Join(folder, pic.file))
}

func latencies(ctx context.Context, b *bench, name string) (points plotter.XYs, err error) {
	row, err := b.fresh(ctx, name, 10, 1)
	for _, at := range row.Points {
		points = append(points, plotter.XY{X: math.Max(at.Time, 1), Y: at.Percentile})
	}
	return points, err
}

func depths(ctx context.Context, b *bench, name string) (points plotter.XYs, err error) {
	for _, depth := range []int{1, 2, 4, 8, 16, 32, 64} {
		s, err := b.start(ctx, name)
		if err != nil {
			return nil, err
		}
		value, err := perSecond("ping", 10, depth)(ctx, b, s)
		s.stop()
		if err != nil {
			return nil, err
		}
		points = append(points, plotter.XY{X: float64(depth), Y: value})
	}
	return points, nil
}

func memories(ctx context.Context, b *bench, name string) (points plotter.XYs, err error) {
	for _, clients := range []int{1, 100, 250, 500} {
		s, err := b.start(ctx, name)
		if err != nil {
			return nil, err
		}
		n, err := b.withIdle(ctx, s, clients)
		s.stop()
		if err != nil {
			return nil, err
		}
		points = append(points, plotter.XY{X: float64(clients), Y: float64(n) / mib})
	}
	return points, nil
}

func (b *bench) fresh(ctx context.Context, name string, clients, pipeline int) (load.Row, error) {
	s, err := b.start(ctx, name)
	if err != nil {
		return load.Row{}, err
	}
	defer s.stop()
	return b.run(ctx, s, "ping", clients, pipeline)
}
