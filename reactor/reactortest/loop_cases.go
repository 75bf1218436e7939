// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"errors"
	"slices"
	"sync"

	"claudecoded/reactor"
)

var loopCases = map[string]func(*suite){
	"Post_KeepsTheOrderOfEachGoroutine":             postOrder,
	"Post_BeforeRunRuns":                            postBeforeRun,
	"Post_FromAPostedClosureRunsAfterAPoll":         postFromPost,
	"Post_ManyRunInManyTurns":                       postFlood,
	"Stop_RunsWhatWasPostedBeforeAndRefusesTheRest": stopAndPost,
	"Stop_ClosesWhatIsOpenAndEndsEachWrite":         stopCloses,
	"Stop_SendsWhatTheLastTurnQueued":               stopFlushes,
	"Defer_RunsAtTheEndOfTheTurn":                   deferEnd,
	"Defer_FromADeferredClosureRunsInTheNextTurn":   deferAgain,
}

func postOrder(s *suite) {
	s.Start()
	const goroutines, each = 8, 500
	var got [goroutines][]int
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				s.Loop().Post(func() { got[g] = append(got[g], i) })
			}
		})
	}
	all.Wait()
	s.Do(func() {
		for g := range got {
			if len(got[g]) != each || !slices.IsSorted(got[g]) {
				s.Errorf("goroutine %d: %d closures ran, or not in order", g, len(got[g]))
			}
		}
	})
}

func postBeforeRun(s *suite) {
	ran := false
	if !s.Loop().Post(func() { ran = true }) {
		s.Fatal("refused")
	}
	s.Start()
	s.Until("the closure", func() bool { return ran })
}

func postFromPost(s *suite) {
	r, p := s.connect()
	const enough = 1_000_000
	rounds := 0
	var again func()
	again = func() {
		if rounds++; rounds == enough {
			s.Error("no data although the loop runs turns")
		} else if len(r.got) == 0 {
			s.Loop().Post(again)
		}
	}
	s.Loop().Post(again)
	p.Send([]byte("x"))
	s.Until("data beside a closure that posts itself", func() bool { return len(r.got) == 1 })
}

// mostPosted is the number of posted closures a turn may run.
const mostPosted = 1024

func postFlood(s *suite) {
	s.Start()
	const flood = 5*mostPosted + 7
	ran, inTurn, worst := 0, 0, 0
	s.Do(func() {
		for range flood {
			s.Loop().Post(func() {
				if inTurn == 0 {
					s.Loop().Defer(func() { worst, inTurn = max(worst, inTurn), 0 })
				}
				inTurn++
				ran++
			})
		}
	})
	s.Until("all closures", func() bool { return ran == flood && inTurn == 0 })
	if worst != mostPosted {
		s.Errorf("%d closures ran in one turn", worst)
	}
}

func stopAndPost(s *suite) {
	s.Start()
	const posted = 3 * mostPosted
	ran := 0
	s.Do(func() {
		for range posted {
			s.Loop().Post(func() { ran++ })
		}
		s.Loop().Stop()
	})
	s.Stop()
	if s.Loop().Post(func() { ran = 100 }) {
		s.Error("a closure was accepted after the end")
	}
	if ran != posted {
		s.Errorf("%d of %d closures posted before Stop ran", ran, posted)
	}
}

func stopCloses(s *suite) {
	port, accepted := s.serve()
	stalled, _ := s.dial(port, accepted)
	quiet, p := s.dial(port, accepted)
	var o outcomes
	s.clog(stalled, o.done)
	s.Stop()
	if !slices.EqualFunc(quiet.closed, []error{reactor.ErrClosed}, errors.Is) || len(stalled.closed) != 1 {
		s.Errorf("Closed got %v and %v", quiet.closed, stalled.closed)
	}
	if len(o.errs) != backlog>>20 || !errors.Is(o.errs[len(o.errs)-1], reactor.ErrClosed) {
		s.Errorf("%d dones ran, the last with %v", len(o.errs), o.errs[len(o.errs)-1])
	}
	if rest := p.Rest(); len(rest) != 0 {
		s.Errorf("the peer read %q", rest)
	}
}

func stopFlushes(s *suite) {
	r, p := s.connect()
	var o outcomes
	s.Do(func() {
		r.conn.Write([][]byte{[]byte("go"), []byte("od")}, o.done)
		s.Loop().Post(func() { r.conn.Write([][]byte{[]byte("bye")}, o.done) })
		s.Loop().Stop()
	})
	s.Stop()
	if rest := p.Rest(); string(rest) != "goodbye" {
		s.Errorf("the peer read %q", rest)
	}
	if !slices.Equal(o.errs, []error{nil, nil}) {
		s.Errorf("done got %v", o.errs)
	}
}

func deferEnd(s *suite) {
	s.Start()
	var order []string
	s.Do(func() {
		s.Loop().Defer(func() { order = append(order, "deferred") })
		order = append(order, "posted")
	})
	s.Do(func() {
		if !slices.Equal(order, []string{"posted", "deferred"}) {
			s.Errorf("ran %v", order)
		}
	})
}

func deferAgain(s *suite) {
	s.Start()
	var turns []string
	s.Do(func() {
		s.Loop().Defer(func() {
			s.Loop().Defer(func() { turns = append(turns, "next") })
			s.Loop().AfterNextPoll(func() { turns = append(turns, "poll") })
		})
	})
	s.Until("both", func() bool { return len(turns) == 2 })
	s.Do(func() {
		if turns[0] != "poll" {
			s.Error("the second Defer ran in the first turn")
		}
	})
}
