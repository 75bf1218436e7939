// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import "bytes"

// The bounds that reactor.Events promises.
const (
	maxData = 64 << 10
	maxTurn = 256 << 10
)

var readCases = map[string]func(*suite){
	"Data_ArrivesWholeAndInOrder":               dataWhole,
	"Data_IsBoundedPerCallAndPerTurn":           dataBounded,
	"Data_StaysValidUntilWhatWasDeferredHasRun": dataValid,
	"Data_MayBeChangedInPlaceAndAppendedTo":     dataOwned,
	"Data_StopsWhenTheReceiverCloses":           dataAfterClose,
	"Data_OfManyPeersStaysApart":                dataApart,
}

func dataWhole(s *suite) {
	port, accepted := s.serve()
	r, p := s.dial(port, accepted)
	other, q := s.dial(port, accepted)
	want := pattern(5 << 20)
	for at := 0; at < len(want); at += maxTurn {
		p.Send(want[at:min(at+maxTurn, len(want))])
		q.Send(want[at : at+1])
		s.Until("a chunk", func() bool { return len(r.got) >= at+maxTurn })
	}
	s.Until("the other connection", func() bool { return len(other.got) == len(want)/maxTurn })
	s.Do(func() {
		if !bytes.Equal(r.got, want) {
			s.Error("the bytes differ")
		}
	})
}

func dataBounded(s *suite) {
	r, p := s.connect()
	turn := 0
	newTurn := true
	s.onData(r, func(data []byte) {
		if newTurn {
			newTurn, turn = false, 0
			s.Loop().Defer(func() { newTurn = true })
		}
		turn += len(data)
		if len(data) > maxData || turn > maxTurn {
			s.Errorf("%d bytes in one call, %d in the turn", len(data), turn)
		}
	})
	s.Do(func() { p.Send(pattern(1 << 20)) })
	s.Until("all data", func() bool { return len(r.got) == 1<<20 })
}

func dataValid(s *suite) {
	port, accepted := s.serve()
	var rs [4]*receiver
	var ps [4]Peer
	checked := 0
	for i := range rs {
		rs[i], ps[i] = s.dial(port, accepted)
		r := rs[i]
		s.onData(r, func(p []byte) {
			was := bytes.Clone(p)
			s.Loop().Defer(func() {
				checked++
				if !bytes.Equal(p, was) {
					s.Error("the bytes changed before the end of the turn")
				}
			})
		})
	}
	for round := range 20 {
		s.Do(func() {
			for i, p := range ps {
				p.Send(bytes.Repeat([]byte{byte(i), byte(round)}, 1+5000*(round%7)))
			}
		})
	}
	s.Until("all data", func() bool {
		for _, r := range rs {
			if len(r.got) != 2*(20+5000*(6*5/2+6*7/2+6*7/2)) {
				return false
			}
		}
		return checked > 0
	})
}

func dataOwned(s *suite) {
	r, p := s.connect()
	var joined []byte
	s.onData(r, func(data []byte) {
		for i := range data {
			data[i] ^= 0x55
		}
		joined = append(joined, data...)
		if grown := append(data, "overrun"...); &grown[0] == &data[0] {
			s.Error("there is room behind the slice: an append could reach other bytes")
		}
	})
	want := pattern(300_000)
	p.Send(want)
	s.Until("all data", func() bool { return len(joined) == len(want) })
	for i := range joined {
		joined[i] ^= 0x55
	}
	if !bytes.Equal(joined, want) {
		s.Error("the bytes differ")
	}
}

func dataAfterClose(s *suite) {
	r, p := s.connect()
	calls := 0
	s.onData(r, func([]byte) {
		calls++
		r.conn.Close()
	})
	s.Do(func() { p.Send(pattern(200_000)) })
	p.Rest()
	s.Do(func() {
		if calls != 1 || r.eofs != 0 || len(r.closed) != 0 {
			s.Errorf("after Close: %d Data calls, %d EOF, Closed %v", calls-1, r.eofs, r.closed)
		}
	})
}

// dataApart: a message of 300 KiB from each of many peers, sent in small pieces at
// the same time.
func dataApart(s *suite) {
	port, accepted := s.serve()
	const peers, size, piece = 16, 300 << 10, 7 << 10
	want := pattern(size + peers)
	rs := make([]*receiver, peers)
	ps := make([]Peer, peers)
	for i := range ps {
		rs[i], ps[i] = s.dial(port, accepted)
	}
	for at := 0; at < size; at += piece {
		for i, p := range ps {
			p.Send(want[i+at : i+min(at+piece, size)])
		}
	}
	for i, r := range rs {
		s.Until("all data", func() bool { return len(r.got) == size })
		s.Do(func() {
			if !bytes.Equal(r.got, want[i:i+size]) {
				s.Errorf("the bytes of peer %d differ", i)
			}
		})
	}
}
