// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"errors"
	"slices"
	"syscall"

	"claudecoded/reactor"
)

// listenCases are about listeners, accepting, and watching processes.
var listenCases = map[string]func(*suite){
	"Listen_NamesTheErrorWhenEveryPortIsTaken":      listenTaken,
	"Listen_EmptyRangeHasNoPorts":                   listenEmpty,
	"Listener_CloseRefusesNewcomersAndKeepsTheRest": listenerClose,
	"WatchExit_RunsOnceWhenTheProcessEnds":          watchExit,
	"WatchExit_StoppedIsInert":                      watchExitStopped,
	"Accept_CloseInTheCallbackEndsTheConnection":    acceptClose,
	"Accept_WriteInTheCallbackIsSent":               acceptWrite,
}

func listenTaken(s *suite) {
	_, port := s.listen(func(reactor.Conn) reactor.Events { return &receiver{} })
	s.Do(func() {
		ports := reactor.PortRange{Min: port, Max: port}
		_, err := s.Loop().Listen(ports, func(reactor.Conn) reactor.Events { return nil })
		want := (&reactor.PortError{Range: ports, Err: syscall.EADDRINUSE}).Error()
		if err == nil || err.Error() != want || !errors.Is(err, syscall.EADDRINUSE) {
			s.Errorf("got %v, want %s", err, want)
		}
	})
}

func listenEmpty(s *suite) {
	_, err := s.Loop().Listen(reactor.PortRange{Min: 2, Max: 1}, nil)
	if err == nil || err.Error() != "No available ports in range 2-1" {
		s.Error(err)
	}
	s.Start()
}

func listenerClose(s *suite) {
	var old *receiver
	// Below the ports that the system gives to others.
	ln, err := s.Loop().Listen(reactor.PortRange{Min: 20000, Max: 30000}, func(c reactor.Conn) reactor.Events {
		old = &receiver{conn: c}
		return old
	})
	if err != nil {
		s.Fatal(err)
	}
	s.Start()
	port := ln.Port()
	p := s.Dial(port)
	s.Until("the accept", func() bool { return old != nil })
	s.Do(func() {
		ln.Close()
		ln.Close()
		if _, err := s.Loop().Listen(reactor.PortRange{Min: port, Max: port}, func(c reactor.Conn) reactor.Events {
			return &receiver{conn: c}
		}); err != nil {
			s.Errorf("the port is not free after Close: %v", err)
		}
	})
	p.Send([]byte("still here"))
	s.Until("data on the old connection", func() bool { return string(old.got) == "still here" })
}

func watchExit(s *suite) {
	s.Start()
	pid, kill := s.Process()
	runs := 0
	s.Do(func() {
		if _, err := s.Loop().WatchExit(pid, func() { runs++ }); err != nil {
			s.Error(err)
		}
	})
	s.Do(func() {
		if runs != 0 {
			s.Error("ran while the process lives")
		}
	})
	kill()
	s.Until("the exit", func() bool { return runs == 1 })
	s.Do(func() {})
	s.Do(func() {
		if runs != 1 {
			s.Errorf("ran %d times", runs)
		}
	})
}

func watchExitStopped(s *suite) {
	s.Start()
	pid, kill := s.Process()
	ran, other := false, false
	s.Do(func() {
		stop, err := s.Loop().WatchExit(pid, func() { ran = true })
		_, err2 := s.Loop().WatchExit(pid, func() { other = true })
		if err = errors.Join(err, err2); err != nil {
			s.Error(err)
			return
		}
		stop()
		stop()
	})
	kill()
	s.Until("the other watch", func() bool { return other })
	s.Do(func() {
		if ran {
			s.Error("a stopped watch ran")
		}
	})
}

func acceptClose(s *suite) {
	r := &receiver{}
	_, port := s.listen(func(c reactor.Conn) reactor.Events {
		r.conn = c
		c.Write([][]byte{[]byte("never")}, nil)
		c.Close()
		return r
	})
	p := s.Dial(port)
	s.Until("the accept", func() bool { return r.conn != nil })
	rest := p.Rest()
	s.Do(func() {
		if len(rest) != 0 || len(r.closed) != 0 {
			s.Errorf("the peer read %q, Closed got %v", rest, r.closed)
		}
	})
}

func acceptWrite(s *suite) {
	var o outcomes
	_, port := s.listen(func(c reactor.Conn) reactor.Events {
		c.Write([][]byte{[]byte("hello")}, o.done)
		if len(o.errs) > 0 {
			s.Error("done ran inside Write")
		}
		return &receiver{conn: c}
	})
	p := s.Dial(port)
	s.expect(p, []byte("hello"))
	s.Until("done", func() bool { return slices.Equal(o.errs, []error{nil}) })
}
