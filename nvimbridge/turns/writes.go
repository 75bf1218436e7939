// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"os"
	"time"
)

const (
	// writeWait is how long after a client announced a file it is looked whether it wrote it.
	writeWait = 10 * time.Second
	// writeEvery is how often. What is the same twice in a row was written to its end.
	writeEvery = 100 * time.Millisecond
)

// writes notices what clients write. One that got no list of diagnostics for a file, as for
// one that no editor has open, does not say that it goes on after it wrote. What somebody
// writes there later must not be taken for its doing.
type writes struct {
	timer *time.Timer
	until time.Time
}

// due is when to look; nil if nothing is expected.
func (w *writes) due() <-chan time.Time {
	if w.timer == nil {
		return nil
	}
	return w.timer.C
}

// expect begins to look.
func (w *writes) expect() {
	w.until = time.Now().Add(writeWait)
	if w.timer == nil {
		w.timer = time.NewTimer(writeEvery)
	}
}

// look takes what was written, of all files that are announced.
func (w *writes) look(b *book) {
	w.timer = nil
	waits := false
	for _, t := range b.turns {
		for _, f := range t.files {
			if t.ended.IsZero() && f.awaited() {
				b.lookWritten(t, f)
				waits = waits || f.awaited()
			}
		}
	}
	if waits && time.Now().Before(w.until) {
		w.timer = time.NewTimer(writeEvery)
	}
}

// lookWritten takes what was written into a file, once it is the same for the second time.
func (b *book) lookWritten(t *turn, f *file) {
	var now stamp
	if info, err := os.Lstat(f.path); err == nil {
		now = stampOf(info)
	}
	was := f.seen
	f.seen = now
	switch {
	case f.last().stamp.is(now) || now.taken.IsZero() && f.last().Kind == Absent:
	case was.is(now) || was.taken.IsZero() && now.taken.IsZero():
		b.settle(t, f, b.reader().read(f.path))
	}
}
