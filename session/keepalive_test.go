// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"claudecoded/reactor/fake"
	"claudecoded/session"
)

// stage is one client that connected at the moment the ticks started.
type stage struct {
	*world
	p *peer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	w := newWorld(t)
	return &stage{w, w.slow()}
}

// A step is something that happens to a stage. Each begins at a tick.
type step func(s *stage)

func (s *stage) answer() {
	s.p.Send(frame(0x8A, "ping"))
	s.loop.Settle()
}

// ticks are n ticks on time that the client answers.
func ticks(n int) step {
	return func(s *stage) {
		for range n {
			s.loop.Advance(interval)
			s.answer()
		}
	}
}

// silent are n ticks on time that the client does not answer.
func silent(n int) step {
	return func(s *stage) { s.loop.Advance(time.Duration(n) * interval) }
}

// blocked is a tick that runs when a callback has blocked the loop until d behind
// its time: no poll comes between what the client does meanwhile and the tick.
func blocked(d time.Duration, during func(s *stage)) step {
	return func(s *stage) {
		s.loop.Post(func() {
			during(s)
			s.loop.Block(interval + d)
		})
		s.loop.Turn()
	}
}

// late is a tick that runs d behind its time and is answered then.
func late(d time.Duration) step {
	return func(s *stage) {
		blocked(d, nothing)(s)
		s.answer()
	}
}

func nothing(*stage) {}

// wake is a tick after a sleep: more than 1.5 intervals after the last one.
var wake = late(interval/2 + time.Second)

// poll lets the loop poll until it rests.
func poll(s *stage) { s.loop.Settle() }

func send(n int) step {
	return func(s *stage) {
		s.server.Give(1, make([]byte, n))
		s.loop.Settle()
	}
}

func read(n int) step {
	return func(s *stage) {
		s.p.Read(n)
		s.loop.Settle()
	}
}

// takeNothing is a kernel that takes no byte any more.
func takeNothing(s *stage) { s.p.SetWindow(0) }

func repeat(n int, steps ...step) step {
	return func(s *stage) {
		for range n {
			for _, f := range steps {
				f(s)
			}
		}
	}
}

const (
	backlog = 4 * window
	// third is what a client must read before the kernel reports room again.
	third = window / 3

	noReply   = "closed 1 1006 Connection timeout"
	noReading = "closed 1 1006 Write queue stalled"
)

