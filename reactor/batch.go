// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

// batch collects what a later phase of the turn handles. What is added while a
// batch is handled waits for the next time, so no phase feeds itself for ever.
type batch[T any] struct {
	next  []T
	spare []T // the storage of the last batch
}

func (b *batch[T]) add(v T) { b.next = append(b.next, v) }

func (b *batch[T]) empty() bool { return len(b.next) == 0 }

// take removes what was collected. The caller hands the storage back with give.
func (b *batch[T]) take() []T {
	taken := b.next
	b.next, b.spare = b.spare, nil
	return taken
}

func (b *batch[T]) give(taken []T) {
	clear(taken)
	if cap(taken) <= maxKept {
		b.spare = taken[:0]
	}
}

func (b *batch[T]) drain(f func(T)) {
	taken := b.take()
	for _, v := range taken {
		f(v)
	}
	b.give(taken)
}
