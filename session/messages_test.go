// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"claudecoded/reactor/fake"
	"claudecoded/session"
)

func TestMessages_RunAtTheTurnsEndAfterEveryConnectionWasRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.connected(), w.connected()
	w.onMessage = func(client uint64, s string) {
		w.event("clients %d", len(w.server.Clients()))
	}
	a.Send(text("request"))
	b.CloseWrite() // read after a, in the same turn
	w.loop.Turn()
	w.want("closed 2 1006 EOF", "message 1 request", "clients 1")
}

func TestMessages_RunInOrderAndAnswersLeaveInOneWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.onMessage = func(client uint64, s string) { w.server.Send(client, []byte("re "+s)) }
	var stream []byte
	want := make([]string, 10)
	for i := range want {
		stream = append(stream, text(fmt.Sprint(i))...)
		want[i] = fmt.Sprint("text re ", i)
	}
	p.Send(stream)
	before := p.Flushes()
	w.loop.Settle()
	wantFrames(t, p, want...)
	if n := p.Flushes() - before; n != 1 {
		t.Errorf("%d writes", n)
	}
}

// TestMessages_AnswersKeepTheirPlaceAmongOtherFrames: what is joined to one write leaves
// before what was sent after it, whatever way that goes.
func TestMessages_AnswersKeepTheirPlaceAmongOtherFrames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 20<<10)
	for name, send := range map[string]func(s *session.Server){
		"a long answer": func(s *session.Server) { s.Send(1, []byte(long)) },
		"a given one":   func(s *session.Server) { s.Give(1, []byte(long)) },
		"a broadcast":   func(s *session.Server) { s.Broadcast([]byte(long), nil) },
		"a latest one":  func(s *session.Server) { s.BroadcastLatest([]byte(long), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.connected()
			w.onMessage = func(_ uint64, request string) {
				if request == "other" {
					send(w.server)
				} else {
					w.server.Send(1, []byte(request))
				}
			}
			p.Send(text("a"), text("b"), text("other"), text("c"))
			w.loop.Settle()
			wantFrames(t, p, "text a", "text b", "text "+long, "text c")
		})
	}
}

func TestMessages_AnswersLeaveBeforeTheCloseFrame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.onMessage = func(_ uint64, request string) {
		w.server.Send(1, []byte(request))
		if request == "b" {
			w.server.Stop(nil)
		}
	}
	p.Send(text("a"), text("b"), text("never run"))
	w.loop.Settle()
	wantFrames(t, p, "text a", "text b", "close 1001 Server shutting down")
}

func TestMessages_DoNotRunForAClientThatLeftInTheSameRead(t *testing.T) {
	t.Parallel()
	requests := append(text("never"), text("run")...)
	for name, c := range map[string]struct {
		leave func(*fake.Peer)
		event string
	}{
		"Close": {func(p *fake.Peer) { p.Send(append(requests, closeFrame(1000, "")...)) }, "closed 1 1000 "},
		"EOF":   {func(p *fake.Peer) { p.Send(requests); p.CloseWrite() }, "closed 1 1006 EOF"},
		"violation": {func(p *fake.Peer) { p.Send(append(requests, frame(0x83, "")...)) },
			"closed 1 1006 Client error: Reserved opcode 0x3"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.leave(w.connected())
			w.loop.Settle()
			w.want(c.event)
		})
	}
}

func TestMessages_DoNotRunForAClientThatTheirHandlerDisconnected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.onMessage = func(uint64, string) { w.server.Stop(nil) }
	p.Send(text("stops"), text("never run"))
	w.loop.Settle()
	w.want("message 1 stops", "closed 1 1001 Server shutting down")
}

