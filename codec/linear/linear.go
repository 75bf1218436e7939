// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package linear measures whether a time grows as the bytes it is for, beside a plain
// copy of as many: larger memory has slower caches and more pages to fetch, and what that
// costs the copy too is not the work's.
package linear

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// Work is what is measured.
type Work struct {
	Name string
	Run  func(size int) // handles size bytes once
}

// Copy copies size bytes in chunks as long as chunk into a fresh buffer.
func Copy(chunk []byte) Work {
	return Work{"copy", func(size int) {
		buf := make([]byte, 0, size)
		for rest := size; rest > 0; {
			n := min(rest, len(chunk))
			buf = append(buf, chunk[:n]...)
			rest -= n
		}
		runtime.KeepAlive(buf)
	}}
}

// Compare runs the works in turns with both sizes, so that a busy machine hits all of
// them, and reports the median time per byte of each and how much larger it is for large.
func Compare(b *testing.B, small, large int, works ...Work) {
	b.Helper()
	times := make([][2][]float64, len(works))
	for b.Loop() {
		for i, w := range works {
			for range large / small {
				times[i][0] = append(times[i][0], perByte(w, small))
			}
			times[i][1] = append(times[i][1], perByte(w, large))
		}
	}
	b.ReportMetric(0, "ns/op") // of everything together: means nothing
	for i, w := range works {
		at := [2]float64{median(times[i][0]), median(times[i][1])}
		b.ReportMetric(at[0], fmt.Sprintf("ns/B-%s-%s", w.Name, Size(small)))
		b.ReportMetric(at[1], fmt.Sprintf("ns/B-%s-%s", w.Name, Size(large)))
		b.ReportMetric(at[1]/at[0], "factor-"+w.Name)
	}
}

// Size is n for a name.
func Size(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return fmt.Sprintf("%dMiB", n>>20)
}

func perByte(w Work, size int) float64 {
	began := time.Now()
	w.Run(size)
	return float64(time.Since(began).Nanoseconds()) / float64(size)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
