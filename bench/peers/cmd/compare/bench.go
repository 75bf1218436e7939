// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// bench measures, with the load on other cores than the servers.
type bench struct {
	bin     string
	time    time.Duration
	serving *unix.CPUSet
	loading unix.CPUSet
}

// Measured is what became of one work: the values of each round, by server.
type Measured struct {
	Work    string               `json:"work"`
	Unit    string               `json:"unit"`
	Less    bool                 `json:"less_is_better"`
	Targets []target             `json:"targets"`
	Values  map[string][]float64 `json:"values"`
	servers []string
}

// measure runs a work in rounds, in each of which every server has its turn in a fresh
// process, so that what disturbs the machine disturbs all.
func (b *bench) measure(ctx context.Context, w work, rounds int) (Measured, error) {
	m := Measured{w.name, w.unit, w.less, w.targets, map[string][]float64{}, w.servers}
	for range rounds {
		for _, name := range w.servers {
			value, err := b.once(ctx, w, name)
			if err != nil {
				return m, fmt.Errorf("%s: %w", name, err)
			}
			m.Values[name] = append(m.Values[name], value)
		}
	}
	return m, nil
}

func (b *bench) once(ctx context.Context, w work, name string) (float64, error) {
	s, err := b.start(ctx, name)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	return w.measure(ctx, b, s)
}

// median of the rounds of a server.
func (m Measured) median(name string) float64 { return middle(m.Values[name]) }

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// spread is how far apart the rounds of a server were, as a share of their median.
func (m Measured) spread(name string) float64 {
	values := m.Values[name]
	if len(values) == 0 || m.median(name) == 0 {
		return 0
	}
	return (slices.Max(values) - slices.Min(values)) / m.median(name)
}

// ratio is ours over what a target is about: the median of the rounds' ratios, because
// the turns of a round are close together in time.
func (m Measured) ratio(t target) float64 {
	var ratios []float64
	for round, own := range m.Values[ours] {
		ratios = append(ratios, own/m.against(t, round))
	}
	return middle(ratios)
}

func (m Measured) against(t target, round int) float64 {
	switch t.Peer {
	case message, atMost:
		return 1
	case fastest:
		best := 0.0
		for name, values := range m.Values {
			if name != ours && (best == 0 || (values[round] < best) == m.Less) {
				best = values[round]
			}
		}
		return best
	}
	return m.Values[t.Peer][round]
}

func (m Measured) reached(t target) bool {
	if m.Less {
		return m.ratio(t) <= t.Ratio
	}
	return m.ratio(t) >= t.Ratio
}
