// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"claudecoded/bench/claude"
)

// A client that waited a second for one answer, and sends every 10 ms otherwise, did not
// send 99 requests that would have waited up to 990 ms.
func TestCorrected_CountsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	s := newSeries("ping")
	for range 100 {
		s.observe(time.Millisecond)
	}
	s.observe(time.Second)
	whole := corrected(s.times, int64(10*time.Millisecond))
	if n := whole.TotalCount(); n != 200 {
		t.Errorf("%d times, not 200", n)
	}
	measured, actual := s.times.ValueAtQuantile(75), whole.ValueAtQuantile(75)
	if measured > int64(2*time.Millisecond) || actual < int64(450*time.Millisecond) || actual > int64(550*time.Millisecond) {
		t.Errorf("the third quarter ends at %v, corrected at %v", time.Duration(measured), time.Duration(actual))
	}
	if same := corrected(s.times, 0).TotalCount(); same != 101 {
		t.Errorf("without an interval %d times", same)
	}
}

func TestSeries_TellsWrongAnswersFromLostConnections(t *testing.T) {
	t.Parallel()
	s := newSeries("ping")
	for range maxErrors {
		s.failed(fmt.Errorf("a call: %w", claude.ErrProtocol))
		s.failed(fmt.Errorf("tools/list: %w", &claude.RPCError{Code: 1, Message: "m"}))
		s.failed(errors.New("reset by peer"))
	}
	if s.wrong != 2*maxErrors || s.dropped != maxErrors || len(s.errors) != maxErrors {
		t.Errorf("%d wrong, %d dropped, %q", s.wrong, s.dropped, s.errors)
	}
}

func TestSeries_TakesTimesBeyondItsBounds(t *testing.T) {
	t.Parallel()
	s := newSeries("ping")
	s.observe(-time.Second)
	s.observe(time.Hour)
	if n, most := s.times.TotalCount(), time.Duration(s.times.Max()); n != 2 || most < 9*time.Minute {
		t.Errorf("%d times, at most %v", n, most)
	}
}
