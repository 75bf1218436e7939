// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// pending is what may not be lost of what found no room among the requests: what is kept
// of files, and what ends a turn. It is merged until there is room. It belongs to the loop
// goroutine.
type pending struct {
	options *Options
	folders *[]string
	// forgotten and saved are paths, left are clients. maxForgotten bounds each: with as
	// many, nothing of any file is kept.
	forgotten, saved map[string]bool
	left             map[uint64]bool
	some             bool
	// lost are the requests that nothing is done about.
	lost int
}

// add merges what is asked for with what waits.
func (p *pending) add(change func(*pending)) {
	if !p.some {
		*p = pending{forgotten: map[string]bool{}, saved: map[string]bool{}, left: map[uint64]bool{}, some: true, lost: p.lost}
	}
	change(p)
}

// note adds to a set that is bounded.
func note[K comparable](p *pending, set map[K]bool, key K) {
	if set[key] || len(set) < maxForgotten {
		set[key] = true
		return
	}
	p.lost++
}

// apply does it. What the user saved is no client's, so that comes before turns end.
func (p *pending) apply(b *book) {
	if p.options != nil {
		b.configure(*p.options)
	}
	if p.folders != nil {
		b.folders = *p.folders
	}
	b.forget(slices.Collect(maps.Keys(p.forgotten)))
	for path := range p.saved {
		b.userWrote(path, time.Now().Add(-b.lag))
	}
	for client := range p.left {
		b.leave(client)
	}
}

// must has what may not be lost done on the keeper's goroutine, with what else waits if
// there is no room.
func (k *Keeper) must(change func(*pending)) {
	if !k.open {
		return
	}
	k.pending.add(change)
	k.flush()
}

// flush asks for what is pending, and has the keeper say when there may be room if there
// is none. On the loop goroutine.
func (k *Keeper) flush() bool {
	if k.pending.some {
		p := k.pending
		if !k.offer(func() { p.apply(k.book) }) {
			return false
		}
		k.pending = pending{lost: k.pending.lost}
	}
	return true
}

// offer has f run on the keeper's goroutine if there is room for it.
func (k *Keeper) offer(f func()) bool {
	select {
	case k.requests <- f:
	default:
		select {
		case k.stalled <- struct{}{}:
		default:
		}
		return false
	}
	if lost := k.pending.lost; lost > 0 {
		k.pending.lost = 0
		k.cfg.Log.Warn("the keeper of turns was behind; requests are lost", "number", lost)
	}
	return true
}

// resume goes on after a stall. On the loop goroutine.
func (k *Keeper) resume() {
	if k.pending.some {
		k.flush()
	} else if k.pending.lost > 0 {
		k.offer(func() {})
	}
}

// request has f run on the keeper's goroutine. It reports false if nothing is kept, or too
// much waits.
func (k *Keeper) request(f func()) bool {
	if !k.open {
		return false
	}
	if k.flush() && k.offer(f) {
		return true
	}
	k.pending.lost++
	return false
}

// question is request for what is answered. If f panics, or calls what it is given, refuse is
// called, once, on the loop goroutine.
func (k *Keeper) question(f func(refused func()), refuse func()) bool {
	refused := sync.OnceFunc(func() { k.cfg.Post(refuse) })
	return k.request(func() { orElse(func() { f(refused) }, refused) })
}

// orElse calls f, and failed if that panics, which it goes on with.
func orElse(f, failed func()) {
	done := false
	defer func() {
		if !done {
			failed()
		}
	}()
	f()
	done = true
}
