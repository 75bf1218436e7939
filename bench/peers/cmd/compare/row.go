// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"math"
	"slices"
)

// Measured is what became of one row: the values of each round, by server. A server that
// has none was not measured.
type Measured struct {
	row
	Values values `json:"values"`
}

// median of the rounds of a server.
func (m Measured) median(name string) float64 { return middle(m.Values[name]) }

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// spread is half of how far apart the values are, as a share of their median.
func spread(values []float64) float64 {
	if len(values) == 0 || middle(values) == 0 {
		return 0
	}
	return (slices.Max(values) - slices.Min(values)) / 2 / math.Abs(middle(values))
}

// ratios are ours over what a target is about, of each round: its turns are close together
// in time.
func (m Measured) ratios(t target) (ratios []float64) {
	for round, own := range m.Values[ours] {
		if against := m.against(t, round); !math.IsNaN(against) {
			ratios = append(ratios, own/against)
		}
	}
	return ratios
}

func (m Measured) against(t target, round int) float64 {
	switch t.Peer {
	case alone:
		return 1
	case fastest:
		best := math.NaN()
		for name, values := range m.Values {
			if name != ours && (math.IsNaN(best) || (values[round] < best) == m.Less) {
				best = values[round]
			}
		}
		return best
	}
	if values := m.Values[t.Peer]; round < len(values) {
		return values[round]
	}
	return math.NaN()
}

// missed is by how much a target was missed, as a share of it; 0 or less if it was reached.
// Where nothing is allowed it is what there was.
func (m Measured) missed(t target) float64 {
	ratio := middle(m.ratios(t))
	if !m.Less {
		return 1 - ratio/t.Ratio
	}
	if t.Ratio == 0 {
		return ratio
	}
	return ratio/t.Ratio - 1
}

// verdict is a target and what was reached of it.
func (m Measured) verdict(t target) string {
	sign, what := "≥", " × "+t.Peer
	if m.Less {
		sign = "≤"
	}
	if t.Peer == alone {
		what = ""
	}
	goal := fmt.Sprintf("%s %s%s", sign, number(t.Ratio), what)
	ratios := m.ratios(t)
	if len(ratios) == 0 {
		return goal + ": not measured"
	}
	got := ""
	if t.Peer != alone {
		got = fmt.Sprintf("%.2f ± %.0f %%, ", middle(ratios), 100*spread(ratios))
	}
	switch by := m.missed(t); {
	case by <= 0:
		return fmt.Sprintf("%s: %sreached", goal, got)
	case t.Ratio == 0:
		return fmt.Sprintf("%s: %s**not reached**", goal, got)
	default:
		return fmt.Sprintf("%s: %s**not reached** by %.0f %%", goal, got, math.Max(100*by, 1))
	}
}

// cell is a server's median and how far its rounds were from each other.
func (m Measured) cell(name string) string {
	values := m.Values[name]
	if len(values) == 0 {
		return ""
	}
	if middle(values) == 0 {
		return "0"
	}
	return fmt.Sprintf("%s ± %.0f %%", number(middle(values)), 100*spread(values))
}
