// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"context"
	"errors"
	"fmt"

	"github.com/neovim/go-client/msgpack/rpc"
)

// errWriting is an end of the channel that shows when something is written or awaited.
var errWriting = errors.New("writing to neovim")

// item is one message to Neovim.
type item struct {
	method string
	args   []any
	// answered makes it a request; it runs on the loop goroutine. The message is
	// nil if Neovim answered nil.
	answered func(*message, error)
	opened   uint64 // the client of a client_opened, else 0
	news     bool   // it is a turns_changed
}

// send queues a message behind those before it and ahead of calls that wait.
func (b *Bridge) send(it item) {
	if b.err != nil {
		return
	}
	b.queue = append(b.queue, it)
	b.flush()
}

// flush hands Q one batch: everything queued, and as many calls as Neovim may
// have. While Q has one, all the rest stays here, where it can be taken back.
func (b *Bridge) flush() {
	if b.writing || b.err != nil {
		return
	}
	batch := b.queue
	b.queue = nil
	for c := b.nextCall(); c != nil; c = b.nextCall() {
		batch = append(batch, b.handOver(c))
	}
	if len(batch) == 0 {
		return
	}
	b.writing = true
	b.out <- batch // never blocks: it holds one, and Q has taken the last
}

// write is Q.
func (b *Bridge) write() {
	for {
		select {
		case <-b.quit:
			return
		case batch := <-b.out:
			for _, it := range batch {
				if err := b.writeItem(it); err != nil {
					b.ended(fmt.Errorf("%w: %w", errWriting, err))
					return
				}
			}
			b.post(func() {
				b.writing = false
				b.flush()
			})
		}
	}
}

func (b *Bridge) writeItem(it item) error {
	if it.answered == nil {
		return b.ep.Notify(it.method, it.args...)
	}
	// A pointer to a pointer: the library panics when a nil meets anything else
	// that decodes itself.
	var answer *message
	pending := b.ep.Go(it.method, make(chan *rpc.Call, 1), &answer, it.args...)
	b.wg.Go(func() {
		<-pending.Done
		if remote := new(rpc.Error); pending.Err != nil && !errors.As(pending.Err, remote) {
			b.ended(fmt.Errorf("%w: %w", errWriting, pending.Err)) // R may be stuck in a read that never returns
			return
		}
		b.post(func() { it.answered(answer, pending.Err) })
	})
	return nil
}

// ask sends a request and waits for its answer. Not on the loop goroutine.
func (b *Bridge) ask(ctx context.Context, method string, args ...any) (*message, error) {
	type answer struct {
		m   *message
		err error
	}
	came := make(chan answer, 1)
	it := item{method: method, args: args, answered: func(m *message, err error) { came <- answer{m, err} }}
	if !b.post(func() { b.send(it) }) {
		return nil, ErrClosed
	}
	select {
	case a := <-came:
		return a.m, a.err
	case <-b.gone:
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.quit:
		return nil, ErrClosed
	}
}
