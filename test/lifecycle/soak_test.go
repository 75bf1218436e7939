// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package lifecycle

import (
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestParallel_TwentyEditorsOfOneUserHaveTwentyPorts(t *testing.T) { checkParallel(t, 20) }

// As it is for users: the machine sleeps for two minutes, clients are pinged every 30 s.
func TestStopped_ADaemonThatSleptTwoMinutesDropsNoHealthyClient(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
		lock, client := e.Serve()
		other := dial(t, lock)
		idle := make(chan error, 1)
		go func() { // it answers pings, and no more
			for {
				if _, err := other.ReadMessage(); err != nil {
					idle <- err
					return
				}
			}
		}()
		_, daemon := e.PIDs()
		stop(t, daemon, 2*time.Minute, func() {})
		checkConnected(t, client, 35*time.Second)
		select {
		case err := <-idle:
			t.Errorf("the other client lost its server: %v", err)
		default:
		}
	})
}
