// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"slices"
	"testing"
	"time"
)

func TestPaced_IsWhatARatePutsOnASchedule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate      float64
		behaviour string
		want      bool
	}{{50, "ping", true}, {50, "http-call", true}, {50, "churn", false}, {0, "ping", false}} {
		if got := (&Config{Rate: c.rate}).paced(c.behaviour); got != c.want {
			t.Errorf("%s at %v: %v", c.behaviour, c.rate, got)
		}
	}
}

// One slow answer among fast ones stands for those that were not asked for meanwhile, but
// where a schedule was kept.
func TestNewRow_CorrectsWhatHadNoSchedule(t *testing.T) {
	t.Parallel()
	s := newSeries("ping")
	for range 99 {
		s.observe(time.Millisecond)
	}
	s.observe(time.Second)
	free, paced := newRow("ping", []*Series{s}, false, time.Second), newRow("ping", []*Series{s}, true, time.Second)
	if free.Corrected.P90 < 2*free.Measured.P90 || paced.Corrected != paced.Measured || free.Answers != 100 {
		t.Errorf("%+v, on a schedule %+v", free, paced)
	}
	if !slices.IsSortedFunc(free.Points, func(a, b Point) int { return int(a.Time - b.Time) }) || free.Points[len(free.Points)-1].Time < 1e6 {
		t.Errorf("%v", free.Points)
	}
	if none := newRow("idle", []*Series{newSeries("idle")}, false, time.Second); none.Points != nil {
		t.Errorf("%v", none.Points)
	}
}
