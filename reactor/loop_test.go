// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestPanic_IsLoggedOnceWithoutItsContent(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, log := start(t, newLoop)
		var index = 7
		on(t, l, func() {
			l.Defer(func() { panic("a secret message") })
			l.Defer(func() { _ = []int{}[index] })
		})
		on(t, l, func() {})
		text := log.String()
		if strings.Count(text, "level=ERROR") != 2 || strings.Count(text, "callback=\"deferred closure\"") != 2 {
			t.Errorf("log:\n%s", text)
		}
		if strings.Contains(text, "secret") || !strings.Contains(text, "panic=string") {
			t.Error("the panic's value is in the log, or its type is not")
		}
		if !strings.Contains(text, "index out of range [7]") || !strings.Contains(text, "loop_test.go") {
			t.Error("the runtime's error or the place is missing")
		}
	})
}

func TestPeers_ThatLeaveAreNotLogged(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, log := start(t, newLoop)
		var open atomic.Int64
		port := listen(t, l, func(c Conn) Events {
			open.Add(1)
			return &counter{&echoer{c}, &open}
		})
		for range 10 {
			c := dial(t, port)
			_, _ = c.Write(make([]byte, 100_000))
			_ = c.SetLinger(0)
			_ = c.Close()
		}
		eventually(t, l, "all resets", func() bool { return open.Load() == 0 })
		if text := log.String(); text != "" {
			t.Errorf("log:\n%s", text)
		}
	})
}

// counter counts the open connections down.
type counter struct {
	Events
	open *atomic.Int64
}

func (c *counter) EOF()             { c.Events.EOF(); c.open.Add(-1) }
func (c *counter) Closed(err error) { c.open.Add(-1) }

// TestClose_FromATimerWithManyWritesQueued: no log storm, and each write ends.
func TestClose_FromATimerWithManyWritesQueued(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, log := start(t, newLoop)
		const writes = 1000
		ended := 0
		port := listen(t, l, func(c Conn) Events {
			for range writes {
				c.Write([][]byte{make([]byte, 32<<10)}, func(error) { ended++ })
			}
			l.AfterFunc(time.Millisecond, c.Close)
			return mute{}
		})
		dial(t, port)
		eventually(t, l, "all dones", func() bool { return ended == writes })
		if text := log.String(); text != "" {
			t.Errorf("log:\n%s", text)
		}
	})
}

func TestStop_BeforeRunRunsWhatWasPosted(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, err := newLoop(Options{})
		if err != nil {
			t.Fatal(err)
		}
		ran := false
		l.Post(func() { ran = true })
		if _, err := l.Listen(PortRange{}, newEchoer); err != nil {
			t.Error(err)
		}
		l.Stop()
		l.Stop()
		if err := l.Run(); err != nil || !ran {
			t.Errorf("Run returned %v, the closure ran: %v", err, ran)
		}
		if _, err := l.Listen(PortRange{}, newEchoer); !errors.Is(err, ErrClosed) {
			t.Errorf("Listen after the end: %v", err)
		}
		if _, err := l.WatchExit(os.Getpid(), func() {}); !errors.Is(err, ErrClosed) {
			t.Errorf("WatchExit after the end: %v", err)
		}
	})
}

func TestStop_RunsWhatWasPostedBeforeItInManyTurns(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, err := newLoop(Options{})
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		count := func() { ran++ }
		l.Post(func() {
			l.Post(count)
			l.Stop()
		})
		for range 3 * maxPosted {
			l.Post(count)
		}
		if err := l.Run(); err != nil || ran != 3*maxPosted+1 {
			t.Errorf("Run returned %v, %d closures ran", err, ran)
		}
	})
}

// TestStop_WhileManyGoroutinesPostLosesNone: every closure either runs or was refused.
func TestStop_WhileManyGoroutinesPostLosesNone(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, err := newLoop(Options{})
		if err != nil {
			t.Fatal(err)
		}
		var accepted, ran atomic.Int64
		posting := make(chan struct{})
		for range 4 {
			go func() {
				for l.Post(func() { ran.Add(1) }) {
					if accepted.Add(1) == 10_000 {
						l.Stop()
					}
				}
				posting <- struct{}{}
			}()
		}
		if err := l.Run(); err != nil {
			t.Error(err)
		}
		for range 4 {
			<-posting
		}
		if ran.Load() != accepted.Load() {
			t.Errorf("%d accepted, %d ran", accepted.Load(), ran.Load())
		}
	})
}

