// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"bytes"
	"slices"

	"claudecoded/reactor"
)

var writeCases = map[string]func(*suite){
	"Write_SendsInOrderAndEndsEachOnce":      writeOrder,
	"Write_LeavesTheOuterSliceToTheCaller":   writeOuter,
	"Write_OfNothingEnds":                    writeNothing,
	"Write_FromDoneIsSent":                   writeFromDone,
	"Write_NeverEndsInsideTheCall":           writeLater,
	"Queued_AndWrittenCountWhatTheKernelHas": writeCounts,
	"Replace_SwapsAQueuedWrite":              replaceQueued,
	"Replace_RefusesWhatHasBegunOrIsUnknown": replaceRefused,
	"Write_ManySmallOnesReachASlowReader":    writeMany,
}

func writeOrder(s *suite) {
	r, p := s.connect()
	var want []byte
	var ended []int
	s.Do(func() {
		for i := range 3000 {
			b := pattern(i % 50)
			want = append(append(want, b...), byte(i))
			r.conn.Write([][]byte{b, {byte(i)}}, func(err error) {
				if err != nil {
					s.Error(err)
				}
				ended = append(ended, i)
			})
		}
	})
	s.expect(p, want)
	s.Until("all dones", func() bool { return len(ended) == 3000 })
	s.Do(func() {
		if !slices.IsSorted(ended) {
			s.Error("dones ran out of order")
		}
	})
}

func writeOuter(s *suite) {
	r, p := s.connect()
	s.Do(func() {
		outer := [][]byte{[]byte("one "), []byte("two "), []byte("three")}
		r.conn.Write(outer, nil)
		clear(outer)
	})
	s.expect(p, []byte("one two three"))
}

func writeNothing(s *suite) {
	r, p := s.connect()
	var o outcomes
	s.Do(func() {
		r.conn.Write(nil, o.done)
		r.conn.Write([][]byte{nil, {}}, o.done)
		r.conn.Write([][]byte{[]byte("x"), nil}, o.done)
		r.conn.Write([][]byte{}, nil)
	})
	s.Until("all dones", func() bool { return slices.Equal(o.errs, []error{nil, nil, nil}) })
	s.expect(p, []byte("x"))
}

func writeFromDone(s *suite) {
	r, p := s.connect()
	left := 500
	var again func(error)
	again = func(error) {
		if left--; left > 0 {
			r.conn.Write([][]byte{[]byte("ab")}, again)
		}
	}
	s.Do(func() { r.conn.Write([][]byte{[]byte("ab")}, again) })
	s.expect(p, bytes.Repeat([]byte("ab"), 500))
}

func writeLater(s *suite) {
	r, p := s.connect()
	inside, ended := false, 0
	done := func(error) {
		if ended++; inside {
			s.Error("done ran inside a call")
		}
	}
	s.Do(func() {
		inside = true
		r.conn.Write([][]byte{[]byte("x")}, done)
		inside = false
	})
	s.expect(p, []byte("x"))
	s.Do(func() {
		inside = true
		r.conn.Write([][]byte{[]byte("x")}, done)
		r.conn.Close()
		r.conn.Write([][]byte{[]byte("x")}, done)
		inside = false
	})
	s.Until("all dones", func() bool { return ended == 3 })
}

func writeCounts(s *suite) {
	r, p := s.connect()
	chunk := s.clog(r, nil)
	check := func() {
		s.Helper()
		if q, w := r.conn.Queued(), r.conn.Written(); q+int(w) != backlog || q <= 0 {
			s.Errorf("queued %d + written %d is not %d", q, w, backlog)
		}
	}
	s.Do(check)
	var before uint64
	s.Do(func() { before = r.conn.Written() })
	s.expect(p, chunk)
	for range 7 {
		s.expect(p, chunk)
	}
	s.Until("progress", func() bool { return r.conn.Written() > before })
	s.Do(func() {
		if q, w := r.conn.Queued(), r.conn.Written(); q+int(w) != backlog {
			s.Errorf("queued %d + written %d is not %d", q, w, backlog)
		}
	})
	for range backlog/len(chunk) - 8 {
		s.expect(p, chunk)
	}
	s.Until("the end", func() bool { return r.conn.Queued() == 0 && r.conn.Written() == backlog })
}

func replaceQueued(s *suite) {
	r, p := s.connect()
	chunk := s.clog(r, nil)
	var o outcomes
	var ids []reactor.WriteID
	swaps := [][][]byte{{[]byte("A")}, {[]byte("bb"), []byte("BB")}, {[]byte("c"), []byte("CC"), []byte("ccc")}, nil}
	s.Do(func() {
		for range swaps {
			ids = append(ids, r.conn.Write([][]byte{[]byte("old"), []byte("OLD")}, o.done))
		}
		r.conn.Write([][]byte{[]byte("end")}, o.done)
		before := r.conn.Queued()
		for i, bufs := range swaps {
			if !r.conn.Replace(ids[i], [][]byte{pattern(100)}) || !r.conn.Replace(ids[i], bufs) {
				s.Errorf("write %d was not replaced", i)
			}
		}
		if got := r.conn.Queued() - before; got != len("AbbBBcCCccc")-4*len("oldOLD") {
			s.Errorf("Queued changed by %d", got)
		}
	})
	for range backlog / len(chunk) {
		s.expect(p, chunk)
	}
	s.expect(p, []byte("AbbBBcCCcccend"))
	s.Until("all dones", func() bool { return slices.Equal(o.errs, make([]error, 5)) })
	s.Do(func() {
		if r.conn.Queued() != 0 {
			s.Errorf("%d bytes queued at the end", r.conn.Queued())
		}
	})
}

func replaceRefused(s *suite) {
	r, p := s.connect()
	var small, big, never reactor.WriteID
	s.Do(func() { small = r.conn.Write([][]byte{[]byte("x")}, nil) })
	s.expect(p, []byte("x"))
	s.Do(func() { big = r.conn.Write([][]byte{pattern(backlog / 2), pattern(backlog / 2)}, nil) })
	s.Until("the first bytes", func() bool { return r.conn.Written() > 1 })
	s.Do(func() {
		never = big + 1<<20
		for name, id := range map[string]reactor.WriteID{"finished": small, "begun": big, "unknown": never, "zero": 0} {
			if r.conn.Replace(id, [][]byte{[]byte("y")}) {
				s.Errorf("a %s write was replaced", name)
			}
		}
		last := r.conn.Write([][]byte{[]byte("z")}, nil)
		r.conn.Close()
		if r.conn.Replace(last, [][]byte{[]byte("y")}) {
			s.Error("a write of a closed connection was replaced")
		}
	})
}

func writeMany(s *suite) {
	r, p := s.connect()
	const n = 20_000
	frame := pattern(50)
	ended := 0
	chunk := s.clog(r, nil)
	s.Do(func() {
		for range n {
			r.conn.Write([][]byte{frame}, func(err error) {
				if err == nil {
					ended++
				}
			})
		}
	})
	for range backlog / len(chunk) {
		s.expect(p, chunk)
	}
	s.expect(p, bytes.Repeat(frame, n))
	s.Until("all dones", func() bool { return ended == n })
}
