// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"math"
	"math/bits"
	"time"
)

// WheelTick is the wheel's resolution. A timer never fires early and at most one
// tick late, plus the time the loop was busy.
const WheelTick = time.Millisecond

// Each level has 64 slots, one bit each in a word, and is 64 times coarser than
// the one below. Eight levels hold 2^48 ticks, more than any time.Duration.
const (
	wheelBits   = 6
	wheelSlots  = 1 << wheelBits
	wheelLevels = 8
)

// Timer is one pending call of a Wheel. It belongs to the wheel's goroutine.
type Timer struct {
	f          func()
	tick       int64
	list       *timerList // the list it is linked in; nil once fired or stopped
	prev, next *Timer
}

// Stop prevents the call and reports whether it did: false means that the timer
// already ran or was stopped. A due timer whose turn has not come is prevented
// too. Stopping a nil timer reports false.
func (t *Timer) Stop() bool {
	if t == nil || t.list == nil {
		return false
	}
	t.list.remove(t)
	t.f = nil
	return true
}

// Wheel is a hashed hierarchical timer wheel (Varghese and Lauck, scheme 7):
// starting and stopping a timer cost the same whatever their number, and the next
// slot in use is found from bitmaps. It has no goroutine and no clock: its owner
// asks Next and calls Advance. One goroutine only.
type Wheel struct {
	origin time.Time
	now    time.Time // of the last Advance
	cur    int64     // ticks from origin to now
	levels [wheelLevels]wheelLevel
	due    timerList // taken out of the slots, waiting for Advance to call them
}

type wheelLevel struct {
	used  uint64 // bit i: slots[i] is not empty, or was emptied by Stop
	slots [wheelSlots]timerList
}

// NewWheel returns an empty wheel that stands at now.
func NewWheel(now time.Time) *Wheel { return &Wheel{origin: now, now: now} }

// AfterFunc calls f at the first Advance to d or more after the last Advance.
func (w *Wheel) AfterFunc(d time.Duration, f func()) *Timer {
	return w.At(w.now.Add(d), f)
}

// At calls f at the first Advance to when or later. Timers of one tick run in the
// order they were started. A time that has passed is due at the next Advance.
func (w *Wheel) At(when time.Time, f func()) *Timer {
	since := min(when.Sub(w.origin), math.MaxInt64-WheelTick)
	tick := int64(since / WheelTick)
	if since%WheelTick > 0 {
		tick++
	}
	t := &Timer{f: f, tick: max(tick, w.cur)}
	w.place(t)
	return t
}

// Next is the time of the earliest timer and whether there is one. After a Stop
// it may be earlier than that, never later.
func (w *Wheel) Next() (time.Time, bool) {
	if w.due.head != nil {
		return w.now, true
	}
	_, list := w.first()
	if list == nil {
		return time.Time{}, false
	}
	return w.origin.Add(time.Duration(list.min) * WheelTick), true
}

// Advance moves the wheel to now and calls what is due, earliest first. Timers
// started meanwhile wait for the next Advance. A clock that went back is ignored.
func (w *Wheel) Advance(now time.Time) {
	if now.After(w.now) {
		w.now = now
	}
	target := int64(w.now.Sub(w.origin) / WheelTick)
	for level, list := w.first(); list != nil; level, list = w.first() {
		shift := level * wheelBits
		start := list.head.tick >> shift << shift
		if start > target {
			break
		}
		w.cur = max(w.cur, start)
		w.empty(level, list)
	}
	w.cur = max(w.cur, target)
	for t := w.due.head; t != nil; t = w.due.head {
		w.due.remove(t)
		f := t.f
		t.f = nil
		f()
	}
}

// empty hands a slot's timers to the due list (the finest level) or places them
// again, nearer, now that the wheel stands at the slot's beginning. No slot may be
// entered without that: a timer started later could overtake those left in it.
func (w *Wheel) empty(level int, list *timerList) {
	for t := list.head; t != nil; t = list.head {
		list.remove(t)
		if level == 0 {
			w.due.add(t)
		} else {
			w.place(t)
		}
	}
}

// place links t in the level of the highest digit, base 64, in which its tick
// differs from the current one. So everything in a level comes before everything
// in the next, and no slot lies behind the current one.
func (w *Wheel) place(t *Timer) {
	level := (bits.Len64(uint64(w.cur^t.tick)|(wheelSlots-1)) - 1) / wheelBits
	slot := t.tick >> (level * wheelBits) & (wheelSlots - 1)
	w.levels[level].slots[slot].add(t)
	w.levels[level].used |= 1 << slot
}

// first is the earliest slot in use, nil if the wheel is empty.
func (w *Wheel) first() (int, *timerList) {
	for i := range w.levels {
		level := &w.levels[i]
		for level.used != 0 {
			slot := bits.TrailingZeros64(level.used)
			if list := &level.slots[slot]; list.head != nil {
				return i, list
			}
			level.used &^= 1 << slot
		}
	}
	return 0, nil
}

// timerList links timers in the order they were added.
type timerList struct {
	head, tail *Timer
	min        int64 // no timer in the list has an earlier tick
}

func (l *timerList) add(t *Timer) {
	if l.head == nil {
		l.head, l.min = t, t.tick
	} else {
		l.tail.next, l.min = t, min(l.min, t.tick)
	}
	t.list, t.prev, l.tail = l, l.tail, t
}

func (l *timerList) remove(t *Timer) {
	if t.prev == nil {
		l.head = t.next
	} else {
		t.prev.next = t.next
	}
	if t.next == nil {
		l.tail = t.prev
	} else {
		t.next.prev = t.prev
	}
	t.list, t.prev, t.next = nil, nil, nil
}
