// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"errors"

	"claudecoded/reactor"
)

var closeCases = map[string]func(*suite){
	"Close_DropsTheQueueAndEndsEachWriteOnce":   closeDrops,
	"Close_FromDoneSendsAllThatWasQueuedBefore": closeFromDone,
	"Close_TwiceAndWritesAfterItAreHarmless":    closeTwice,
	"Reset_EndsEachQueuedWriteOnce":             resetEnds,
	"Close_ReachesNoConnectionThatCameLater":    closeReuse,
	"Close_WhilePausedEndsTheConnection":        closePaused,
}

func closeDrops(s *suite) {
	r, p := s.connect()
	var o outcomes
	s.clog(r, o.done)
	ended := 0
	s.Do(func() {
		ended = len(o.errs)
		r.conn.Close()
		if len(o.errs) != ended {
			s.Error("done ran inside Close")
		}
		if r.conn.Queued() != 0 {
			s.Errorf("%d bytes queued after Close", r.conn.Queued())
		}
	})
	s.Until("all dones", func() bool { return len(o.errs) == backlog>>20 })
	if rest := p.Rest(); len(rest) >= backlog {
		s.Error("the queue was not dropped")
	}
	s.Do(func() {
		for i, err := range o.errs {
			if i < ended && err != nil || i >= ended && !errors.Is(err, reactor.ErrClosed) {
				s.Errorf("write %d ended with %v", i, err)
			}
		}
		if len(o.errs) != backlog>>20 || len(r.closed) != 0 {
			s.Errorf("%d dones, Closed got %v", len(o.errs), r.closed)
		}
	})
}

func closeFromDone(s *suite) {
	r, p := s.connect()
	chunk := s.clog(r, nil)
	s.Do(func() {
		r.conn.Write([][]byte{[]byte("good"), []byte("bye")}, func(err error) {
			if err != nil {
				s.Error(err)
			}
			r.conn.Close()
		})
	})
	for range backlog / len(chunk) {
		s.expect(p, chunk)
	}
	if rest := p.Rest(); string(rest) != "goodbye" {
		s.Errorf("the end is %q", rest)
	}
}

func closeTwice(s *suite) {
	r, _ := s.connect()
	var o outcomes
	s.Do(func() {
		r.conn.Close()
		r.conn.Close()
		r.conn.Write([][]byte{[]byte("late")}, o.done)
		r.conn.Write([][]byte{[]byte("late")}, nil)
		r.conn.PauseRead()
		r.conn.ResumeRead()
		if r.conn.Queued() != 0 || r.conn.Written() != 0 {
			s.Errorf("queued %d, written %d", r.conn.Queued(), r.conn.Written())
		}
	})
	s.Until("done", func() bool { return len(o.errs) == 1 && errors.Is(o.errs[0], reactor.ErrClosed) })
	s.Do(func() {
		if len(r.closed) != 0 {
			s.Errorf("Closed got %v", r.closed)
		}
	})
}

func resetEnds(s *suite) {
	r, p := s.connect()
	var o outcomes
	s.clog(r, o.done)
	ended := 0
	s.Do(func() { ended = len(o.errs) })
	p.Reset()
	s.Until("all dones", func() bool { return len(o.errs) == backlog>>20 && len(r.closed) > 0 })
	s.Do(func() {
		for i, err := range o.errs {
			if (err == nil) != (i < ended) {
				s.Errorf("write %d ended with %v", i, err)
			}
		}
		if len(r.closed) != 1 {
			s.Errorf("Closed got %v", r.closed)
		}
	})
}

// closeReuse: a new connection usually gets the descriptor of the one that has
// just closed.
func closeReuse(s *suite) {
	port, accepted := s.serve()
	old, _ := s.dial(port, accepted)
	for range 20 {
		s.Do(func() {
			old.conn.Write([][]byte{[]byte("secret for the old one")}, nil)
			old.conn.Close()
		})
		r, p := s.dial(port, accepted)
		s.Do(func() {
			old.conn.Write([][]byte{[]byte("secret for the old one")}, nil)
			old.conn.PauseRead()
			old.conn.Close()
			r.conn.Write([][]byte{[]byte("mine")}, nil)
		})
		s.expect(p, []byte("mine"))
		p.Send([]byte("x"))
		s.Until("data on the new connection", func() bool { return string(r.got) == "x" })
		old = r
	}
}

func closePaused(s *suite) {
	r, p := s.connect()
	s.Do(r.conn.PauseRead)
	p.Send([]byte("unread"))
	s.Do(func() {})
	s.Do(r.conn.Close)
	p.Rest()
	s.Do(func() {
		if len(r.got)+r.eofs+len(r.closed) != 0 {
			s.Errorf("got %q, %d EOF, Closed %v", r.got, r.eofs, r.closed)
		}
	})
}
