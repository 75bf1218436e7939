// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// quietFor is how long a loop with nothing to do is watched.
const quietFor = 60 * time.Millisecond

// startCounted runs a pollLoop and counts its polls.
func startCounted(t *testing.T) (*pollLoop, *atomic.Int64, *syncBuffer) {
	t.Helper()
	log := &syncBuffer{}
	loop, err := NewNetpoll(Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	l, polls, ended := loop.(*pollLoop), &atomic.Int64{}, make(chan struct{})
	go func() {
		defer close(ended)
		for l.step() == nil && !l.stopped() {
			polls.Add(1)
		}
		l.shutdown(func() {}, l.release)
	}()
	t.Cleanup(func() {
		l.Stop()
		<-ended
	})
	return l, polls, log
}

// quiet waits for a while in which the loop is not woken more than once. On a busy
// machine it may take a few tries; a loop that spins has none.
func quiet(t *testing.T, polls *atomic.Int64) {
	t.Helper()
	n := int64(0)
	for range 20 {
		before := polls.Load()
		<-time.After(quietFor)
		if n = polls.Load() - before; n <= 1 {
			return
		}
	}
	t.Errorf("%d polls in %v", n, quietFor)
}

// TestNetpoll_IdleLoopIsNotWoken allows the one wake that a timer may have sent
// just before it was stopped.
func TestNetpoll_IdleLoopIsNotWoken(t *testing.T) {
	t.Parallel()
	l, polls, _ := startCounted(t)
	port := listen(t, l, newEchoer)
	echoes(dial(t, port))
	fired := false
	on(t, l, func() {
		timer := l.AfterFunc(quietFor/2, func() { t.Error("a stopped timer fired") })
		l.AfterFunc(0, func() {
			fired = true
			timer.Stop()
		})
	})
	eventually(t, l, "the first timer", func() bool { return fired })
	on(t, l, func() {
		if !l.armed.IsZero() {
			t.Error("the timer is armed for an empty wheel")
		}
	})
	quiet(t, polls)
}

func TestNetpoll_OneTimerWakesOnce(t *testing.T) {
	t.Parallel()
	l, polls, _ := startCounted(t)
	var fired atomic.Int64
	on(t, l, func() {
		for range 100 {
			l.AfterFunc(quietFor/2, func() { fired.Add(1) })
		}
	})
	before := polls.Load()
	for start := time.Now(); fired.Load() < 100 && time.Since(start) < patience; {
		<-time.After(time.Millisecond)
	}
	if n := polls.Load() - before; n > 10 || fired.Load() != 100 {
		t.Errorf("%d of 100 timers fired, the loop was woken %d times", fired.Load(), n)
	}
}

// accepting gives the connections accepted with the mute receiver.
func accepting(t *testing.T, l Loop) (port int, next func() Conn) {
	t.Helper()
	conns := make(chan Conn, 16)
	port = listen(t, l, func(c Conn) Events {
		conns <- c
		return mute{}
	})
	return port, func() Conn { return <-conns }
}

func TestNetpoll_NothingAPeerDoesMakesTheLoopSpin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, l Loop, c Conn, peer int)
	}{
		{"half-closed", func(t *testing.T, _ Loop, _ Conn, peer int) {
			_ = unix.Shutdown(peer, unix.SHUT_WR)
		}},
		{"hung up while paused", func(t *testing.T, l Loop, c Conn, peer int) {
			on(t, l, c.PauseRead)
			_, _ = unix.Write(peer, []byte("unread"))
			_ = unix.Shutdown(peer, unix.SHUT_RDWR)
		}},
		{"hung up with a queue, while paused", func(t *testing.T, l Loop, c Conn, peer int) {
			on(t, l, func() {
				c.PauseRead()
				c.Write([][]byte{make([]byte, 16<<20)}, nil)
			})
			_ = unix.Shutdown(peer, unix.SHUT_WR)
		}},
		{"not reading", func(t *testing.T, l Loop, c Conn, _ int) {
			on(t, l, func() { c.Write([][]byte{make([]byte, 16<<20)}, nil) })
			eventually(t, l, "the buffers to fill", func() bool { return c.(*pollConn).blocked })
		}},
		{"urgent data", func(t *testing.T, _ Loop, _ Conn, peer int) {
			_ = unix.Send(peer, []byte("!"), unix.MSG_OOB)
		}},
		{"urgent data while paused", func(t *testing.T, l Loop, c Conn, peer int) {
			on(t, l, c.PauseRead)
			_ = unix.Send(peer, []byte("!"), unix.MSG_OOB)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, polls, _ := startCounted(t)
			port, next := accepting(t, l)
			file, err := dial(t, port).File()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = file.Close() }()
			tt.do(t, l, next(), int(file.Fd()))
			quiet(t, polls)
		})
	}
}

func TestNetpoll_FailingAcceptRestsTriesAgainAndLogsOnce(t *testing.T) {
	t.Parallel()
	l, polls, log := startCounted(t)
	var ln *pollListener
	on(t, l, func() {
		any, err := l.Listen(PortRange{}, newEchoer)
		if err != nil {
			t.Error(err)
			return
		}
		ln = any.(*pollListener)
		// Linux reports a hang-up then, and accept fails with EINVAL.
		_ = unix.Shutdown(ln.src.fd, unix.SHUT_RD)
	})
	eventually(t, l, "the failure", func() bool { return strings.Contains(log.String(), "accept failed") })
	quiet(t, polls)
	<-time.After(acceptPause)
	if n := strings.Count(log.String(), "accept failed"); n != 1 {
		t.Errorf("%d log lines", n)
	}
	port := 0
	on(t, l, func() {
		_ = unix.Listen(ln.src.fd, Backlog)
		if name, err := unix.Getsockname(ln.src.fd); err == nil {
			port = name.(*unix.SockaddrInet4).Port
		}
	})
	if !echoes(dial(t, port)) {
		t.Error("the listener did not come back")
	}
}
