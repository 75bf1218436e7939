// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bytes"
	"strings"
	"testing"

	"claudecoded/session"
)

// largeSize is the size of a message that has a span, in bytes.
const largeSize = 2 << 20

func largeText(c string, size int) string { return strings.Repeat(c, size) }

// remember has the world keep each large message, against the rules of a Handler.
func (w *world) remember() *[][]byte {
	var all [][]byte
	w.onText = func(text []byte) { all = append(all, text) }
	return &all
}

// send sends and lets all of it arrive.
func (w *world) send(p *peer, b ...[]byte) {
	p.Send(bytes.Join(b, nil))
	w.loop.Settle()
}

// wantMemory compares how many messages have a span, and which pages are kept for the next.
func (w *world) wantMemory(lent, kept int, when string) {
	w.t.Helper()
	if l, k := w.server.Lent(), w.server.Kept(); l != lent || k != kept {
		w.t.Errorf("%s: %d spans are lent, %d bytes kept, want %d and %d", when, l, k, lent, kept)
	}
}

func TestLargeMessages_ShareASpanThatStaysWarmForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	clients := []*peer{w.connected(), w.connected()}
	got := w.remember()
	for i, wait := range []bool{false, false, true, true} {
		c := string(rune('a' + i))
		if wait {
			w.loop.Advance(session.WarmFor / 2)
		}
		message := largeText(c, largeSize)
		if i%2 == 0 {
			w.send(clients[i%2], text(message))
		} else {
			w.send(clients[i%2], frame(0x01, message[:largeSize/2]), frame(0x80, message[largeSize/2:]))
		}
		if len(*got) != i+1 || string((*got)[i]) != message {
			t.Fatalf("message %d did not come whole", i)
		}
		if &(*got)[i][0] != &(*got)[0][0] {
			t.Errorf("message %d has memory of its own", i)
		}
		w.wantMemory(0, largeSize, "after a message")
	}
	// Whoever kept a message, against the rules, finds nothing of anybody else's.
	w.loop.Advance(session.WarmFor)
	w.wantMemory(0, 0, "after a while")
	if kept := (*got)[0]; bytes.Trim(kept, "\x00") != nil {
		t.Errorf("its pages were kept: %.20q", kept)
	}
	w.send(clients[0], text(largeText("z", largeSize)))
	if &(*got)[4][0] != &(*got)[0][0] {
		t.Error("the span was not lent again")
	}
	w.server.Stop(nil)
	w.wantMemory(0, 0, "after the stop")
	w.loop.Settle()
}

// TestLargeMessages_ThatNeverRunGiveTheirSpanBack goes through everything that ends one.
func TestLargeMessages_ThatNeverRunGiveTheirSpanBack(t *testing.T) {
	t.Parallel()
	message := largeText("x", largeSize)
	half := text(message)[:largeSize/2]
	for name, do := range map[string]func(w *world, p *peer){
		"hangs up in the middle": func(w *world, p *peer) {
			w.send(p, half)
			w.wantMemory(1, 0, "in the middle")
			p.CloseWrite()
		},
		"closes in the middle":          func(w *world, p *peer) { w.send(p, frame(0x01, message), closeFrame(1000, "")) },
		"closes before it runs":         func(w *world, p *peer) { w.send(p, text(message), closeFrame(1000, "")) },
		"hangs up before it runs":       func(w *world, p *peer) { p.Send(text(message)); p.CloseWrite() },
		"is not UTF-8":                  func(w *world, p *peer) { w.send(p, text(message[1:]+"\xFF")) },
		"breaks a rule in the middle":   func(w *world, p *peer) { w.send(p, frame(0x01, message), frame(0x81, "again")) },
		"is binary, which is not taken": func(w *world, p *peer) { w.send(p, frame(0x82, message)) },
		"makes the handler panic":       func(w *world, p *peer) { w.onText = func([]byte) { panic("on purpose") }; w.send(p, text(message)) },
		"comes when the server stops":   func(w *world, p *peer) { w.send(p, half); w.server.Stop(nil) },
		"makes the handler stop": func(w *world, p *peer) {
			w.onText = func([]byte) { w.server.Stop(nil) }
			w.send(p, text(message))
			w.wantMemory(0, 0, "right after the stop")
		},
		"is too long in the end": func(w *world, p *peer) {
			w.send(p, frame(0x01, message), []byte("\x80\xFF\x00\x00\x00\x00\x7F\xFF\xFF\xFFmask"))
		},
		"waits behind what nobody reads": func(w *world, p *peer) { w.waits(p, text(message)) },
		"is just lent, and waits": func(w *world, p *peer) {
			w.waits(p, append(frame(0x01, largeText("x", 64<<10+1)), frame(0x80, "")...))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			do(w, w.connected())
			w.loop.Settle()
			w.loop.Advance(session.WarmFor)
			w.wantMemory(0, 0, "at the end")
		})
	}
}

// waits has a message wait for its turn behind replies that nobody reads, and drops it.
func (w *world) waits(p *peer, message []byte) {
	p.SetWindow(1)
	client := uint64(0)
	w.onMessage = func(n uint64, _ string) {
		client = n
		w.server.Send(n, make([]byte, session.HighWater+1))
	}
	w.send(p, text("1"), message)
	w.wantMemory(1, 0, "behind replies")
	if client == 0 {
		w.t.Error("nothing ran")
	}
	w.server.Stop(nil)
}

func TestLargeMessages_BeyondTheSpansHaveTheirOwnMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.remember()
	stream := func(i int) []byte { return text(largeText(string(rune('a'+i)), largeSize)) }
	clients := make([]*peer, session.MaxSpans+2)
	for i := range clients {
		clients[i] = w.connected()
		w.send(clients[i], stream(i)[:largeSize/2])
	}
	w.wantMemory(session.MaxSpans, 0, "in the middle of all")
	for i, p := range clients {
		w.send(p, stream(i)[largeSize/2:])
		if len(*got) != i+1 || string((*got)[i][:largeSize]) != largeText(string(rune('a'+i)), largeSize) {
			t.Fatalf("message %d did not come whole", i)
		}
	}
	w.wantMemory(0, largeSize, "after all")
}

func TestLargeMessages_KeepFewPagesThatTheLastDidNotNeed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	for _, tt := range []struct{ size, kept int }{
		{8 * largeSize, 8 * largeSize}, {2 * largeSize, 8 * largeSize}, {2*largeSize - 1, 2*largeSize - 1}, {largeSize, 2*largeSize - 1},
	} {
		w.send(p, text(largeText("x", tt.size)))
		w.wantMemory(0, tt.kept, "after a message")
	}
}

// The kernel takes back whole pages only, and no message ends where a page does.
func TestLargeMessages_GiveTheirPagesBackToTheSystem(t *testing.T) {
	t.Parallel()
	const size = largeSize + 5
	w := newWorld(t)
	p := w.connected()
	wantResident := func(least, most int, when string) {
		t.Helper()
		if n := w.server.Resident(); n < least || n > most {
			t.Errorf("%s: %d bytes have pages, want %d to %d", when, n, least, most)
		}
	}
	w.send(p, text(largeText("x", 8*size)))
	wantResident(8*size, 9*size, "after a message")
	w.send(p, text(largeText("x", size)))
	wantResident(size, 2*size, "after one that needs less")
	w.loop.Advance(session.WarmFor)
	wantResident(0, 0, "after a while")
	w.send(p, text(largeText("x", size)))
	w.server.Stop(nil)
	wantResident(0, 0, "after the stop")
	w.loop.Settle()
}
