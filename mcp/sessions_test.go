// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

const pingMessage = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestSessions_TheOldestIdleOneMakesRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range maxSessions {
		w.begin("2025-11-25")
		if n == 0 {
			w.http("stream", "GET /mcp session=session-1")
		}
		w.clock.advance(time.Second)
	}
	// The first has a stream, the second was used lately: the third is idle longest.
	w.post("session-2", pingMessage)
	w.begin("2025-11-25")
	for id, want := range map[string]int{"session-1": 200, "session-2": 200, "session-3": 404, "session-4": 200} {
		if got := w.post(id, pingMessage).status; got != want {
			t.Errorf("%s: %d, want %d", id, got, want)
		}
	}
	if n := len(w.server.sessions.all); n != maxSessions {
		t.Errorf("%d sessions, want %d", n, maxSessions)
	}
}

// A client that comes is never refused: where every session has a stream, the one that
// was used longest ago ends with it.
func TestSessions_ABusyOneMakesRoomIfNoneIsIdle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range maxSessions {
		w.http(fmt.Sprint("stream", n), "GET /mcp session="+w.begin("2025-11-25"))
		w.clock.advance(time.Second)
	}
	w.begin("2025-11-25")
	if !w.responses["stream0"].over || w.responses["stream1"].over {
		t.Error("another stream ended than the oldest session's")
	}
	if got := w.post("session-1", pingMessage).status; got != 404 {
		t.Errorf("the oldest session: %d", got)
	}
}

func TestSessions_IdleOnesMakeRoomTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 10 {
		w.begin("2025-11-25")
	}
	w.clock.advance(sessionIdle + time.Second)
	w.begin("2025-11-25")
	if n := len(w.server.sessions.all); n != 1 {
		t.Errorf("%d sessions stayed", n)
	}
}

// A caller that waits keeps its session, however long it waits.
func TestSessions_OneWithACallIsNotIdle(t *testing.T) {
	t.Parallel()
	w := httpWorld(newWorld(t), "openDiff")
	id := w.begin("2025-11-25")
	w.post(id, `{"jsonrpc":"2.0","id":"diff","method":"tools/call","params":{"name":"nvim_openDiff"}}`)
	w.clock.advance(2 * sessionIdle)
	if got := w.post(id, pingMessage).status; got != 200 {
		t.Errorf("status %d", got)
	}
}

func TestSessions_IDsAreLongVisibleAndNeverTheSame(t *testing.T) {
	t.Parallel()
	table := newSessions()
	var seen []string
	for range 100 {
		id := table.newID()
		if len(id) < 26 || slices.Contains(seen, id) || slices.ContainsFunc([]byte(id), func(c byte) bool { return c < 0x21 || c > 0x7E }) {
			t.Fatalf("id %q", id)
		}
		seen = append(seen, id)
	}
}

func TestSessions_CallsInFlightAreBoundedAcrossRequests(t *testing.T) {
	t.Parallel()
	w := httpWorld(newWorld(t), "slow")
	id, other := w.begin("2025-11-25"), w.begin("2025-11-25")
	call := func(session string, n int) *fakeHTTP {
		return w.post(session, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"nvim_slow"}}`, n))
	}
	for n := range maxInFlight {
		call(id, n)
	}
	if got := len(w.open); got != maxInFlight {
		t.Fatalf("%d calls reached the editor", got)
	}
	want := `{"jsonrpc":"2.0","id":9999,"result":{"content":[{"type":"text","text":"Error: too many calls in flight"}],"isError":true}}`
	if f := call(id, 9999); f.status != 200 || f.said[0] != want {
		t.Errorf("one more: %d %s", f.status, f.said)
	}
	if f := call(other, 1); f.begun {
		t.Errorf("another session's: %d %s", f.status, f.said)
	}
}
