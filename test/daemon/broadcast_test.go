// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"sync/atomic"
	"testing"
	"time"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

func TestBroadcast_ReachesTheOthersAtOnceWhileOneDoesNotRead(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	mute := wire.Dial(t, d.Port, tiny)
	mute.Upgrade(rig.Token)
	var reported atomic.Int64
	report := func(int) { reported.Add(1) }
	notify(t, d, 12<<20, report)
	readers := []*wire.Conn{d.Open(t), d.Open(t)}
	for range 5 {
		note := notify(t, d, 1000, report)
		for _, c := range readers {
			c.Expect(note)
		}
	}
	// A broadcast that waited for it would be over.
	if n := reported.Load(); n > 0 || d.Gone(1) {
		t.Errorf("%d broadcasts are over, the one that does not read is gone: %t", n, d.Gone(1))
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
