// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"claudecoded/bench/load"
)

// picture is one plot: a line for each server.
type picture struct {
	file, title, x, y string
	// ticks are those of X, else what suits a logarithmic scale.
	ticks  []float64
	logY   bool
	points func(ctx context.Context, b *bench, name string) (plotter.XYs, error)
}

func pictures() []picture {
	return []picture{
		{"latency.svg", "10 clients, 1 request in flight each; corrected for coordinated omission", "µs", "share of the answers, in %", nil, false, latencies},
		{"pipeline.svg", "10 clients", "requests in flight each", "answers per CPU-second", depths, true, throughputs},
		{"memory.svg", "Clients that do nothing", "clients", "MiB resident", crowds, false, memories},
	}
}

var (
	depths = []float64{1, 2, 4, 8, 16, 32, 64}
	crowds = []float64{1, 100, 250, 500, 750, 1000}
	// colors are the servers', in the order of webs.
	colors = []color.Color{
		color.RGBA{200, 30, 30, 255}, color.RGBA{30, 100, 200, 255}, color.RGBA{20, 140, 60, 255},
		color.RGBA{230, 140, 0, 255}, color.RGBA{130, 60, 170, 255}, color.RGBA{100, 100, 100, 255},
	}
)

// numbered are ticks with labels that a person reads.
type numbered struct{ plot.Ticker }

func (n numbered) Ticks(low, high float64) []plot.Tick {
	ticks := n.Ticker.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = number(ticks[i].Value)
		}
	}
	return ticks
}

func constant(at []float64) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(at))
	for i, v := range at {
		ticks[i] = plot.Tick{Value: v, Label: number(v)}
	}
	return ticks
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
	p.X.Tick.Marker = constant(pic.ticks)
	if pic.ticks == nil {
		p.X.Tick.Marker = numbered{plot.LogTicks{Prec: -1}}
	}
	if pic.ticks == nil || pic.logY {
		p.X.Scale = plot.LogScale{}
	}
	if pic.logY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, numbered{plot.LogTicks{Prec: -1}}
	} else {
		p.Y.Min = 0
	}
	p.Legend.Top, p.Legend.Left, p.Legend.Padding, p.Legend.XOffs = true, true, vg.Points(2), vg.Points(8)
	p.Add(plotter.NewGrid())
	for i, name := range webs {
		points, err := pic.points(ctx, b, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", pic.file, name)
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = colors[i], vg.Points(1.5)
		if name == ours {
			line.Width = vg.Points(3)
		}
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

func throughputs(ctx context.Context, b *bench, name string) (points plotter.XYs, err error) {
	short := *b
	short.time /= 2
	for _, depth := range depths {
		got, err := inTurn(perSecond("ping", 10, int(depth)))(ctx, &short, []string{name})
		if err != nil {
			return nil, err
		}
		points = append(points, plotter.XY{X: depth, Y: got[name][0]})
	}
	return points, nil
}

func memories(ctx context.Context, b *bench, name string) (points plotter.XYs, err error) {
	s, err := b.start(ctx, name)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	var all sessions
	defer func() { all.close() }()
	for _, clients := range crowds {
		if all, err = all.connect(ctx, s, int(clients)); err != nil {
			return nil, err
		}
		n, err := resident(s.pid())
		if err != nil {
			return nil, err
		}
		points = append(points, plotter.XY{X: clients, Y: float64(n) / mib})
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
