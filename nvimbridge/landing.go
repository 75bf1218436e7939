// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"io"
	"slices"
	"sync"

	"github.com/neovim/go-client/msgpack/rpc"
)

// flight is a request that Neovim has not answered.
type flight struct {
	answer *message
	done   chan *rpc.Call // holds one
	landed func(answer *message, err error)
}

// landing is the reader R reads from. The library has handled what it read when it reads
// again, so that is where R itself hands on the answers that came: a goroutine that waits
// for each would have to be woken.
type landing struct {
	r io.Reader

	mu      sync.Mutex
	flights []*flight // as many as may be outstanding
}

// expect makes a flight. It lands once, on R, unless the channel ends first.
func (l *landing) expect(landed func(answer *message, err error)) *flight {
	f := &flight{done: make(chan *rpc.Call, 1), landed: landed}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flights = append(l.flights, f)
	return f
}

// Read lands what has arrived, then reads.
func (l *landing) Read(p []byte) (int, error) {
	for _, f := range l.arrived() {
		f.landed(f.answer, (<-f.done).Err)
	}
	return l.r.Read(p)
}

// arrived removes the flights that were answered.
func (l *landing) arrived() (all []*flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flights = slices.DeleteFunc(l.flights, func(f *flight) bool {
		if len(f.done) == 0 {
			return false
		}
		all = append(all, f)
		return true
	})
	return all
}
