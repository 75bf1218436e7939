// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"bytes"
	"errors"
	"slices"
)

// endCases are about what stops the reading of one connection.
var endCases = map[string]func(*suite){
	"PauseRead_HoldsDataUntilResumeRead":         pauseHolds,
	"PauseRead_InDataStopsTheSameTurn":           pauseInData,
	"PauseRead_HoldsTheEnd":                      pauseEOF,
	"EOF_ComesOnceAfterAllData":                  eofOnce,
	"EOF_LeavesWritingOpen":                      eofWrite,
	"EOF_WithTheQueueStillFullIsHarmless":        eofBacklog,
	"Reset_IsReportedOnce":                       resetOnce,
	"Reset_WhilePausedIsReportedAfterResumeRead": resetPaused,
}

func pauseHolds(s *suite) {
	port, accepted := s.serve()
	r, p := s.dial(port, accepted)
	other, q := s.dial(port, accepted)
	for round := range 3 {
		s.Do(r.conn.PauseRead)
		p.Send([]byte("held"))
		q.Send([]byte("."))
		s.Until("the other connection", func() bool { return len(other.got) == round+1 })
		s.Do(func() {
			if len(r.got) != 4*round {
				s.Errorf("got %q while paused", r.got)
			}
			r.conn.ResumeRead()
		})
		s.Until("the held data", func() bool { return len(r.got) == 4*round+4 })
	}
}

func pauseInData(s *suite) {
	r, p := s.connect()
	paused := false
	s.onData(r, func([]byte) {
		if paused {
			s.Error("data while paused")
		}
		paused = true
		r.conn.PauseRead()
	})
	want := pattern(500_000)
	p.Send(want)
	for got := 0; got < len(want); {
		s.Until("a read", func() bool { return paused })
		s.Do(func() {})
		s.Do(func() {
			got = len(r.got)
			paused = false
			r.conn.ResumeRead()
		})
	}
	s.Do(func() {
		if !bytes.Equal(r.got, want) {
			s.Error("the bytes differ")
		}
	})
}

func pauseEOF(s *suite) {
	r, p := s.connect()
	s.Do(r.conn.PauseRead)
	p.Send([]byte("last"))
	p.CloseWrite()
	for range 5 {
		s.Do(func() {
			if len(r.got)+r.eofs > 0 {
				s.Errorf("got %q and %d EOF while paused", r.got, r.eofs)
			}
		})
	}
	s.Do(r.conn.ResumeRead)
	s.Until("data and EOF", func() bool { return string(r.got) == "last" && r.eofs == 1 })
}

func eofOnce(s *suite) {
	r, p := s.connect()
	s.onData(r, func([]byte) {
		if r.eofs > 0 {
			s.Error("data after EOF")
		}
	})
	p.Send(pattern(100_000))
	p.CloseWrite()
	s.Until("EOF", func() bool { return r.eofs > 0 })
	s.Do(func() {
		r.conn.PauseRead()
		r.conn.ResumeRead()
	})
	for range 5 {
		s.Do(func() {
			if len(r.got) != 100_000 || r.eofs != 1 || len(r.closed) != 0 {
				s.Errorf("%d bytes, %d EOF, Closed %v", len(r.got), r.eofs, r.closed)
			}
		})
	}
}

func eofWrite(s *suite) {
	r, p := s.connect()
	reply := pattern(1 << 20)
	var o outcomes
	s.onEOF(r, func() {
		r.conn.Write([][]byte{reply}, func(err error) {
			o.done(err)
			r.conn.Close()
		})
	})
	p.Send([]byte("request"))
	p.CloseWrite()
	s.expect(p, reply)
	rest := p.Rest()
	s.Do(func() {
		if len(rest) != 0 || !slices.Equal(o.errs, []error{nil}) {
			s.Errorf("%d bytes after the reply, done got %v", len(rest), o.errs)
		}
	})
}

func eofBacklog(s *suite) {
	r, p := s.connect()
	var o outcomes
	chunk := s.clog(r, o.done)
	p.CloseWrite()
	s.Until("EOF", func() bool { return r.eofs == 1 })
	for range backlog / len(chunk) {
		s.expect(p, chunk)
	}
	s.Until("all dones", func() bool { return len(o.errs) == backlog/len(chunk) && o.errs[0] == nil })
}

func resetOnce(s *suite) {
	r, p := s.connect()
	p.Send([]byte("x"))
	s.Until("data", func() bool { return len(r.got) == 1 })
	p.Reset()
	s.Until("Closed", func() bool { return len(r.closed) > 0 })
	s.Do(func() {
		r.conn.Close()
		r.conn.PauseRead()
		r.conn.ResumeRead()
	})
	s.Do(func() {
		if len(r.closed) != 1 || !errors.Is(r.closed[0], connReset) || r.eofs != 0 {
			s.Errorf("Closed got %v, EOF came %d times", r.closed, r.eofs)
		}
	})
}

// resetPaused: without reading the reset may stay unseen, but not for ever.
func resetPaused(s *suite) {
	r, p := s.connect()
	s.Do(r.conn.PauseRead)
	p.Reset()
	s.Do(func() {})
	s.Do(r.conn.ResumeRead)
	s.Until("Closed", func() bool { return len(r.closed) == 1 && errors.Is(r.closed[0], connReset) })
}
