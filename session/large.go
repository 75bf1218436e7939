// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"runtime"
	"time"

	"claudecoded/reactor"
)

const (
	// maxSpans is how many large messages may have a span at the same time, from their
	// first bytes until they have run. Another has its memory from the heap.
	maxSpans = 8
	// warmFor is how long the pages of the last large message are kept for the next.
	warmFor = 2 * time.Second
	// maxWaste is how many times as many pages may be kept as the last message needed.
	maxWaste = 4
)

// spans is the codec.Lender of a Server. A span is a range of addresses with room for the
// longest message, beside the heap: its pages come when they are written, and go when they
// are given back, not when the collector has run.
//
// A lent span belongs to the Reader that asked for it, then to the message that Reader
// returned, which is the Handler's until its call ends. The span is then lent again, so who
// kept a part of the message reads zeros or another one. It is not unmapped before the
// server is garbage, so nobody can read, or write, what is not a message's.
type spans struct {
	loop   reactor.Loop
	room   int // bytes in each
	all    []*span
	warm   *span // free, with the pages of the last message, or nil
	timer  *reactor.Timer
	closed bool
}

type span struct {
	memory []byte
	used   int // bytes whose pages may be there
	lent   bool
}

func newSpans(loop reactor.Loop, room int) *spans { return &spans{loop: loop, room: room} }

// Lend implements codec.Lender.
func (l *spans) Lend(size int) []byte {
	if size > l.room {
		return nil
	}
	s := l.free()
	if s == nil {
		return nil
	}
	l.warm, s.lent = nil, true
	return s.memory[:0]
}

// free is a span that is not lent: the warm one if there is one.
func (l *spans) free() *span {
	if l.warm != nil {
		return l.warm
	}
	for _, s := range l.all {
		if !s.lent {
			return s
		}
	}
	if len(l.all) == maxSpans {
		return nil
	}
	memory := reserve(l.room)
	if memory == nil {
		return nil
	}
	s := &span{memory: memory}
	l.all = append(l.all, s)
	runtime.AddCleanup(l, unmap, memory)
	return s
}

// Return implements codec.Lender.
func (l *spans) Return(p []byte) {
	s := l.of(p)
	if s == nil {
		return
	}
	l.cool()
	l.warm, s.lent = s, false
	s.used = max(s.used, len(p))
	if s.used > maxWaste*len(p) {
		s.forget(len(p))
	}
	if l.closed {
		l.cool()
	} else {
		l.timer = l.loop.AfterFunc(warmFor, l.cool)
	}
}

// of is the lent span that p begins, or nil.
func (l *spans) of(p []byte) *span {
	if cap(p) == 0 {
		return nil
	}
	for _, s := range l.all {
		if s.lent && &s.memory[0] == &p[:1][0] {
			return s
		}
	}
	return nil
}

// cool gives the warm pages back.
func (l *spans) cool() {
	if l.warm != nil {
		l.warm.forget(0)
		l.warm = nil
	}
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}

// close keeps no pages warm from now on.
func (l *spans) close() {
	l.closed = true
	l.cool()
}

// forget gives the pages behind the first n bytes back.
func (s *span) forget(n int) {
	discard(s.memory, n)
	s.used = n
}
