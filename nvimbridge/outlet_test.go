// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package nvimbridge

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
)

// piped is an outlet into a pipe.
func piped(t *testing.T) (*outlet, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return newOutlet(w), r
}

// drained runs Q until its end.
func drained(t *testing.T, o *outlet, freed func()) (ended chan error) {
	quit := make(chan struct{})
	ended = make(chan error, 1)
	var q sync.WaitGroup
	q.Go(func() { ended <- o.drain(quit, freed) })
	t.Cleanup(func() {
		close(quit)
		q.Wait()
	})
	return ended
}

func put(t *testing.T, o *outlet, p []byte) {
	t.Helper()
	if n, err := o.Write(p); n != len(p) || err != nil {
		t.Fatal(n, err)
	}
}

func TestOutlet_WritesAtOnceWhatIsTaken(t *testing.T) {
	t.Parallel()
	o, r := piped(t) // without Q
	put(t, o, []byte("at once"))
	got := make([]byte, 7)
	if _, err := io.ReadFull(r, got); string(got) != "at once" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if !o.free() {
		t.Error("it is not free")
	}
}

func TestOutlet_LeavesTheRestToQInOrder(t *testing.T) {
	t.Parallel()
	o, r := piped(t)
	want := make([]byte, 32*maxSpare)
	for i := range want {
		want[i] = byte(i >> 12)
	}
	got := make([]byte, len(want))
	read := 0
	for piece := want; len(piece) > 0; piece = piece[len(want)/16:] {
		put(t, o, piece[:len(want)/16])
		if !o.free() && read == 0 { // there is room again, before the rest
			read, _ = io.ReadFull(r, got[:len(want)/32])
		}
	}
	for range 2 {
		if o.free() {
			t.Fatal("it is free, and nobody has read")
		}
	}
	freed := make(chan struct{}, 2)
	drained(t, o, func() { freed <- struct{}{} })
	if _, err := io.ReadFull(r, got[read:]); err != nil || !bytes.Equal(got, want) {
		t.Error("what was read is not what was written", err)
	}
	<-freed
	if !o.free() {
		t.Error("it is not free")
	}
	put(t, o, []byte("!"))
	if _, err := io.ReadFull(r, got[:1]); err != nil || got[0] != '!' {
		t.Errorf("%q, %v", got[:1], err)
	}
}

func TestOutlet_OfWhatCannotBeTriedIsWrittenByQ(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	o := newOutlet(w)
	put(t, o, []byte("first "))
	put(t, o, []byte("second"))
	drained(t, o, func() { t.Error("it told that it is free without being asked") })
	got := make([]byte, 12)
	if _, err := io.ReadFull(r, got); string(got) != "first second" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOutlet_SaysInQThatTheStreamIsBroken(t *testing.T) {
	t.Parallel()
	o, r := piped(t)
	_ = r.Close()
	put(t, o, []byte("to nobody"))
	if err := <-drained(t, o, func() {}); !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
}