// Every pattern of ticks: the client is alive before the last step, and after it
// either still alive or dropped with an event and a line at info level.
func TestKeepalive_TickPatterns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		steps       []step
		event, line string
	}{
		// The pong rule.
		"pong: a client that answers stays": {steps: []step{ticks(20)}},
		"pong: two ticks in a row must miss it": {[]step{silent(2), silent(1)},
			noReply, "no reply for 90s"},
		"pong: the window starts with the last one": {[]step{ticks(4), silent(2), silent(1)},
			noReply, "no reply for 90s"},
		"pong: one after the first missed tick saves":       {steps: []step{silent(2), (*stage).answer, silent(2)}},
		"pong: a tick that finds one clears the count":      {[]step{silent(2), (*stage).answer, silent(2), silent(1)}, noReply, "no reply for 90s"},
		"pong: read only after a late tick, it still saves": {steps: []step{ticks(1), silent(1), blocked(14*time.Second, (*stage).sendPong), poll, ticks(1)}},
		"pong: any frame but a pong is none":                {[]step{repeat(2, silent(1), sendText), silent(1)}, noReply, "no reply for 90s"},

		// Waking from sleep.
		"wake: counts as a pong and clears the count": {steps: []step{silent(2), wakeSilent, silent(2)}},
		"wake: two later ticks must miss the pong":    {[]step{silent(2), wakeSilent, silent(2), silent(1)}, noReply, "no reply for 90s"},
		"wake: again and again, no pong is expected":  {steps: []step{repeat(8, wakeSilent)}},
		"wake: each counts as a pong, fresh or not":   {[]step{repeat(3, wakeSilent), silent(2), silent(1)}, noReply, "no reply for 90s"},
		"wake: 1.5 intervals are none":                {[]step{silent(1), blocked(interval/2, nothing), silent(1)}, noReply, "no reply for 105s"},

		// The stall rule.
		"stall: two ticks in a row without progress": {[]step{send(backlog), ticks(2), ticks(1)},
			noReading, "not reading for 60s, 768 KB queued"},
		"stall: an empty queue is progress": {steps: []step{send(window / 2), ticks(10)}},
		"stall: an empty queue is progress whatever was written": {[]step{takeNothing, ticks(2), ticks(1)},
			noReading, "not reading for 60s, 0 KB queued"},
		"stall: the first window starts when the client is connected": {[]step{takeNothing, send(2000), ticks(1), ticks(1)},
			noReading, "not reading for 60s, 1 KB queued"},
		"stall: progress clears the count":      {steps: []step{send(backlog), ticks(2), read(window), ticks(2)}},
		"stall: and it starts again after that": {[]step{send(backlog), ticks(2), read(window), ticks(2), ticks(1)}, noReading, "not reading for 60s, 512 KB queued"},
		"stall: the size of the queue is no reason": {steps: []step{send(64 << 20),
			repeat(60, ticks(1), read(third+1))}},
		"stall: a reader just above the window stays": {steps: []step{send(16 << 20),
			repeat(60, ticks(1), read(third/2+1))}},
		"stall: a reader just below the window is dropped": {[]step{send(backlog), ticks(1), read(third / 2), ticks(1), read(third/2 - 2), ticks(1)},
			noReading, "not reading for 60s, 768 KB queued"},
		"stall: late ticks count": {[]step{send(backlog), ticks(1), late(10 * time.Second), late(14 * time.Second)},
			noReading, "not reading for 84s, 768 KB queued"},

		// The confirmation.
		"confirm: progress before the poll, late tick":    {steps: []step{send(backlog), ticks(2), blocked(time.Second, readAll), poll, ticks(1)}},
		"confirm: progress before the poll, tick on time": {steps: []step{send(backlog), ticks(2), blocked(0, readAll), poll, ticks(1)}},
		"confirm: it clears the count":                    {[]step{send(backlog), ticks(2), blocked(0, readAll), poll, (*stage).answer, ticks(1), ticks(1)}, noReading, "not reading for 60s, 512 KB queued"},
		"confirm: progress inside the poll is not seen": {[]step{send(backlog), ticks(2), blocked(0, nothing), inPoll(readAll, time.Second)},
			noReading, "not reading for 61s, 768 KB queued"},
		"confirm: not in the same turn": {[]step{send(backlog), ticks(2), blocked(0, nothing), poll},
			noReading, "not reading for 60s, 768 KB queued"},

		// Fresh stall windows.
		"fresh: a wake tick with a clear count delays by one tick": {[]step{send(backlog), ticks(1), wake, ticks(1), ticks(1)},
			noReading, "not reading for 60s, 768 KB queued"},
		"fresh: in place of the confirming tick, by two": {[]step{send(backlog), ticks(2), wake, ticks(1), ticks(1)},
			noReading, "not reading for 60s, 768 KB queued"},
		"fresh: the next two ticks count, wake or not": {[]step{send(backlog), ticks(1), wake, wake, wake},
			noReading, "not reading for 92s, 768 KB queued"},
		"fresh: the third wake tick starts a new one": {steps: []step{send(backlog), ticks(1), wake, read(window), wake, wake, wake, wake}},
		"fresh: which is judged like the first":       {[]step{send(backlog), ticks(1), wake, read(window), wake, wake, wake, wake, wake}, noReading, "not reading for 92s, 512 KB queued"},

		// Both rules on one tick.
		"both: without a pong the keepalive drops": {[]step{send(backlog), silent(2), silent(1)}, noReply, "no reply for 90s"},
		"both: no confirmation while the pong is overdue": {steps: []step{
			send(backlog), ticks(1), silent(2)}},
		"both: a tick that misses the pong is a sample too": {[]step{
			send(backlog), ticks(1), read(window), silent(2), (*stage).answer, ticks(1)},
			noReading, "not reading for 60s, 512 KB queued"},
		"both: a late pong does not save a stalled client": {[]step{send(backlog), ticks(1), silent(2), (*stage).answer, ticks(1)},
			noReading, "not reading for 90s, 768 KB queued"},

		// While reading is paused, pongs cannot be seen.
		"paused: the pong rule is suspended": {steps: []step{send(16 << 20), repeat(20, silent(1), read(third+1))}},
		"paused: the stall rule is not":      {[]step{send(16 << 20), silent(2), silent(1)}, noReading, "not reading for 60s, 16128 KB queued"},
		"paused: resuming counts as a pong":  {steps: []step{send(16 << 20), repeat(20, silent(1), read(third+1)), read(16 << 20), repeat(64, read(window)), silent(2)}},
		"paused: and then it must answer":    {[]step{send(16 << 20), repeat(20, silent(1), read(third+1)), read(16 << 20), repeat(64, read(window)), silent(2), silent(1)}, noReply, "no reply for 90s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			last := len(c.steps) - 1
			for _, f := range c.steps[:last] {
				f(s)
			}
			s.dropped(t, "before the last step", "", "")
			c.steps[last](s)
			s.dropped(t, "after the last step", c.event, c.line)
		})
	}
}

