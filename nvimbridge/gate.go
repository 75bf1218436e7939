// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"io"
	"sync/atomic"
)

const (
	// maxInbound is how many bytes of notifications the loop may still have to
	// run before R stops reading. The library's own queue has no bound.
	maxInbound = 64 << 20
	// messageCost is what a message counts beside its bytes.
	messageCost = 512
)

// gate is a reader for R: it holds R back while the loop is behind, so
// that a flood stays with the sender.
type gate struct {
	r       io.Reader
	quit    <-chan struct{}
	backlog atomic.Int64
	room    chan struct{}
}

func newGate(r io.Reader, quit <-chan struct{}) *gate {
	return &gate{r: r, quit: quit, room: make(chan struct{}, 1)}
}

// Read waits for room, then reads.
func (g *gate) Read(p []byte) (int, error) {
	for g.backlog.Load() > maxInbound {
		select {
		case <-g.room:
		case <-g.quit:
			return 0, io.ErrClosedPipe
		}
	}
	return g.r.Read(p)
}

// add counts a message that was read; drop, that it was run.
func (g *gate) add(size int) { g.backlog.Add(int64(size) + messageCost) }

func (g *gate) drop(size int) {
	if g.backlog.Add(-int64(size)-messageCost) > maxInbound {
		return
	}
	select {
	case g.room <- struct{}{}:
	default:
	}
}
