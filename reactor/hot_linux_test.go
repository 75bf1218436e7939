// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !race && !poll_opt

package reactor

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestHotPaths_AllocateNothing(t *testing.T) {
	l, c, peer := standing(t)
	nothing := func() {}
	ended := 0
	done := func(error) { ended++ }
	bufs := [][]byte{[]byte("head"), []byte("body")}
	in := make([]byte, 64)
	for name, f := range map[string]func(){
		"Post":  func() { l.Post(nothing) },
		"Defer": func() { l.Defer(nothing) },
		"Write": func() {
			c.Write(bufs, done)
			c.Write(bufs[:1], done)
		},
		"Data": func() {
			_, _ = unix.Write(peer, in[:8])
			c.read()
		},
	} {
		n := testing.AllocsPerRun(200, func() {
			f()
			l.turn(nothing, l.recycle)
			_, _ = unix.Read(peer, in)
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if ended == 0 {
		t.Error("nothing was written")
	}
}

// drain queues n small writes to a peer that starts to read then, and returns how
// long the loop took to get rid of them.
func drain(t testing.TB, n int) time.Duration {
	t.Helper()
	l, _ := start(t, NewNetpoll)
	frame := make([]byte, 50)
	begin := make(chan time.Time, 1)
	over := make(chan time.Time, 1)
	port := listen(t, l, func(c Conn) Events {
		begin <- time.Now()
		left := n
		for range n {
			c.Write([][]byte{frame[:2], frame[2:]}, func(error) {
				if left--; left == 0 {
					over <- time.Now()
				}
			})
		}
		return mute{}
	})
	c := dial(t, port)
	b := make([]byte, 1<<20)
	for read := 0; read < n*len(frame); {
		got, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		read += got
	}
	return (<-over).Sub(<-begin)
}

// TestWrite_ManySmallOnesDrainInLinearTime: the time per write at eight times the
// number is at most four times as long, where quadratic time makes that eight. The best
// of a few tries counts, because the machine may be busy.
func TestWrite_ManySmallOnesDrainInLinearTime(t *testing.T) {
	const few, many = 50_000, 400_000
	ratio := 0.0
	for range 5 {
		short, long := drain(t, few), drain(t, many)
		ratio = long.Seconds() / short.Seconds() / (many / few)
		if ratio <= 4 {
			return
		}
	}
	t.Errorf("a write takes %.1f times as long among %d as among %d", ratio, many, few)
}
