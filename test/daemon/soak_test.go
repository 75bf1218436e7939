// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package daemon

import (
	"io"
	"slices"
	"testing"
	"time"

	"claudecoded/session"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

func init() { mutations = 100_000 }

// roundTrips are the times of pings, sorted.
func roundTrips(c *wire.Conn, n int) []time.Duration {
	took := make([]time.Duration, n)
	for i := range took {
		start := time.Now()
		answers(c)
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	return took
}

// A hundred clients that read at a trickle, each with a long queue, and one that reads.
func TestStall_AHundredSlowReadersDoNotSlowAHealthyOne(t *testing.T) {
	d := rig.Start(t, rig.Config{Session: session.Config{MaxClients: 200}})
	healthy := d.Open(t)
	const trips = 2000
	alone := roundTrips(healthy, trips)

	ended := make(chan struct{})
	for range 100 {
		c := wire.Dial(t, d.Port, tiny)
		c.Upgrade(rig.Token)
		go func() {
			ticker := time.NewTicker(20 * time.Millisecond)
			defer ticker.Stop()
			for {
				select {
				case <-ended:
					return
				case <-ticker.C:
				}
				if _, err := io.CopyN(io.Discard, c.TCP, 4<<10); err != nil {
					return
				}
			}
		}()
	}
	defer close(ended)
	healthy.Expect(notify(t, d, 12<<20, nil))
	p99 := trips * 99 / 100
	limit := 5*alone[p99] + 50*time.Millisecond // who waited for the others would wait for seconds
	var all []time.Duration                     // what another program delays is one of them
	for len(all) < 5 {
		all = append(all, roundTrips(healthy, trips)[p99])
		if all[len(all)-1] <= limit {
			break
		}
	}
	t.Logf("p99 alone %v, beside slow readers %v", alone[p99], all)
	if best := slices.Min(all); best > limit {
		t.Errorf("p99 is %v, and was %v alone", best, alone[p99])
	}
}

func TestStop_IsDoneInTimeAgainAndAgain(t *testing.T) {
	var all []time.Duration
	for range 10 {
		all = append(all, stopAmid(t))
	}
	slices.Sort(all)
	t.Logf("took %v", all)
	if middle := all[len(all)/2]; middle > maxStop {
		t.Errorf("half of the stops took more than %v", middle)
	}
}
