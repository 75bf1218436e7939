// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestWheel_FiresNeitherEarlyNorMoreThanATickLate(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{
		1, time.Microsecond, time.Millisecond, time.Millisecond + 1, 63 * time.Millisecond,
		64 * time.Millisecond, 65 * time.Millisecond, 4095 * time.Millisecond, 4096 * time.Millisecond,
		30 * time.Second, time.Hour, 24 * time.Hour, 400 * 24 * time.Hour,
	} {
		w := NewWheel(epoch)
		fired := false
		w.AfterFunc(d, func() { fired = true })
		w.Advance(epoch.Add(d - 1))
		if fired {
			t.Errorf("%v: fired early", d)
		}
		w.Advance(epoch.Add(d + WheelTick - 1))
		if !fired {
			t.Errorf("%v: not fired within a tick", d)
		}
	}
}

func TestWheel_NextIsTheEarliestTimerSoOneWakeIsEnough(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 5 * time.Millisecond, 30 * time.Second, 90 * time.Minute} {
		w := NewWheel(epoch)
		fired := false
		w.AfterFunc(d, func() { fired = true })
		w.AfterFunc(d+time.Hour, func() {})
		at, ok := w.Next()
		if !ok || !at.Equal(epoch.Add(d)) {
			t.Errorf("%v: Next = %v, %v", d, at, ok)
		}
		w.Advance(at)
		if !fired {
			t.Errorf("%v: not fired at Next", d)
		}
	}
}

func TestWheel_EmptyHasNoNext(t *testing.T) {
	t.Parallel()
	w := NewWheel(epoch)
	none := func(when string) {
		t.Helper()
		if at, ok := w.Next(); ok {
			t.Errorf("%s: Next = %v", when, at)
		}
	}
	none("new")
	w.AfterFunc(time.Second, func() {}).Stop()
	none("after Stop")
	w.AfterFunc(time.Second, func() {})
	w.Advance(epoch.Add(time.Second))
	none("after firing")
}

func TestWheel_StoppedTimerIsInertEvenWhenDue(t *testing.T) {
	t.Parallel()
	w := NewWheel(epoch)
	var b *Timer
	ran := ""
	a := w.AfterFunc(time.Millisecond, func() {
		ran += "a"
		if !b.Stop() {
			t.Error("Stop of a due timer reported false")
		}
	})
	b = w.AfterFunc(time.Millisecond, func() { ran += "b" })
	w.AfterFunc(time.Millisecond, func() { ran += "c" })
	w.Advance(epoch.Add(time.Minute))
	if ran != "ac" {
		t.Errorf("ran %q, want ac", ran)
	}
	for name, timer := range map[string]*Timer{"fired": a, "stopped": b, "nil": nil} {
		if timer.Stop() {
			t.Errorf("Stop of a %s timer reported true", name)
		}
	}
}

func TestWheel_TimerStartedByATimerWaitsForTheNextAdvance(t *testing.T) {
	t.Parallel()
	w := NewWheel(epoch)
	runs := 0
	var again func()
	again = func() { runs++; w.AfterFunc(0, again) }
	w.AfterFunc(0, again)
	for want := 1; want <= 3; want++ {
		w.Advance(epoch)
		if runs != want {
			t.Fatalf("ran %d times after %d turns", runs, want)
		}
	}
}

func TestWheel_ClockThatGoesBackChangesNothing(t *testing.T) {
	t.Parallel()
	w := NewWheel(epoch)
	w.Advance(epoch.Add(time.Minute))
	fired := false
	w.AfterFunc(time.Second, func() { fired = true })
	w.Advance(epoch)
	w.AfterFunc(0, func() {}).Stop()
	w.AfterFunc(0, func() {
		if at, _ := w.Next(); !at.Equal(epoch.Add(61 * time.Second)) {
			t.Errorf("the next timer is at %v", at)
		}
	})
	if at, _ := w.Next(); !at.Equal(epoch.Add(time.Minute)) {
		t.Errorf("a new timer is at %v", at)
	}
	w.Advance(epoch)
	at, _ := w.Next()
	if fired || !at.Equal(epoch.Add(61*time.Second)) {
		t.Errorf("fired %v, Next %v", fired, at)
	}
}

func TestWheel_LongestDelayDoesNotOverflow(t *testing.T) {
	t.Parallel()
	w := NewWheel(epoch)
	w.AfterFunc(math.MaxInt64, func() { t.Error("fired") })
	if at, ok := w.Next(); !ok || at.Before(epoch.AddDate(290, 0, 0)) {
		t.Errorf("Next = %v, %v", at, ok)
	}
	w.Advance(epoch.AddDate(200, 0, 0))
}

// TestWheel_AgreesWithASortedList compares the wheel with the obvious model under
// random starts, stops and clock steps of every size.
func TestWheel_AgreesWithASortedList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type entry struct {
			id    int
			tick  int64
			timer *Timer
		}
		var (
			w     = NewWheel(epoch)
			now   time.Duration
			model []entry
			got   []int
		)
		delay := rapid.OneOf(rapid.Int64Range(0, 200), rapid.Int64Range(0, 20_000), rapid.Int64Range(0, 1<<36))
		for id := range rapid.IntRange(1, 120).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "op") {
			case 0:
				if len(model) > 0 {
					i := rapid.IntRange(0, len(model)-1).Draw(t, "victim")
					if !model[i].timer.Stop() {
						t.Fatalf("timer %d was not pending", model[i].id)
					}
					model = slices.Delete(model, i, i+1)
				}
			case 1, 2:
				now += time.Duration(delay.Draw(t, "step")) * WheelTick
				got = nil
				w.Advance(epoch.Add(now))
				slices.SortStableFunc(model, func(a, b entry) int { return cmp.Compare(a.tick, b.tick) })
				var want []int
				for len(model) > 0 && model[0].tick <= int64(now/WheelTick) {
					want = append(want, model[0].id)
					model = model[1:]
				}
				if !slices.Equal(got, want) {
					t.Fatalf("at %v fired %v, want %v", now, got, want)
				}
			default:
				d := time.Duration(delay.Draw(t, "delay")) * WheelTick
				timer := w.AfterFunc(d, func() { got = append(got, id) })
				model = append(model, entry{id, int64((now + d) / WheelTick), timer})
			}
			if at, ok := w.Next(); ok != (len(model) > 0) {
				t.Fatalf("Next = %v, %v with %d pending", at, ok, len(model))
			}
		}
	})
}
