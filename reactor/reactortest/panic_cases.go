// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"errors"
	"slices"

	"claudecoded/reactor"
)

var panicCases = map[string]func(*suite){
	"Panic_InALoopCallbackLeavesTheLoopAlive":        panicLoop,
	"Panic_InDataClosesThatConnectionOnly":           panicData,
	"Panic_InEOFClosesThatConnectionOnly":            panicEOF,
	"Panic_InDoneClosesThatConnectionAndEndsTheRest": panicDone,
	"Panic_InClosedLeavesTheLoopAlive":               panicClosed,
	"Panic_InAcceptRefusesThatConnectionOnly":        panicAccept,
}

func panicLoop(s *suite) {
	s.Start()
	bad := func() { panic("on purpose") }
	s.Do(func() {
		s.Loop().Post(bad)
		s.Loop().Defer(bad)
		s.Loop().AfterNextPoll(bad)
		s.Loop().AfterFunc(0, bad)
		s.Loop().AfterFunc(0, bad)
	})
	var ran []string
	s.Do(func() {
		s.Loop().Post(func() { ran = append(ran, "posted") })
		s.Loop().Defer(func() { ran = append(ran, "deferred") })
		s.Loop().AfterNextPoll(func() { ran = append(ran, "waiter") })
		s.Loop().AfterFunc(0, func() { ran = append(ran, "timer") })
	})
	s.Until("all kinds of callbacks", func() bool { return len(ran) == 4 })
}

// pair starts the loop with one connection to break and one that has to survive.
func (s *suite) pair() (broken *receiver, p Peer, alive func()) {
	port, accepted := s.serve()
	broken, p = s.dial(port, accepted)
	other, q := s.dial(port, accepted)
	return broken, p, func() {
		s.Helper()
		s.Until("Closed", func() bool { return len(broken.closed) > 0 })
		p.Rest()
		q.Send([]byte("alive"))
		s.Until("data on the other connection", func() bool { return string(other.got) == "alive" })
		s.Do(func() {
			if !slices.EqualFunc(broken.closed, []error{reactor.ErrPanic}, errors.Is) || len(other.closed) != 0 {
				s.Errorf("Closed got %v, the other %v", broken.closed, other.closed)
			}
		})
	}
}

func panicData(s *suite) {
	r, p, alive := s.pair()
	calls := 0
	s.onData(r, func([]byte) {
		calls++
		panic("on purpose")
	})
	s.Do(func() { p.Send(pattern(300_000)) })
	alive()
	s.Do(func() {
		if calls != 1 {
			s.Errorf("Data was called %d times", calls)
		}
	})
}

func panicEOF(s *suite) {
	r, p, alive := s.pair()
	s.onEOF(r, func() { panic("on purpose") })
	p.CloseWrite()
	alive()
}

func panicDone(s *suite) {
	r, _, alive := s.pair()
	var o outcomes
	s.Do(func() {
		r.conn.Write([][]byte{[]byte("x")}, func(error) {
			r.conn.Write([][]byte{[]byte("y")}, o.done)
			panic("on purpose")
		})
	})
	alive()
	s.Until("the other done", func() bool { return len(o.errs) == 1 && errors.Is(o.errs[0], reactor.ErrPanic) })
}

func panicClosed(s *suite) {
	r, p, alive := s.pair()
	s.onData(r, func([]byte) { panic("on purpose") })
	s.onClosed(r, func(error) { panic("on purpose, again") })
	p.Send([]byte("x"))
	alive()
}

func panicAccept(s *suite) {
	var second *receiver
	calls := 0
	_, port := s.listen(func(c reactor.Conn) reactor.Events {
		if calls++; calls == 1 {
			panic("on purpose")
		}
		second = &receiver{conn: c}
		return second
	})
	p := s.Dial(port)
	if rest := p.Rest(); len(rest) != 0 {
		s.Errorf("the refused peer read %q", rest)
	}
	q := s.Dial(port)
	q.Send([]byte("x"))
	s.Until("data on the second", func() bool { return second != nil && string(second.got) == "x" })
}
