// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"strings"
	"testing"
	"time"
)

// The buffer of a large message is the next one's, of whichever client, for two seconds.
func TestLargeMessages_ShareABufferForAWhile(t *testing.T) {
	t.Parallel()
	const size = 2 << 20
	w := newWorld(t)
	clients := []*peer{w.connected(), w.connected()}
	var buffers []*byte // which also keeps the collector from giving their memory to others
	w.onText = func(text []byte) { buffers = append(buffers, &text[0]) }
	for i, wait := range []time.Duration{0, 0, 1500 * time.Millisecond, 1500 * time.Millisecond, 2 * time.Second} {
		w.loop.Advance(wait)
		clients[i%2].Send(text(strings.Repeat("x", size)))
		w.loop.Settle()
		if len(buffers) != i+1 {
			t.Fatalf("%d messages of %d came", len(buffers), i+1)
		}
		if same, want := buffers[i] == buffers[0], i < 4; same != want {
			t.Errorf("message %d has the first one's buffer: %t", i, same)
		}
	}
	w.server.Stop(nil)
	w.loop.Settle()
	if next, waits := w.loop.NextTimer(); waits && next.Sub(w.loop.Now()) > time.Second {
		t.Errorf("a timer is left for %v", next.Sub(w.loop.Now()))
	}
}
