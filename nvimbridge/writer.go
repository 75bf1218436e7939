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

// flush writes everything queued, and as many calls as Neovim may have. While it does
// not take what was written, all the rest stays here, where it can be taken back.
func (b *Bridge) flush() {
	if b.err != nil || !b.out.free() {
		return
	}
	batch := b.queue
	b.queue = nil
	for c := b.nextCall(); c != nil; c = b.nextCall() {
		batch = append(batch, b.handOver(c))
	}
	for i := range batch {
		b.writeItem(&batch[i])
	}
}

// write is Q.
func (b *Bridge) write() {
	if err := b.out.drain(b.quit, func() { b.post(b.flush) }); err != nil {
		b.ended(fmt.Errorf("%w: %w", errWriting, err)) // R may be stuck in a read that never returns
	}
}

// writeItem encodes a message into the outlet. What comes of that the outlet and R see.
func (b *Bridge) writeItem(it *item) {
	if it.answered == nil {
		_ = b.ep.Notify(it.method, it.args...)
		return
	}
	answered := it.answered
	f := b.in.expect(func(m *message, err error) {
		if remote := new(rpc.Error); err != nil && !errors.As(err, remote) {
			return // the channel's end is told once, by ended
		}
		b.post(func() { answered(m, err) })
	})
	// A pointer to a pointer: the library panics when a nil meets anything else
	// that decodes itself.
	b.ep.Go(it.method, f.done, &f.answer, it.args...)
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
