// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"slices"
)

// resolution is how far apart ranges may be, as a share, that count as the same: the size of
// a process at rest hardly differs between rounds, but does between builds.
const resolution = 0.02

// agreement says whether two runs agree in one ratio, or where a row has no target in ours
// itself: they do if the ranges of their rounds have something in common.
type agreement struct {
	Row    string     `json:"row"`
	Of     string     `json:"of"`
	Before [3]float64 `json:"before"` // lowest, median, highest
	Now    [3]float64 `json:"now"`
	Agrees bool       `json:"agrees"`
}

// agreements compares the rows that both runs have.
func agreements(before, now Result) (all []agreement) {
	for _, m := range now.Rows {
		i := slices.IndexFunc(before.Rows, func(b Measured) bool { return b.Name == m.Name })
		if i < 0 {
			continue
		}
		targets := m.Targets
		if len(targets) == 0 {
			targets = []target{{Peer: alone}}
		}
		for _, t := range targets {
			then, this := before.Rows[i].ratios(t), m.ratios(t)
			if len(then) == 0 || len(this) == 0 {
				continue
			}
			a := agreement{Row: m.Name, Of: "× " + t.Peer, Before: summary(then), Now: summary(this)}
			if t.Peer == alone {
				a.Of = m.Unit
			}
			a.Agrees = a.Before[0] <= a.Now[2]*(1+resolution) && a.Now[0] <= a.Before[2]*(1+resolution)
			all = append(all, a)
		}
	}
	return all
}

func summary(values []float64) [3]float64 {
	return [3]float64{slices.Min(values), middle(values), slices.Max(values)}
}

func (a agreement) line() string {
	mark := "yes"
	if !a.Agrees {
		mark = "**no**"
	}
	show := func(v [3]float64) string {
		return fmt.Sprintf("%s (%s to %s)", number(v[1]), number(v[0]), number(v[2]))
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s |\n", a.Row, a.Of, show(a.Before), show(a.Now), mark)
}
