// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"claudecoded/bench/load"
)

// formats are the endings of the files that a plot can be.
var formats = []string{".svg", ".png", ".pdf"}

func canPlot(path string) error {
	if path != "" && !slices.Contains(formats, filepath.Ext(path)) {
		return fmt.Errorf("a plot is a file that ends in one of %v, not %s", formats, path)
	}
	return nil
}

// plotTimes draws for each behaviour which share of its answers took how long.
func plotTimes(r *load.Report, path string) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%d clients, %d in flight, %.0f s", r.Clients, r.Pipeline, r.Seconds)
	p.X.Label.Text, p.Y.Label.Text = "µs, corrected for coordinated omission", "share of the answers, in %"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Min, p.Y.Max = 0, 100
	p.Legend.Left, p.Legend.Top = true, true
	p.Add(plotter.NewGrid())
	for i, row := range r.Rows {
		if len(row.Points) == 0 {
			continue
		}
		points := make(plotter.XYs, len(row.Points))
		for j, at := range row.Points {
			// A logarithm needs a time above 0.
			points[j] = plotter.XY{X: math.Max(at.Time, 1), Y: at.Percentile}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return fmt.Errorf("drawing %s: %w", row.Behaviour, err)
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		line.Dashes = plotutil.Dashes(i / len(plotutil.SoftColors))
		p.Add(line)
		p.Legend.Add(row.Behaviour, line)
	}
	if err := p.Save(9*vg.Inch, 5*vg.Inch, path); err != nil {
		return fmt.Errorf("writing the plot: %w", err)
	}
	return nil
}
