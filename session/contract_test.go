// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"claudecoded/reactor"
	"claudecoded/reactor/fake"
	"claudecoded/session"
)

// contract is a Handler that checks what a Handler is promised, and acts at random.
type contract struct {
	t      *rapid.T
	server *session.Server
	seen   map[uint64]string // "open" or "closed"
	next   map[uint64]int    // the number of the client's next message
	act    func()
}

func (h *contract) Open(client uint64) {
	if h.seen[client] != "" {
		h.t.Fatalf("Open(%d) of a client that is %s", client, h.seen[client])
	}
	h.seen[client] = "open"
	h.act()
}

func (h *contract) Message(client uint64, text []byte) {
	want := fmt.Sprint(h.next[client])
	if h.seen[client] != "open" || string(text) != want {
		h.t.Fatalf("Message(%d, %q) of a client that is %q, want %q", client, text, h.seen[client], want)
	}
	clear(text) // it may be changed
	h.next[client]++
	if !h.server.Send(client, make([]byte, 100)) {
		h.t.Fatalf("client %d sent a message and cannot be sent one", client)
	}
	h.act()
}

func (h *contract) Closed(client uint64, _ int, _ string) {
	if h.seen[client] != "open" {
		h.t.Fatalf("Closed(%d) of a client that is %q", client, h.seen[client])
	}
	h.seen[client] = "closed"
	if h.server.Send(client, []byte("x")) {
		h.t.Fatalf("client %d left and can be sent a message", client)
	}
	h.act()
}

// Whatever clients do, and whatever the handler does in its callbacks: Open comes
// first and once, messages in order and whole, Closed last and once, each written and
// each Stop's done once, and after Stop nothing is left.
func TestSession_KeepsItsContractWhateverClientsDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		loop := fake.New()
		h := &contract{t: t, seen: map[uint64]string{}, next: map[uint64]int{}}
		h.server = session.New(loop, session.Config{PingInterval: interval, MaxClients: 4, Log: quiet})
		if _, err := h.server.Listen(reactor.PortRange{}, h); err != nil {
			t.Fatal(err)
		}
		broadcasts, written, stops, stopped := 0, 0, 0, 0
		stop := func() {
			stops++
			h.server.Stop(func() { stopped++ })
		}
		h.act = func() {
			switch rapid.IntRange(0, 60).Draw(t, "in a callback") {
			case 0:
				stop()
			case 1, 2:
				if h.server.Broadcast([]byte("all"), func(int) { written++ }) {
					broadcasts++
				}
			case 3, 4:
				h.server.BroadcastLatest([]byte("latest"), nil)
			case 5:
				h.server.Clients()
			}
		}
		type player struct {
			*fake.Peer
			sent int
		}
		var peers []*player
		fragment := func(p *player) {
			s := fmt.Sprint(p.sent)
			p.sent++
			cut := rapid.IntRange(0, len(s)).Draw(t, "cut")
			p.Send(frame(0x01, s[:cut]), frame(0x89, "between"), frame(0x80, s[cut:]))
		}
		t.Repeat(map[string]func(*rapid.T){
			"connect": func(t *rapid.T) {
				p := &player{Peer: loop.Connect()}
				p.SetWindow(rapid.SampledFrom([]int{-1, -1, 10, 100, 5000}).Draw(t, "window"))
				peers = append(peers, p)
			},
			"play": func(t *rapid.T) {
				if len(peers) == 0 {
					t.Skip("nobody is there")
				}
				p := rapid.SampledFrom(peers).Draw(t, "peer")
				switch rapid.IntRange(0, 13).Draw(t, "what") {
				case 0, 1, 2:
					if p.sent == 0 {
						p.Send(request())
						p.Send(text("0"))
						p.sent++
					}
				case 3, 4:
					for range rapid.SampledFrom([]int{1, 3, 70, 200}).Draw(t, "messages") {
						if p.sent > 0 {
							p.Send(text(fmt.Sprint(p.sent)))
							p.sent++
						}
					}
				case 5:
					if p.sent > 0 {
						fragment(p)
					}
				case 6, 7, 8:
					p.Read(rapid.IntRange(0, 1000).Draw(t, "read"))
				case 9:
					p.Send(frame(0x8A, ""))
				case 10:
					p.Send(closeFrame(1000, ""))
				case 11:
					p.Send([]byte{0x83, 0})
				case 12:
					p.CloseWrite()
				case 13:
					if rapid.Bool().Draw(t, "reset") {
						p.Reset()
					} else {
						p.FailWrites(errors.New("broken pipe"))
					}
				}
			},
			"turn":  func(*rapid.T) { loop.Turn() },
			"block": func(t *rapid.T) { loop.Block(time.Duration(rapid.IntRange(0, 100).Draw(t, "s")) * time.Second) },
			"live":  func(t *rapid.T) { loop.Advance(time.Duration(rapid.IntRange(0, 40).Draw(t, "s")) * time.Second) },
			"broadcast": func(*rapid.T) {
				if h.server.Broadcast(make([]byte, 3000), func(int) { written++ }) {
					broadcasts++
				}
			},
			"send": func(t *rapid.T) {
				size := rapid.SampledFrom([]int{10, 3000, 3000, 3000, 9 << 20}).Draw(t, "size")
				for _, c := range h.server.Clients() {
					h.server.Give(c.Number, make([]byte, size))
				}
			},
			"": func(t *rapid.T) {
				if len(loop.Panics) > 0 {
					t.Fatalf("panics: %v", loop.Panics)
				}
			},
		})
		stop()
		start := loop.Now()
		loop.Advance(500 * time.Millisecond)
		if stopped != stops || written != broadcasts {
			t.Fatalf("%v after Stop: done ran %d times of %d, written %d of %d", loop.Now().Sub(start), stopped, stops, written, broadcasts)
		}
		for i, p := range peers {
			if !p.Closed() {
				t.Fatalf("peer %d is open", i+1)
			}
		}
		for client, state := range h.seen {
			if state != "closed" {
				t.Fatalf("client %d is %s", client, state)
			}
		}
		if n := len(h.server.Clients()); n != 0 {
			t.Fatalf("%d clients are left", n)
		}
	})
}

// FuzzServer sends any bytes after a handshake: nothing panics, and the connection
// ends in a way that the handler is told of once.
func FuzzServer(f *testing.F) {
	for _, seed := range []string{"\x83\x80", "\xC1\x80", "\x89\xFE\x00\x7E", "\x88\x81\x00\x00\x00\x00\x03",
		"\x81\x82\x00\x00\x00\x00\xC3\x28", "\x81\x02hi", "\x81\xFE", "\x82\xFF\x24\x24\xEB\xB5\x35\xB8\x38\x5D",
		"\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "\x01\x01a\x89\x00\x80\x01b\x88\x00"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		w := newWorld(t)
		p := w.connected()
		w.loop.ReadSize = max(size, 1)
		p.Send(b)
		w.loop.Settle()
		p.CloseWrite()
		w.loop.Settle()
		w.loop.Advance(time.Minute)
		closes := 0
		for _, e := range w.events {
			if len(e) > 6 && e[:6] == "closed" {
				closes++
			}
		}
		if closes != 1 || !p.Closed() {
			t.Errorf("told %q, closed %v", w.events, p.Closed())
		}
		frames(t, p.Take())
	})
}
