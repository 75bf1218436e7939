// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"testing"
	"time"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// atOnce is how long a broadcast may take to clients that read.
const atOnce = 50 * time.Millisecond

func TestBroadcast_ReachesTheOthersAtOnceWhileOneDoesNotRead(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	mute := wire.Dial(t, d.Port, tiny)
	mute.Upgrade(rig.Token)
	notify(t, d, 12<<20, nil)
	readers := []*wire.Conn{d.Open(t), d.Open(t)}
	best := time.Hour
	for range 5 { // one of them on a machine that is busy elsewhere
		start := time.Now()
		note := notify(t, d, 1000, nil)
		for _, c := range readers {
			c.Expect(note)
		}
		best = min(best, time.Since(start))
	}
	if best > atOnce {
		t.Errorf("a broadcast took %v", best)
	}
	// A client that fails during the write is not counted, and counted only then.
	written := make(chan int, 2)
	d.Do(t, func() {
		_ = mute.TCP.SetLinger(0)
		_ = mute.TCP.Close()
		d.Protocol.BroadcastNotification("at_mentioned", nil, func(n int) { written <- n })
	})
	select {
	case n := <-written:
		if n != 2 {
			t.Errorf("%d clients took it", n)
		}
	case <-time.After(wire.Patience):
		t.Error("the broadcast is not reported")
	}
}

func TestBroadcast_WithoutClientsIsTakenByNobody(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	wire.Dial(t, d.Port).Send([]byte("GET / HT"))
	d.Do(t, func() {
		if d.Protocol.BroadcastNotification("at_mentioned", nil, func(int) { t.Error("a write is reported") }) {
			t.Error("somebody took it")
		}
	})
	c := d.Open(t)
	answers(c)
}
