// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"claudecoded/reactor"
	"claudecoded/reactor/fake"
	"claudecoded/session"
)

func TestClose_IsAnsweredInKindAndThenTheSocketIsClosed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sent   []byte
		answer string
		event  string
	}{
		{frame(0x88, ""), "close 1000", "1000 "},
		{closeFrame(1000, "bye"), "close 1000 bye", "1000 bye"},
		{closeFrame(1011, "oops"), "close 1011 oops", "1011 oops"},
		{closeFrame(4999, ""), "close 4999", "4999 "},
		{closeFrame(1006, "x"), "close 1002 Protocol error", "1006 x"},
		{closeFrame(999, "x"), "close 1002 Protocol error", "999 x"},
	} {
		w := newWorld(t)
		p := w.connected()
		p.Send(c.sent)
		w.loop.Turn()
		wantFrames(t, p, c.answer)
		w.want("closed 1 " + c.event)
		if !p.Closed() || len(w.server.Clients()) != 0 {
			t.Errorf("% X: still open", c.sent)
		}
	}
}

func TestClosing_SocketStaysOpenUntilTheFrameIsWritten(t *testing.T) {
	t.Parallel()
	for name, send := range map[string][]byte{"Close": closeFrame(1000, ""), "violation": frame(0x83, "")} {
		w := newWorld(t)
		p := w.slow()
		w.server.Give(1, make([]byte, 2*window))
		w.loop.Settle()
		p.Send(send)
		w.loop.Settle()
		if len(w.events) != 1 || p.Closed() {
			t.Fatalf("%s: told %q, closed %v behind a backlog", name, w.events, p.Closed())
		}
		if n := len(w.server.Clients()); n != 0 {
			t.Errorf("%s: %d clients listed", name, n)
		}
		p.SetWindow(-1)
		w.loop.Settle()
		if got := frames(t, p.Take()); len(got) != 2 || !strings.HasPrefix(got[1], "close 100") || !p.Closed() {
			t.Errorf("%s: closed %v after %d frames", name, p.Closed(), len(got))
		}
	}
}

func TestClosing_BytesAreDroppedAndAnEOFChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 2*window))
	w.loop.Settle()
	p.Send(frame(0x83, ""))
	w.loop.Settle()
	w.events = nil
	p.Send(text("dropped"), frame(0x89, "dropped"), closeFrame(1000, ""), frame(0x83, ""))
	p.CloseWrite()
	w.loop.Settle()
	w.want()
	if p.Closed() {
		t.Error("the EOF closed the socket before the Close frame was written")
	}
	p.SetWindow(-1)
	w.loop.Settle()
	if got := frames(t, p.Take()); len(got) != 2 || got[1] != "close 1002 Protocol error" {
		t.Errorf("%d frames, the last %q", len(got), got[len(got)-1])
	}
	w.want()
}

func TestClosing_FreesWhatTheClientSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 2*window))
	p.Send(frame(0x01, strings.Repeat("x", 1<<20)))
	w.loop.Settle()
	if n := w.server.Buffered(1); n < 1<<20 {
		t.Fatalf("%d bytes buffered of a message", n)
	}
	p.Send(closeFrame(1000, ""))
	w.loop.Settle()
	if n := w.server.Buffered(1); n != 0 || p.Closed() {
		t.Errorf("%d bytes buffered, closed %v", n, p.Closed())
	}
}

func TestClosing_GetsNoSecondCloseFrame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 2*window))
	w.loop.Settle()
	p.Send(frame(0x83, ""))
	w.loop.Settle()
	w.server.Stop(nil)
	p.SetWindow(-1)
	w.loop.Settle()
	if got := frames(t, p.Take()); len(got) != 2 || got[1] != "close 1002 Protocol error" {
		t.Errorf("%d frames, the last %q", len(got), got[len(got)-1])
	}
}

func TestClosing_ResumesReadingSoThatAResetIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 2*session.HighWater))
	w.loop.Settle()
	if !p.Paused() {
		t.Fatal("not paused")
	}
	w.server.Stop(nil)
	if p.Paused() {
		t.Error("still paused")
	}
}

func TestCloseDeadline_ClosesASocketThatWritesNothingForAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 4*window))
	w.loop.Settle()
	w.loop.Advance(5 * time.Second)
	p.Send(frame(0x83, ""))
	w.loop.Settle()
	w.loop.Advance(2*interval - time.Millisecond)
	if p.Closed() {
		t.Fatal("closed before the window ended")
	}
	w.loop.Advance(time.Millisecond)
	if !p.Closed() {
		t.Error("still open after a window without progress")
	}
	w.want("closed 1 1006 Client error: Reserved opcode 0x3")
	w.wantLines(slog.LevelInfo)
}

