// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"slices"
	"time"

	"claudecoded/reactor"
)

var timeCases = map[string]func(*suite){
	"AfterFunc_FiresInOrderAndNotEarly":              timerOrder,
	"AfterFunc_BeforeRunFires":                       timerBeforeRun,
	"AfterFunc_StoppedIsInertEvenWhenDue":            timerStopped,
	"AfterFunc_CountsFromTheCallNotTheTurn":          timerBase,
	"AfterNextPoll_RunsOnceInALaterTurn":             pollOnce,
	"AfterNextPoll_StoppedIsInert":                   pollStopped,
	"AfterNextPoll_RunsBeforeWhatWasPostedMeanwhile": pollBeforeTimers,
}

func timerOrder(s *suite) {
	s.Start()
	var fired []int
	s.Do(func() {
		start := s.Loop().Now()
		for _, ms := range []int{30, 10, 20, 10, 0} {
			d := time.Duration(ms) * time.Millisecond
			s.Loop().AfterFunc(d, func() {
				fired = append(fired, ms)
				if late := s.Loop().Now().Sub(start); late < d {
					s.Errorf("%v timer fired after %v", d, late)
				}
			})
		}
	})
	s.Until("the timers", func() bool { return slices.Equal(fired, []int{0, 10, 10, 20, 30}) })
}

func timerBeforeRun(s *suite) {
	fired := false
	s.Loop().AfterFunc(time.Millisecond, func() { fired = true })
	s.Start()
	s.Until("the timer", func() bool { return fired })
}

func timerStopped(s *suite) {
	s.Start()
	var fired []string
	var second *reactor.Timer
	s.Do(func() {
		s.Loop().AfterFunc(time.Millisecond, func() {
			fired = append(fired, "first")
			if !second.Stop() || second.Stop() {
				s.Error("Stop has to report true once")
			}
		})
		second = s.Loop().AfterFunc(time.Millisecond, func() { fired = append(fired, "second") })
		s.Loop().AfterFunc(2*time.Millisecond, func() { fired = append(fired, "third") })
	})
	s.Until("the last timer", func() bool { return slices.Contains(fired, "third") })
	s.Do(func() {
		if !slices.Equal(fired, []string{"first", "third"}) {
			s.Errorf("fired %v", fired)
		}
	})
}

// timerBase: a callback that took long must not shorten the timers it starts.
func timerBase(s *suite) {
	s.Start()
	fired := false
	s.Do(func() {
		for start := time.Now(); time.Since(start) < 20*time.Millisecond; {
		}
		start := s.Loop().Now()
		s.Loop().AfterFunc(20*time.Millisecond, func() {
			fired = true
			if after := s.Loop().Now().Sub(start); after < 20*time.Millisecond {
				s.Errorf("fired after %v", after)
			}
		})
	})
	s.Until("the timer", func() bool { return fired })
}

func pollOnce(s *suite) {
	s.Start()
	var order []string
	s.Do(func() {
		s.Loop().AfterNextPoll(func() { order = append(order, "poll") })
		s.Loop().Defer(func() { order = append(order, "end of turn") })
	})
	s.Until("the poll", func() bool { return len(order) == 2 })
	s.Do(func() {})
	s.Do(func() {
		if !slices.Equal(order, []string{"end of turn", "poll"}) {
			s.Errorf("ran %v", order)
		}
	})
}

func pollStopped(s *suite) {
	s.Start()
	ran, other := false, false
	s.Do(func() {
		stop := s.Loop().AfterNextPoll(func() { ran = true })
		s.Loop().AfterNextPoll(func() { other = true })
		stop()
		stop()
	})
	s.Until("the other", func() bool { return other })
	s.Do(func() {
		if ran {
			s.Error("a stopped waiter ran")
		}
	})
}

// pollBeforeTimers: the look after a poll must see the state before the timers
// and closures that became due during it change anything.
func pollBeforeTimers(s *suite) {
	s.Start()
	var order []string
	s.Do(func() {
		s.Loop().AfterFunc(0, func() { order = append(order, "timer") })
		s.Loop().Defer(func() {
			s.Loop().AfterNextPoll(func() { order = append(order, "poll") })
			s.Loop().AfterFunc(0, func() { order = append(order, "timer") })
			s.Loop().Post(func() { order = append(order, "posted") })
		})
	})
	s.Until("all", func() bool { return len(order) == 4 })
	s.Do(func() {
		if i := slices.Index(order, "poll"); i > slices.Index(order, "posted") || order[len(order)-1] == "poll" {
			s.Errorf("ran %v", order)
		}
	})
}
