// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"errors"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"claudecoded/bench/claude"
)

// What the histograms hold: from a microsecond to ten minutes, three digits exact.
const (
	lowest  = int64(time.Microsecond)
	highest = int64(10 * time.Minute)
	digits  = 3
	// maxErrors bounds how many errors a client remembers; all are counted.
	maxErrors = 4
)

// Series is what one client saw. Its methods may be called from any goroutine.
type Series struct {
	behaviour string

	mu          sync.Mutex
	times       *hdrhistogram.Histogram
	connections int64
	// wrong counts what no correct server does, dropped the connections that failed
	// otherwise.
	wrong, dropped int64
	errors         []string
}

func newSeries(behaviour string) *Series {
	return &Series{behaviour: behaviour, times: hdrhistogram.New(lowest, highest, digits)}
}

func (s *Series) observe(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// Both bounds are far from what happens; what is beyond counts as the bound.
	_ = s.times.RecordValue(min(max(int64(d), lowest), highest))
}

// timer starts to time something; what it returns observes it.
func (s *Series) timer() (done func()) {
	start := time.Now()
	return func() { s.observe(time.Since(start)) }
}

func (s *Series) connected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
}

func (s *Series) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var refused *claude.RPCError
	if errors.Is(err, claude.ErrProtocol) || errors.As(err, &refused) {
		s.wrong++
	} else {
		s.dropped++
	}
	if len(s.errors) < maxErrors {
		s.errors = append(s.errors, err.Error())
	}
}

// corrected adds to a histogram the requests that a client which waits for answers did
// not send while it waited, as if it had sent one every interval: each time that is
// longer stands also for those that would have waited for a part of it.
func corrected(times *hdrhistogram.Histogram, interval int64) *hdrhistogram.Histogram {
	out := hdrhistogram.New(lowest, highest, digits)
	for _, bar := range times.Distribution() {
		if bar.Count == 0 {
			continue
		}
		value := min(bar.To, highest)
		_ = out.RecordValues(value, bar.Count)
		for missing := value - interval; interval > 0 && missing >= interval; missing -= interval {
			_ = out.RecordValues(missing, bar.Count)
		}
	}
	return out
}
