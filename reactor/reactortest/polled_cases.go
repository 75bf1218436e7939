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

func deferAfterReads(s *suite) {
	port, accepted := s.serve()
	const n = 10
	peers := make([]Peer, n)
	read, deferred := 0, 0
	for i := range peers {
		var r *receiver
		r, peers[i] = s.dial(port, accepted)
		s.onData(r, func([]byte) {
			read++
			s.Loop().Defer(func() {
				if deferred++; read != n {
					s.Errorf("deferred closure after %d of %d reads", read, n)
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
}

// pollSeesProgress: what a peer read while the loop was blocked is visible right
// after the next poll, and not before.
func pollSeesProgress(s *suite) {
	r, p := s.connect()
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
			looked = true
			if r.conn.Written() == before {
				s.Error("no progress right after the poll")
			}
		})
	})
	s.Until("the look", func() bool { return looked })
}

func pollSeesReads(s *suite) {
	r, p := s.connect()
	looked := false
	s.Do(func() {
		p.Send([]byte("x"))
		s.Loop().AfterNextPoll(func() {
			looked = true
			if len(r.got) == 0 {
				s.Error("not read before the look")
			}
		})
	})
	s.Until("the look", func() bool { return looked })
}

func fairness(s *suite) {
	port, accepted := s.serve()
	flood, p := s.dial(port, accepted)
	single, q := s.dial(port, accepted)
	var order []string
	s.onData(flood, func([]byte) { order = append(order, "flood") })
	s.onData(single, func([]byte) { order = append(order, "single") })
	s.Do(func() {
		p.Send(pattern(1 << 20))
		q.Send([]byte("x"))
	})
	s.Until("all data", func() bool { return len(flood.got) == 1<<20 && len(single.got) == 1 })
	s.Do(func() {
		if at := slices.Index(order, "single"); at > maxTurn/maxData {
			s.Errorf("the single byte was read after %d reads of the flood", at)
		}
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