func TestMessages_AtMostMaxRunOfOneClientRunInATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.connected(), w.connected()
	const sent = 3*session.MaxRun + 5
	var stream []byte
	for i := range sent {
		stream = append(stream, text(fmt.Sprintf("message %d", i))...)
	}
	p.Send(stream)
	for turn := 1; turn <= 4; turn++ {
		if turn > 1 && turn < 4 && !p.Paused() {
			t.Errorf("turn %d: reads on while messages of an earlier turn wait", turn)
		}
		other.Send(text("other"))
		before := len(w.events)
		w.loop.Turn()
		ran, others := 0, 0
		for _, e := range w.events[before:] {
			if e == "message 2 other" {
				others++
			} else if want := fmt.Sprintf("message 1 message %d", (turn-1)*session.MaxRun+ran); e != want {
				t.Fatalf("turn %d: %q, want %q", turn, e, want)
			} else {
				ran++
			}
		}
		if want := min(session.MaxRun, sent-(turn-1)*session.MaxRun); ran != want || others != 1 {
			t.Errorf("turn %d ran %d, want %d, and %d of the other client", turn, ran, want, others)
		}
	}
	if p.Paused() {
		t.Error("still paused when all ran")
	}
}

func TestMessages_ThatWaitForAnotherTurnAreCancelledByAReset(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	for range session.MaxRun + 1 {
		p.Send(text("x"))
	}
	w.loop.Turn()
	w.events = nil
	p.Reset()
	w.loop.Settle()
	w.want("closed 1 1006 Client read error: connection reset by peer")
}

func TestMessages_FragmentsWithControlFramesBetweenAreOneMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	p.Send(frame(0x01, "a\xC3"), frame(0x89, "p"), frame(0x00, "\xA4"), frame(0x8A, ""), frame(0x80, "b"))
	w.loop.Settle()
	w.want("message 1 aäb")
	wantFrames(t, p, "pong p")
}

func TestViolation_ClosesWithTheCodesNameAndTheRuleAsReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bytes  []byte
		frame  string
		reason string
	}{
		"reserved opcode":   {frame(0x83, ""), "1002 Protocol error", "Reserved opcode 0x3"},
		"RSV":               {frame(0xC1, ""), "1002 Protocol error", "RSV bits set"},
		"long ping":         {frame(0x89, strings.Repeat("x", 126)), "1002 Protocol error", "Control frame payload over 125 bytes"},
		"fragmented close":  {frame(0x08, ""), "1002 Protocol error", "Fragmented control frame"},
		"close of 1 byte":   {frame(0x88, "\x03"), "1002 Protocol error", "Close payload of 1 byte"},
		"stray fragment":    {frame(0x80, "x"), "1002 Protocol error", "Continuation frame without a message to continue"},
		"interleaved":       {append(frame(0x01, "x"), frame(0x81, "y")...), "1002 Protocol error", "Data frame inside a fragmented message"},
		"binary":            {frame(0x82, "x"), "1003 Unsupported data", "Binary message"},
		"binary fragments":  {append(frame(0x02, "x"), frame(0x80, "y")...), "1003 Unsupported data", "Binary message"},
		"UTF-8":             {text("\xC3\x28"), "1007 Invalid frame payload data", "Text message is not valid UTF-8"},
		"close reason":      {frame(0x88, "\x03\xE8\xFF"), "1007 Invalid frame payload data", "Close reason is not valid UTF-8"},
		"too big":           {[]byte("\x82\xFF\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00"), "1009 Message too big", "Message over 104857600 bytes"},
		"length of 2^63":    {[]byte("\x81\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x00\x00\x00\x00"), "1009 Message too big", "Message over 104857600 bytes"},
		"fragments too big": {append(frame(0x01, "x"), "\x80\xFF\x00\x00\x00\x00\x06\x40\x00\x00\x00\x00\x00\x00"...), "1009 Message too big", "Message over 104857600 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.connected()
			p.Send(text("never run"), c.bytes, text("nor this"))
			w.loop.Settle()
			w.want("closed 1 1006 Client error: " + c.reason)
			wantFrames(t, p, "close "+c.frame)
			if !p.Closed() {
				t.Error("the socket is still open")
			}
			if len(w.lines(slog.LevelInfo))+len(w.lines(slog.LevelWarn))+len(w.lines(slog.LevelError)) > 0 {
				t.Errorf("a client's error was logged above debug: %s", w.log)
			}
		})
	}
}

func TestFrames_UnmaskedOnesAreAcceptedAndIncompleteOnesWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	p.Send([]byte("\x81\x02hi\x81\xFE"))
	w.loop.Advance(interval)
	w.want("message 1 hi")
	if p.Closed() {
		t.Error("closed")
	}
}

