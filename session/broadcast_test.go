// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"claudecoded/session"
)

func TestBroadcast_IsTrueOnlyIfSomebodyTookIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.loop.Connect()
	w.upgrading()
	written := false
	if w.server.Broadcast([]byte("x"), func(int) { written = true }) || w.server.BroadcastLatest([]byte("x"), nil) {
		t.Error("taken although nobody is connected")
	}
	w.loop.Settle()
	if written {
		t.Error("written ran")
	}
	p := w.connected()
	if !w.server.Broadcast([]byte("x"), nil) {
		t.Error("not taken")
	}
	w.loop.Settle()
	wantFrames(t, p, "text x")
}

func TestBroadcast_CopiesItsPayload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	payload := []byte("x")
	w.server.Broadcast(payload, nil)
	payload[0] = 'y'
	w.loop.Settle()
	wantFrames(t, p, "text x")
}

func TestBroadcast_WrittenCountsTheWritesThatSucceededOnce(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, 3 * session.MaxPiece} {
		w := newWorld(t)
		w.connected()
		slow := w.slow()
		w.connected().FailWrites(errors.New("broken pipe"))
		closes := w.slow()
		slow.SetWindow(5)
		closes.SetWindow(5)
		var written []int
		if !w.server.Broadcast(make([]byte, size), func(n int) { written = append(written, n) }) {
			t.Fatal("not taken")
		}
		if len(written) > 0 {
			t.Fatal("written ran inside Broadcast")
		}
		w.loop.Settle()
		w.want("closed 3 1006 Client read error: broken pipe")
		closes.Reset()
		slow.SetWindow(size) // all but the frame's last bytes
		w.loop.Settle()
		if len(written) > 0 {
			t.Fatal("written ran before the last write finished")
		}
		slow.SetWindow(-1)
		w.loop.Settle()
		if len(written) != 1 || written[0] != 2 {
			t.Errorf("written got %v, want 2 once", written)
		}
	}
}

func TestBroadcast_WrittenMayBeZero(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connected().FailWrites(errors.New("broken pipe"))
	written := -1
	w.server.Broadcast([]byte("x"), func(n int) { written = n })
	w.loop.Settle()
	if written != 0 {
		t.Errorf("written got %d", written)
	}
}

func TestBroadcastLatest_OneIsQueuedPerClientAndTheLatestWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fast, slow := w.connected(), w.slow()
	slow.SetWindow(5) // takes a part of the first one
	for i := range 1000 {
		w.server.BroadcastLatest(fmt.Appendf(nil, "selection %d", i), nil)
		w.loop.Settle()
	}
	if got := frames(t, fast.Take()); len(got) != 1000 {
		t.Errorf("a client that reads got %d", len(got))
	}
	if q := slow.Queued(); q > 2*len("xx selection 999") {
		t.Errorf("%d bytes wait for the slow client", q)
	}
	slow.SetWindow(-1)
	w.loop.Settle()
	wantFrames(t, slow, "text selection 0", "text selection 999")
	w.server.BroadcastLatest([]byte("next"), nil)
	w.loop.Settle()
	wantFrames(t, slow, "text next")
}

func TestBroadcastLatest_KeepsItsPlaceAmongOtherMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.server.BroadcastLatest([]byte("old"), nil)
	w.server.Send(1, []byte("reply"))
	w.server.BroadcastLatest([]byte("new"), nil)
	w.loop.Settle()
	wantFrames(t, p, "text new", "text reply")
}

// The slowest of several clients delays only itself.
func TestBroadcast_DoesNotWaitForASlowClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.slow().SetWindow(0)
	p := w.connected()
	w.server.Broadcast([]byte("x"), nil)
	w.loop.Turn()
	wantFrames(t, p, "text x")
}

// A write that a newer message replaced counts as failed for its own broadcast.
func TestBroadcastLatest_WrittenCountsOnlyWhatWasNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Send(1, bytes.Repeat([]byte("x"), 4*window)) // a backlog before it
	w.loop.Settle()
	got := map[string]int{}
	for _, name := range []string{"first", "second", "third"} {
		w.server.BroadcastLatest([]byte(name), func(n int) {
			if _, told := got[name]; told {
				t.Errorf("%s was told twice", name)
			}
			got[name] = n
		})
	}
	for range 8 {
		p.Read(window)
		w.loop.Settle()
	}
	if want := map[string]int{"first": 0, "second": 0, "third": 1}; !maps.Equal(got, want) {
		t.Errorf("written %v, want %v", got, want)
	}
}

// Many broadcasts wait for clients that fail at different times: each is told its own count.
func TestBroadcast_WrittenIsToldForEachOfMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, fails := w.connected(), w.slow()
	const before, after = 3, 4
	var written []string
	broadcast := func(i int) {
		w.server.Broadcast(fmt.Append(nil, i), func(n int) { written = append(written, fmt.Sprint(i, ":", n)) })
		if i%2 == 0 {
			w.server.Broadcast([]byte("nobody waits for this"), nil)
		}
	}
	for i := range before {
		broadcast(i)
	}
	w.loop.Settle()
	fails.SetWindow(0)
	for i := range after {
		broadcast(before + i)
	}
	w.loop.Settle()
	fails.Reset()
	w.loop.Settle()
	broadcast(before + after)
	w.loop.Settle()
	if want := []string{"0:2", "1:2", "2:2", "3:1", "4:1", "5:1", "6:1", "7:1"}; !slices.Equal(written, want) {
		t.Errorf("written %v, want %v", written, want)
	}
	if got := frames(t, p.Take()); len(got) != before+after+1+4 {
		t.Errorf("%q", got)
	}
}

// Frames that lie behind each other in memory stay whole, when they are replaced too.
func TestBroadcast_FramesAreWholeWhereverTheyLie(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, slow := w.connected(), w.slow()
	slow.SetWindow(0)
	var want []string
	for i := range 500 {
		message := strings.Repeat(string(rune('a'+i%26)), 1+i*7%5000)
		w.server.Broadcast([]byte(message), nil)
		w.server.BroadcastLatest(fmt.Append(nil, i), nil)
		want = append(want, "text "+message)
		if i == 0 {
			want = append(want, "text 499") // in the first one's place
		}
	}
	slow.SetWindow(-1)
	w.loop.Settle()
	for _, p := range []*peer{p, slow} {
		if got := frames(t, p.Take()); !slices.Equal(got, want) {
			t.Errorf("%d frames, want %d, or another one", len(got), len(want))
		}
	}
}
