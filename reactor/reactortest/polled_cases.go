// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import "slices"

// polledCases hold where a poll sees everything that peers did before it.
var polledCases = map[string]func(*suite){
	"Defer_RunsAfterEveryReadyConnectionWasRead":  deferAfterReads,
	"AfterNextPoll_SeesTheProgressOfABlockedTurn": pollSeesProgress,
	"AfterNextPoll_RunsAfterThatPollsReads":       pollSeesReads,
	"Fairness_AFloodLeavesOthersTheirTurn":        fairness,
	"Turn_SendsWhatItQueuedInOneWrite":            oneWrite,
}

// tries is how often what a kernel does at once may take it longer: one that is busy leaves
// what is sent on the loopback to a thread of its own.
const tries = 5

// once looks for something with new connections until it is seen.
func once(s *suite, what string, look func(dial func() (*receiver, Peer)) (seen bool)) {
	s.Helper()
	port, accepted := s.serve()
	for range tries {
		if look(func() (*receiver, Peer) { return s.dial(port, accepted) }) {
			return
		}
	}
	s.Error(what)
}

func deferAfterReads(s *suite) {
	once(s, "a deferred closure before all reads", func(dial func() (*receiver, Peer)) bool {
		const n = 10
		peers := make([]Peer, n)
		read, deferred, early := 0, 0, 0
		for i := range peers {
			var r *receiver
			r, peers[i] = dial()
			s.onData(r, func([]byte) {
				read++
				s.Loop().Defer(func() {
					if deferred++; read != n {
						early++
					}
				})
			})
		}
		s.Do(func() {
			for _, p := range peers {
				p.Send([]byte("x"))
			}
		})
		s.Until("the deferred closures", func() bool { return deferred == n })
		return early == 0
	})
}

// pollSeesProgress: what a peer read while the loop was blocked is visible right
// after the next poll, and not before.
func pollSeesProgress(s *suite) {
	once(s, "no progress right after the poll", func(dial func() (*receiver, Peer)) (seen bool) {
		r, p := dial()
		s.clog(r, nil)
		looked := false
		s.Do(func() {
			before := r.conn.Written()
			p.Skip(backlog / 2)
			s.Loop().Post(func() { r.conn.Queued() })
			if r.conn.Written() != before {
				s.Error("progress without a poll")
			}
			s.Loop().AfterNextPoll(func() {
				looked, seen = true, r.conn.Written() != before
			})
		})
		s.Until("the look", func() bool { return looked })
		return seen
	})
}

func pollSeesReads(s *suite) {
	once(s, "not read before the look", func(dial func() (*receiver, Peer)) (seen bool) {
		r, p := dial()
		looked := false
		s.Do(func() {
			p.Send([]byte("x"))
			s.Loop().AfterNextPoll(func() {
				looked, seen = true, len(r.got) > 0
			})
		})
		s.Until("the look", func() bool { return looked })
		return seen
	})
}

func fairness(s *suite) {
	once(s, "a single byte had to wait for a flood", func(dial func() (*receiver, Peer)) bool {
		flood, p := dial()
		single, q := dial()
		var order []string
		s.onData(flood, func([]byte) { order = append(order, "flood") })
		s.onData(single, func([]byte) { order = append(order, "single") })
		s.Do(func() {
			p.Send(pattern(1 << 20))
			q.Send([]byte("x"))
		})
		s.Until("all data", func() bool { return len(flood.got) == 1<<20 && len(single.got) == 1 })
		at := 0
		s.Do(func() { at = slices.Index(order, "single") })
		return at <= maxTurn/maxData
	})
}

func oneWrite(s *suite) {
	r, p := s.connect()
	var turns []int
	turn := 0
	var count func()
	count = func() {
		turn++
		if len(turns) < 100 {
			s.Loop().Defer(count)
		}
	}
	s.Do(func() {
		s.Loop().Defer(count)
		for range 100 {
			r.conn.Write([][]byte{[]byte("head"), []byte("body")}, func(error) { turns = append(turns, turn) })
		}
	})
	p.Read(800)
	s.Until("all dones", func() bool { return len(turns) == 100 })
	s.Do(func() {
		if turns[0] != turns[99] {
			s.Errorf("the writes of one turn ended in turns %d to %d", turns[0], turns[99])
		}
	})
}
