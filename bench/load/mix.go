// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Share is how much of the clients behave in one way.
type Share struct {
	Behaviour string  `json:"behaviour"`
	Weight    float64 `json:"weight"`
}

// Mix is how the clients are shared out among the behaviours.
type Mix []Share

// ParseMix reads behaviours with their weights, such as "ping=7,call=2,churn"; a weight
// that is left out is 1.
func ParseMix(text string) (Mix, error) {
	var mix Mix
	for part := range strings.SplitSeq(text, ",") {
		name, value, weighted := strings.Cut(strings.TrimSpace(part), "=")
		share := Share{Behaviour: name, Weight: 1}
		if _, known := find(name); !known {
			return nil, fmt.Errorf("the behaviour %q is unknown; there are %s", name, strings.Join(Names(), ", "))
		}
		if slices.ContainsFunc(mix, func(s Share) bool { return s.Behaviour == name }) {
			return nil, fmt.Errorf("the behaviour %q is there twice", name)
		}
		if weighted {
			weight, err := strconv.ParseFloat(value, 64)
			if err != nil || !(weight > 0) || weight > 1e6 {
				return nil, fmt.Errorf("the weight of %s is %q, not a number above 0", name, value)
			}
			share.Weight = weight
		}
		mix = append(mix, share)
	}
	return mix, nil
}

// assign gives each of n clients a behaviour: one to each share, the others where the
// most is missing.
func (m Mix) assign(n int) []behaviour {
	given := make([]int, len(m))
	assigned := make([]behaviour, 0, n)
	for range n {
		next := 0
		for i := range m {
			if cmp.Compare(float64(given[i])/m[i].Weight, float64(given[next])/m[next].Weight) < 0 {
				next = i
			}
		}
		given[next]++
		b, _ := find(m[next].Behaviour)
		assigned = append(assigned, b)
	}
	return assigned
}