func (s *stage) sendPong() { s.p.Send(frame(0x8A, "ping")) }

func sendText(s *stage) {
	s.p.Send(text("x"))
	s.loop.Settle()
	s.events = nil
}

func readAll(s *stage) { s.p.Read(window) }

func wakeSilent(s *stage) {
	blocked(interval/2+time.Second, nothing)(s)
	s.loop.Settle()
}

// inPoll is the next poll, inside which the loop is blocked for d.
func inPoll(during step, d time.Duration) step {
	return func(s *stage) {
		s.loop.InPoll(func() {
			s.loop.Block(d)
			during(s)
		})
		s.loop.Settle()
	}
}

// dropped checks whether the client was dropped, and how.
func (s *stage) dropped(t *testing.T, when, event, line string) {
	t.Helper()
	if got := strings.Join(s.events, "; "); got != event {
		t.Errorf("%s the handler was told %q, want %q", when, got, event)
	}
	if line != "" {
		line = "Closed client_1: " + line
	}
	if got := strings.Join(s.lines(slog.LevelInfo), "; "); got != line {
		t.Errorf("%s the info log is %q, want %q", when, got, line)
	}
	if event != "" {
		s.loop.Advance(session.DropGrace)
	}
	if s.p.Closed() != (event != "") {
		t.Errorf("%s the socket's closed is %v", when, s.p.Closed())
	}
}

// Whatever the pattern of late ticks, a stalled client is dropped at the second tick
// after the last progress or after the fresh window that a wake tick started before.
func TestStall_IsDroppedAtTheSecondTickOfAWindowWhateverThePattern(t *testing.T) {
	t.Parallel()
	const n = 6
	for pattern := range 1 << n {
		s := newStage(t)
		repeat(1, send(backlog), ticks(1))(s)
		want := 2
		for i := range n {
			if isWake := pattern>>i&1 == 1; isWake {
				if i < 2 && want == 2 {
					want = i + 3
				}
				wake(s)
			} else {
				ticks(1)(s)
			}
			if gone := len(s.events) > 0; gone != (i+1 >= want) {
				t.Fatalf("pattern %06b, tick %d: dropped %v, want it at tick %d", pattern, i+1, gone, want)
			} else if gone {
				break
			}
		}
	}
}

func TestKeepalive_PingsEveryConnectedClientOnEachTick(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.upgrading()
	a, b := w.connected(), w.connected()
	w.loop.Advance(2 * interval)
	wantFrames(t, a, "ping ping", "ping ping")
	wantFrames(t, b, "ping ping", "ping ping")
}