func TestStop_DoesNotWaitForCallbacksThatCauseEachOther(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, _ := start(t, newLoop)
		port := listen(t, l, func(c Conn) Events {
			var again func(error)
			again = func(error) { c.Write(nil, again) }
			l.AfterFunc(time.Millisecond, func() {
				l.Stop()
				c.Close()
				c.Write(nil, again)
			})
			return mute{}
		})
		if n, err := dial(t, port).Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
			t.Errorf("read %d, %v", n, err)
		}
	})
}

// TestAfterFunc_OfThePastFiresWithoutAnotherWake: such a timer belongs to the tick
// that the loop has just handled.
func TestAfterFunc_OfThePastFiresWithoutAnotherWake(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, _ := start(t, newLoop)
		left, over := 200, make(chan struct{})
		var again func()
		again = func() {
			if left--; left == 0 {
				close(over)
				return
			}
			l.AfterFunc(-time.Second, again)
		}
		on(t, l, again)
		select {
		case <-over:
		case <-time.After(patience):
			t.Error("the timer did not fire")
		}
	})
}

// A poll does not wait for an event while something is left for the turn behind it.
func TestTurn_FollowsAtOnceWhileSomethingIsLeftToDo(t *testing.T) {
	for name, leave := range map[string]func(l Loop, done func()){
		"after the next poll": func(l Loop, done func()) { l.AfterNextPoll(done) },
		"deferred twice":      func(l Loop, done func()) { l.Defer(func() { l.Defer(done) }) },
		"posted, too many for a turn": func(l Loop, done func()) {
			for range 3 * maxPosted {
				l.Post(func() {})
			}
			l.Post(done)
		},
		"posted while too many for a turn run": func(l Loop, done func()) {
			l.Post(func() { l.Post(done) })
			for range maxPosted {
				l.Post(func() {})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
				l, _ := start(t, newLoop)
				done := make(chan struct{})
				on(t, l, func() { leave(l, func() { close(done) }) })
				select {
				case <-done:
				case <-time.After(patience):
					t.Error("the poll waits")
				}
			})
		})
	}
}

func TestWatchExit_RefusesAProcessThatIsNotThere(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, _ := start(t, newLoop)
		gone, kill := child(t)
		kill()
		on(t, l, func() {
			for _, pid := range []int{gone, 0, -1} {
				if _, err := l.WatchExit(pid, func() {}); err == nil {
					t.Errorf("watching process %d", pid)
				}
			}
		})
	})
}

func TestAccept_WithoutAReceiverClosesTheConnection(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, _ := start(t, newLoop)
		var refused Conn
		c := dial(t, listen(t, l, func(c Conn) Events {
			refused = c
			return nil
		}))
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil || os.IsTimeout(err) {
			t.Errorf("read %d, %v", n, err)
		}
		on(t, l, func() { refused.Write([][]byte{[]byte("x")}, nil) })
	})
}

// TestSlowReaders_LeaveOthersAlone: many peers that never read, each with a full
// queue, cost the healthy one nothing.
func TestSlowReaders_LeaveOthersAlone(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, _ := start(t, newLoop)
		big := make([]byte, 8<<20)
		first := []byte("greedy")
		port := listen(t, l, func(c Conn) Events { return &greedy{echoer{c}, first, big} })
		for range 20 {
			_, _ = dial(t, port).Write(first)
		}
		healthy := dial(t, port)
		for range 200 {
			if !echoes(healthy) {
				t.Fatal("no echo")
			}
		}
	})
}

// greedy answers one word with a lot.
type greedy struct {
	echoer
	word, reply []byte
}

func (g *greedy) Data(p []byte) {
	if bytes.Equal(p, g.word) {
		g.c.Write([][]byte{g.reply}, nil)
		return
	}
	g.echoer.Data(p)
}

// TestStop_EndsWhateverItsCallbacksDefer: what one defers at the end runs, and so does what
// that defers, so often.
func TestStop_EndsWhateverItsCallbacksDefer(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, err := newLoop(Options{})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { ended <- l.Run() }()
		ran, open := 0, false
		var again func()
		again = func() {
			ran++
			l.Defer(again)
		}
		dial(t, listen(t, l, func(Conn) Events {
			open = true
			return ender(again)
		}))
		eventually(t, l, "the connection", func() bool { return open })
		l.Stop()
		if err := <-ended; err != nil || ran != 1+maxLastRounds {
			t.Errorf("%v, %d callbacks ran", err, ran)
		}
	})
}

// ender is an Events that is called when its connection is closed.
type ender func()

func (e ender) Data([]byte)  {}
func (e ender) EOF()         {}
func (e ender) Closed(error) { e() }
