// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"io"
	"sync"
	"syscall"
)

// maxSpare is how large a buffer may be in bytes that is kept for the next rest.
const maxSpare = 64 << 10

// outlet is the writer to Neovim, of which nobody waits: what Neovim does not take at
// once is left to Q. A message that it does take costs no other goroutine, which on its
// way to a processor would take longer than the write. The rest is what one flush wrote at
// most, maxOutstanding calls and the pushes before them, and an answer to Neovim.
type outlet struct {
	w      io.Writer
	raw    syscall.RawConn // of a w that can be tried, else nil
	filled chan struct{}   // wakes Q; holds one
	spare  []byte          // Q's

	mu     sync.Mutex
	rest   []byte // for Q
	busy   bool   // there is a rest, or Q writes one
	wanted bool   // somebody was told so
}

func newOutlet(w io.Writer) *outlet {
	return &outlet{w: w, raw: trial(w), filled: make(chan struct{}, 1)}
}

// Write implements io.Writer. It takes all of p and never waits; a stream that is broken
// shows in drain.
func (o *outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := 0
	if !o.busy && o.raw != nil {
		n = try(o.raw, p)
	}
	if n < len(p) {
		o.rest = append(o.rest, p[n:]...)
		o.busy = true
		select {
		case o.filled <- struct{}{}:
		default:
		}
	}
	return len(p), nil
}

// free reports whether everything is written. If not, drain will say when.
func (o *outlet) free() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wanted = o.busy
	return !o.busy
}

// drain is Q: it writes every rest, and calls freed when there is none any more and free
// was asked meanwhile. It returns nil after quit, else the stream's error.
func (o *outlet) drain(quit <-chan struct{}, freed func()) error {
	for {
		select {
		case <-quit:
			return nil
		case <-o.filled:
		}
		for rest := o.next(freed); len(rest) > 0; rest = o.next(freed) {
			if _, err := o.w.Write(rest); err != nil {
				return err
			}
			if cap(rest) <= maxSpare {
				o.spare = rest[:0]
			}
		}
	}
}

// next takes what is left to write. If that is nothing, the outlet is free.
func (o *outlet) next(freed func()) []byte {
	o.mu.Lock()
	rest := o.rest
	o.rest, o.spare = o.spare, nil
	o.busy = len(rest) > 0
	told := !o.busy && o.wanted
	o.wanted = o.wanted && o.busy
	o.mu.Unlock()
	if told {
		freed()
	}
	return rest
}
