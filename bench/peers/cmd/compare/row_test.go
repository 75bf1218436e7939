// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"slices"
	"strings"
	"testing"
)

// rounds are those of a row in which less, or more, is better.
func rounds(less bool, targets ...target) Measured {
	return Measured{row{"a row", "ms", less, targets}, values{
		ours: {10, 20, 30}, "gws": {20, 20, 20}, "coder": {40, 10, 60},
	}}
}

func TestVerdict_IsAboutTheMedianOfTheRoundsRatios(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		less   bool
		target target
		want   string
	}{
		{true, target{"gws", 1}, "≤ 1 × gws: 1.00 ± 50 %, reached"},
		{true, target{"gws", 0.8}, "≤ 0.8 × gws: 1.00 ± 50 %, **not reached** by 25 %"},
		{false, target{"gws", 2}, "≥ 2 × gws: 1.00 ± 50 %, **not reached** by 50 %"},
		{false, target{"coder", 0.5}, "≥ 0.5 × coder: 0.50 ± 175 %, reached"},
		// The fastest of each round is another one.
		{true, target{fastest, 1.5}, "≤ 1.5 × the fastest peer: 1.50 ± 50 %, reached"},
		{false, target{fastest, 0.5}, "≥ 0.5 × the fastest peer: 0.50 ± 75 %, reached"},
		{true, target{alone, 19}, "≤ 19: **not reached** by 5 %"},
		{true, target{alone, 0}, "≤ 0: **not reached**"},
		{true, target{"echo", 1}, "≤ 1 × echo: not measured"},
	} {
		if got := rounds(c.less).verdict(c.target); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if got := rounds(true).cell(ours) + rounds(true).cell("echo"); got != "20 ± 50 %" {
		t.Error(got)
	}
}

func TestAgreements_SayWhetherTheRangesMeet(t *testing.T) {
	t.Parallel()
	before := Result{Rows: []Measured{rounds(true, target{"gws", 1})}}
	for _, c := range []struct {
		own    []float64
		agrees bool
	}{{[]float64{30, 31, 32}, true}, {[]float64{30.5, 32, 33}, true}, {[]float64{31, 32, 33}, false}, {[]float64{9, 9, 9}, false}} {
		now := rounds(true, target{"gws", 1})
		now.Values[ours] = c.own
		got := agreements(before, Result{Rows: []Measured{now}})
		if len(got) != 1 || got[0].Agrees != c.agrees {
			t.Errorf("%v: %+v", c.own, got)
		}
	}
	// Without a target it is about the values; a row that was not there is left out.
	other := rounds(true)
	other.Name = "another"
	if got := agreements(before, Result{Rows: []Measured{rounds(true), other}}); len(got) != 1 || !got[0].Agrees || got[0].Before != [3]float64{10, 20, 30} {
		t.Errorf("%+v", got)
	}
}

func TestWorks_HaveRowsAndServersThatTheTableKnows(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, w := range works() {
		for _, r := range w.rows {
			if seen[r.Name] {
				t.Errorf("%q is there twice", r.Name)
			}
			seen[r.Name] = true
			for _, target := range r.Targets {
				if known := append(slices.Clone(w.servers), alone, fastest); !slices.Contains(known, target.Peer) {
					t.Errorf("%q is about %s, which is not measured", r.Name, target.Peer)
				}
			}
		}
		for _, name := range w.servers {
			if !slices.Contains(columns, name) {
				t.Errorf("%q has no column", name)
			}
		}
	}
}

func TestChoose_LeavesTheRowsAndServersThatAreNamed(t *testing.T) {
	t.Parallel()
	chosen, err := choose(works(), []string{"peak"}, []string{"gws", "echo"})
	if err != nil || len(chosen) != 2 || !slices.Equal(chosen[0].servers, []string{ours, "gws"}) {
		t.Errorf("%v %+v", err, chosen)
	}
	if _, err := choose(works(), []string{"nothing"}, nil); err == nil {
		t.Error("no row was named, and nothing said so")
	}
	if _, err := choose(works(), nil, []string{"nobody"}); err == nil || !strings.Contains(err.Error(), "gorilla") {
		t.Error(err)
	}
	if all, err := choose(works(), nil, nil); err != nil || len(all) != len(works()) || len(all[0].servers) != 7 {
		t.Errorf("%v", err)
	}
}

func TestRotated_BeginsWithEachInTurn(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c"}
	for by, want := range []string{"a b c", "b c a", "c a b", "a b c"} {
		if got := strings.Join(rotated(names, by), " "); got != want {
			t.Errorf("%d: %s", by, got)
		}
	}
}

func TestMarkdown_HasEveryRowWithItsVerdictAndTheNotes(t *testing.T) {
	t.Parallel()
	r := Result{Date: "a day", Machine: "a machine", Rounds: 3, Rows: []Measured{rounds(true, target{"gws", 1})}}
	r.Against = agreements(r, r)
	page := r.markdown("What was tried.\n", true)
	for _, want := range []string{"a day", "a machine", "| a row | ms | 20 ± 50 % | ≤ 1 × gws: 1.00 ± 50 %, reached |",
		"## Notes\n\nWhat was tried.\n", "(latency.svg)", "| a row | × gws | 1 (0.5 to 1.5) | 1 (0.5 to 1.5) | yes |"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
}