func TestCloseDeadline_LeavesAClientThatReadsItsSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 6*window))
	w.loop.Settle()
	p.Send(closeFrame(1000, ""))
	w.loop.Settle()
	for range 5 {
		w.loop.Advance(2*interval - time.Second)
		p.Read(window / 2)
		w.loop.Advance(time.Second)
		if p.Closed() {
			t.Fatal("closed although it reads")
		}
	}
	p.SetWindow(-1)
	w.loop.Settle()
	if got := frames(t, p.Take()); len(got) != 2 || got[1] != "close 1000" || !p.Closed() {
		t.Errorf("closed %v after %d frames", p.Closed(), len(got))
	}
}

func TestCloseDeadline_ComesAgainForAClientThatStopsReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.slow()
	w.server.Give(1, make([]byte, 6*window))
	w.loop.Settle()
	p.Send(closeFrame(1000, ""))
	w.loop.Settle()
	w.loop.Advance(interval)
	p.Read(window)
	w.loop.Advance(3*interval - 1)
	if p.Closed() {
		t.Fatal("closed in a window with progress, or before the end of the next one")
	}
	w.loop.Advance(1)
	if !p.Closed() {
		t.Error("still open after a window without progress")
	}
}

func TestCloseDeadline_EndsWithTheSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connected().Send(closeFrame(1000, ""))
	w.loop.Settle()
	w.server.Stop(nil) // the ticks end
	w.loop.Settle()
	if at, ok := w.loop.NextTimer(); ok {
		t.Errorf("a timer is left for %v", at)
	}
	w.loop.Advance(time.Hour)
	w.want("closed 1 1000 ")
}

func TestDisconnect_IsToldOncePerClient(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*world, *fake.Peer){
		"Close, then EOF":          func(w *world, p *fake.Peer) { p.Send(closeFrame(1000, "")); p.CloseWrite() },
		"Close, then a violation":  func(w *world, p *fake.Peer) { p.Send(closeFrame(1000, ""), frame(0x83, "")) },
		"violation, then Close":    func(w *world, p *fake.Peer) { p.Send(frame(0x83, ""), closeFrame(1000, "")) },
		"EOF, then stop":           func(w *world, p *fake.Peer) { p.CloseWrite(); w.loop.Turn(); w.server.Stop(nil) },
		"stop, then EOF":           func(w *world, p *fake.Peer) { w.server.Stop(nil); p.CloseWrite() },
		"stop, then Close":         func(w *world, p *fake.Peer) { w.server.Stop(nil); p.Send(closeFrame(1000, "")) },
		"reset":                    func(w *world, p *fake.Peer) { p.Reset() },
		"write error, then a stop": func(w *world, p *fake.Peer) { p.FailWrites(errors.New("broken pipe")); w.server.Stop(nil) },
		"stop in the handler":      func(w *world, p *fake.Peer) { w.onClosed = func(uint64) { w.server.Stop(nil) }; p.CloseWrite() },
	} {
		w := newWorld(t)
		p := w.connected()
		leave(w, p)
		w.loop.Settle()
		w.loop.Advance(time.Hour)
		if n := strings.Count(strings.Join(w.events, "\n"), "closed"); n != 1 {
			t.Errorf("%s: told %q", name, w.events)
		}
		if !p.Closed() {
			t.Errorf("%s: still open", name)
		}
	}
}

func TestDisconnect_ClientThatLeftIsNotSentMessages(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*world, *fake.Peer){
		"Close":     func(w *world, p *fake.Peer) { p.Send(closeFrame(1000, "")) },
		"violation": func(w *world, p *fake.Peer) { p.Send(frame(0x83, "")) },
		"EOF":       func(w *world, p *fake.Peer) { p.CloseWrite() },
		"reset":     func(w *world, p *fake.Peer) { p.Reset() },
		"stop":      func(w *world, p *fake.Peer) { w.server.Stop(nil) },
		"keepalive": func(w *world, p *fake.Peer) { w.loop.Advance(4 * interval) },
	} {
		w := newWorld(t)
		told := false
		w.onClosed = func(client uint64) {
			told = true
			if w.server.Send(client, nil) || w.server.Give(client, nil) || w.server.Broadcast(nil, nil) || w.server.BroadcastLatest(nil, nil) {
				t.Errorf("%s: took a message", name)
			}
		}
		leave(w, w.connected())
		w.loop.Settle()
		if !told {
			t.Errorf("%s: not told", name)
		}
	}
}

func TestDisconnect_ReadErrorIsOnlyItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connected().Reset()
	w.loop.Settle()
	w.want("closed 1 1006 Client read error: connection reset by peer")
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		w.wantLines(level)
	}
	if got := w.lines(slog.LevelDebug); len(got) == 0 || !strings.Contains(got[len(got)-1], "Client read error") {
		t.Errorf("debug lines %q", got)
	}
}

func TestLog_LinesAreSingleAndTellNoToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connected().Send(closeFrame(1000, "two\nlines\x1b[31m"))
	w.loop.Settle()
	for _, line := range w.lines(slog.LevelDebug) {
		if strings.ContainsAny(line, "\x1b") || strings.Contains(line, `\n`) {
			t.Errorf("line %q", line)
		}
	}
	if strings.Contains(w.log.String(), token) || !strings.Contains(w.log.String(), "token_length=16") {
		t.Errorf("logged %s", w.log)
	}
}

func TestListen_RefusesWhileRunningAndAfterStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.server.Listen(reactor.PortRange{}, w); !errors.Is(err, session.ErrRunning) {
		t.Errorf("a second Listen: %v", err)
	}
	w.server.Stop(nil)
	if _, err := w.server.Listen(reactor.PortRange{}, w); !errors.Is(err, session.ErrStopped) {
		t.Errorf("Listen after Stop: %v", err)
	}
}

func TestListen_MayBeCalledAgainAfterNoPortWasFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := session.New(w.loop, w.config())
	if _, err := s.Listen(reactor.PortRange{Min: 2, Max: 1}, w); err == nil || err.Error() != "No available ports in range 2-1" {
		t.Errorf("empty range: %v", err)
	}
	if port, err := s.Listen(reactor.PortRange{Min: 7, Max: 7}, w); port != 7 || err != nil {
		t.Errorf("then: %d, %v", port, err)
	}
}

func TestServer_TakesNoMessagesUnlessItListens(t *testing.T) {
	t.Parallel()
	loop := fake.New()
	s := session.New(loop, session.Config{})
	if s.Send(1, nil) || s.Broadcast(nil, nil) || s.BroadcastLatest(nil, nil) {
		t.Error("took a message before Listen")
	}
	stops := 0
	s.Stop(func() { stops++ })
	if stops > 0 {
		t.Error("done ran inside Stop")
	}
	loop.Settle()
	s.Stop(nil)
	loop.Advance(time.Hour)
	if s.Send(1, nil) || s.Broadcast(nil, nil) || stops != 1 {
		t.Errorf("after Stop: done ran %d times", stops)
	}
	w := newWorld(t)
	w.slow()
	w.server.Give(1, make([]byte, backlog))
	w.server.Stop(nil)
	if w.server.Send(1, nil) || w.server.Broadcast(nil, nil) || w.server.BroadcastLatest(nil, nil) {
		t.Error("took a message while it stops")
	}
}

func TestStop_ClosesEveryKindOfClientWithin500ms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	silent := w.loop.Connect()
	half := w.loop.Connect()
	half.Send([]byte("GET / HT"))
	refused := w.loop.Connect()
	refused.SetWindow(10)
	refused.Send(request("GET", "PUT"))
	upgrading := w.upgrading()
	idle, busy, stalled, leaving := w.connected(), w.connected(), w.slow(), w.slow()
	busy.Send(frame(0x01, "half a message"))
	w.server.Give(7, make([]byte, 2*session.HighWater))
	w.server.Give(8, make([]byte, 2*window))
	w.loop.Settle()
	leaving.Send(frame(0x83, ""))
	w.loop.Settle()
	w.want("closed 8 1006 Client error: Reserved opcode 0x3")
	written, stops := -1, 0
	w.server.Broadcast([]byte("last"), func(n int) { written = n })
	w.loop.Turn()

	start := w.loop.Now()
	w.server.Stop(func() { stops++ })
	w.server.Stop(func() { stops++ })
	const reason = " 1001 Server shutting down"
	w.want("closed 5"+reason, "closed 6"+reason, "closed 7"+reason)
	w.loop.Settle()
	for i, p := range []*fake.Peer{silent, half, refused, idle, busy} {
		if !p.Closed() {
			t.Errorf("peer %d is open", i)
		}
	}
	wantFrames(t, idle, "text last", "close 1001 Server shutting down")
	wantFrames(t, busy, "text last", "close 1001 Server shutting down")
	if late := w.loop.Connect(); !late.Closed() {
		t.Error("still listens")
	}
	if stops != 0 || stalled.Closed() || upgrading.Closed() || leaving.Closed() {
		t.Error("did not wait for the frames of those that may still read")
	}
	w.loop.Advance(500 * time.Millisecond)
	if !stalled.Closed() || !upgrading.Closed() || !leaving.Closed() {
		t.Errorf("open after %v", w.loop.Now().Sub(start))
	}
	if stops != 2 || written != 2 {
		t.Errorf("done ran %d times for 2 calls, the broadcast was written to %d", stops, written)
	}
	w.loop.Advance(time.Hour)
	w.want()
	if stops != 2 {
		t.Errorf("done ran %d times", stops)
	}
}

func TestStop_IsDoneAsSoonAsTheLastFrameIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connected()
	var order []string
	w.onClosed = func(uint64) { order = append(order, "closed") }
	w.server.Stop(func() { order = append(order, "done") })
	order = append(order, "returned")
	w.loop.Settle()
	if want := []string{"closed", "returned", "done"}; !reflect.DeepEqual(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}

func TestStop_MessagesAreNotTakenAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.server.Stop(nil)
	if w.server.Send(1, []byte("x")) || w.server.Broadcast([]byte("x"), nil) {
		t.Error("took a message")
	}
	p.Send(text("never run"))
	w.loop.Settle()
	wantFrames(t, p, "close 1001 Server shutting down")
	w.want("closed 1 1001 Server shutting down")
}