func TestKeepalive_DefaultIntervalIs30s(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *session.Config) { c.PingInterval = 0 })
	p := w.connected()
	w.loop.Advance(30*time.Second - 1)
	wantFrames(t, p)
	w.loop.Advance(1)
	wantFrames(t, p, "ping ping")
}

func TestKeepalive_DroppedClientThatReadsGetsItsCloseFrame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.loop.Advance(3 * interval)
	wantFrames(t, p, "ping ping", "ping ping", "close 1011 Keepalive timeout")
	if !p.Closed() {
		t.Error("the socket is open")
	}
}

func TestStall_ClientThatReadsAgainAfterTheDropGetsNoFrameButItsSocketIsClosed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	written := -1
	s.server.Broadcast(make([]byte, backlog), func(n int) { written = n })
	s.loop.Settle()
	ticks(3)(s)
	s.dropped(t, "at the third tick", noReading, "not reading for 60s, 768 KB queued")
	if written != 0 || s.p.Queued() != 0 {
		t.Errorf("written got %d, %d bytes are still queued", written, s.p.Queued())
	}
}

func TestStall_CloseFrameNamesTheReason(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	send(backlog)(s)
	ticks(2)(s)
	blocked(0, nothing)(s)
	s.loop.Turn()
	if frame := "\x88\x0D\x03\xF3Not reading"; !strings.HasSuffix(string(s.p.Unsent()), frame) {
		t.Error("no Close frame is queued")
	}
	s.loop.Advance(session.DropGrace)
	if !s.p.Closed() {
		t.Error("the socket is still open")
	}
}

func TestConfirmation_SkipsAClientThatLeavesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leave func(*peer)
		event string
	}{
		"EOF":       {(*peer).CloseWrite, "closed 1 1006 EOF"},
		"reset":     {(*peer).Reset, "closed 1 1006 Client read error: connection reset by peer"},
		"Close":     {func(p *peer) { p.Send(closeFrame(1000, "")) }, "closed 1 1000 "},
		"violation": {func(p *peer) { p.Send(frame(0x83, "")) }, "closed 1 1006 Client error: Reserved opcode 0x3"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			send(backlog)(s)
			ticks(2)(s)
			blocked(0, nothing)(s)
			c.leave(s.p)
			s.loop.Settle()
			s.want(c.event)
			s.wantLines(slog.LevelInfo)
		})
	}
}

func TestConfirmation_IsCancelledByStop(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	send(backlog)(s)
	ticks(2)(s)
	blocked(0, nothing)(s)
	s.server.Stop(nil)
	s.loop.Settle()
	s.want("closed 1 1001 Server shutting down")
	s.wantLines(slog.LevelInfo)
}

func TestStop_EndsTheTicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	w.server.Stop(nil)
	w.loop.Settle()
	if at, ok := w.loop.NextTimer(); ok {
		t.Errorf("a timer is left for %v", at)
	}
	w.loop.Advance(time.Hour)
	wantFrames(t, p, "close 1001 Server shutting down")
}

// The rules judge each client alone.
func TestKeepalive_OneClientsFateIsNotAnothers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answers, mute, stalled := w.connected(), w.connected(), w.slow()
	w.server.Give(3, make([]byte, backlog))
	leaves := w.connected()
	leaves.FailWrites(errors.New("broken pipe"))
	for range 5 {
		w.loop.Advance(interval)
		for _, p := range []*fake.Peer{answers, stalled} {
			p.Send(frame(0x8A, ""))
		}
		w.loop.Settle()
	}
	w.want("closed 4 1006 Client read error: broken pipe", "closed 2 1006 Connection timeout", "closed 3 1006 Write queue stalled")
	if answers.Closed() || !mute.Closed() || !stalled.Closed() {
		t.Error("the wrong ones were dropped")
	}
	w.wantLines(slog.LevelInfo, "Closed client_2: no reply for 90s", fmt.Sprintf("Closed client_3: not reading for 60s, %d KB queued", (backlog-window)>>10))
}