func TestPing_IsAnsweredAtOnceWithItsPayload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.onMessage = func(client uint64, s string) { w.server.Send(client, []byte(s)) }
	p.Send(text("a"), frame(0x89, ""), text("b"), frame(0x89, "\x00\xFF"))
	w.loop.Turn()
	wantFrames(t, p, "pong", "pong \x00\xFF", "text a", "text b")
}

func TestSend_ReachesConnectedClientsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.loop.Connect()
	w.loop.Settle()
	for n, want := range []bool{false, true, false, false} {
		if got := w.server.Send(uint64(n), []byte("sent")); got != want {
			t.Errorf("Send to %d: %v", n, got)
		}
		if got := w.server.Give(uint64(n), []byte("given")); got != want {
			t.Errorf("Give to %d: %v", n, got)
		}
	}
	w.loop.Settle()
	wantFrames(t, p, "text sent", "text given")
	p.CloseWrite()
	w.loop.Settle()
	if w.server.Send(1, []byte("x")) {
		t.Error("took a message for a client that left")
	}
}

func TestSend_CopiesAndGiveDoesNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	sent, given := []byte("sent"), []byte("given")
	w.server.Send(1, sent)
	w.server.Give(1, given)
	sent[0], given[0] = 'X', 'Y'
	w.loop.Settle()
	wantFrames(t, p, "text sent", "text Yiven")
}

func TestOutboundText_IsMadeValidUTF8(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	const bad, good = "a\xFF\xFEb\xE2\x82", "text a\uFFFD\uFFFDb\uFFFD"
	w.server.Send(1, []byte(bad))
	w.server.Give(1, []byte(bad))
	w.server.Broadcast([]byte(bad), nil)
	w.server.BroadcastLatest([]byte(bad), nil)
	w.loop.Settle()
	wantFrames(t, p, good, good, good, good)
	if p.Closed() {
		t.Error("dropped")
	}
}

func TestHandlerPanic_CostsOnlyItsConnection(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"open", "message", "closed"} {
		w := newWorld(t)
		other := w.connected()
		boom := func(client uint64) {
			if client == 2 {
				panic("quoting a secret")
			}
		}
		switch where {
		case "open":
			w.onOpen = boom
		case "message":
			w.onMessage = func(client uint64, _ string) { boom(client) }
		case "closed":
			w.onClosed = boom
		}
		p := w.connect()
		p.Send(text("a"), text("b"))
		w.loop.Settle()
		p.CloseWrite()
		other.Send(text("lives"))
		w.loop.Settle()
		if !p.Closed() || other.Closed() {
			t.Errorf("%s: closed %v, the other %v", where, p.Closed(), other.Closed())
		}
		if got := w.events[len(w.events)-1]; got != "message 1 lives" {
			t.Errorf("%s: last event %q", where, got)
		}
		if n := strings.Count(strings.Join(w.events, "\n"), "closed 2"); n != 1 {
			t.Errorf("%s: Closed ran %d times", where, n)
		}
		if got := w.lines(slog.LevelError); len(got) != 1 || strings.Contains(w.log.String(), "secret") {
			t.Errorf("%s: logged %s", where, w.log)
		}
	}
}

// binaryWorld is a world that takes binary messages.
type binaryWorld struct{ *world }

func (w binaryWorld) Binary(client uint64, data []byte) { w.event("binary %d %s", client, data) }

func TestRunAsParsed_RunsWhatCameBeforeACloseAndTakesBinary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = session.New(w.loop, w.config(func(c *session.Config) { c.RunAsParsed = true }))
	w.listen(binaryWorld{w})
	p := w.connected()
	p.Send(text("a"), frame(0x82, "b"), closeFrame(1000, ""), text("c"))
	w.loop.Settle()
	w.want("message 1 a", "binary 1 b", "closed 1 1000 ")
}

func TestBinary_IsRefusedWhereMessagesRunAtTheTurnsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = session.New(w.loop, w.config())
	w.listen(binaryWorld{w})
	p := w.connected()
	p.Send(frame(0x82, "b"))
	w.loop.Settle()
	w.want("closed 1 1006 Client error: Binary message")
}
