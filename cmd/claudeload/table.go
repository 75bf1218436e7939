// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"claudecoded/bench/load"
)

// writeTable shows a report to a person. Times are in microseconds.
func writeTable(out io.Writer, r *load.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "behaviour\tclients\tanswers\t/s\tp50 µs\tp90\tp99\tp99.9\tmax\tp99 corrected\tdropped\twrong\t\n")
	for _, row := range r.Rows {
		m := row.Measured
		fmt.Fprintf(w, "%s\t%d\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%d\t\n", row.Behaviour, row.Clients,
			row.Answers, row.PerSecond, m.P50, m.P90, m.P99, m.P999, m.Max, row.Corrected.P99, row.Dropped, row.Wrong)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	for _, row := range r.Rows {
		for _, text := range row.Errors {
			fmt.Fprintf(out, "%s: %s\n", row.Behaviour, text)
		}
	}
	const mib = 1 << 20
	if c := r.Server; c != nil {
		fmt.Fprintf(out, "server: %.2f s of CPU, %.0f answers per CPU-second, memory %.1f MiB before, %.1f at most, %.1f after\n",
			c.CPUSeconds, c.PerCPUSecond, float64(c.ResidentBefore)/mib, float64(c.ResidentMost)/mib, float64(c.ResidentAfter)/mib)
	}
	return nil
}
