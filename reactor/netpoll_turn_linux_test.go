// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/panjf2000/gnet/v2/pkg/logging"
)

// TestNetpoll_TurnReadsABoundedAmount: the sum over all connections is bounded,
// and yet each ready one is read once.
func TestNetpoll_TurnReadsABoundedAmount(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	const conns = 60
	perTurn, seen := 0, 0
	port := listen(t, l, func(Conn) Events {
		return received(func(p []byte) {
			if perTurn == 0 {
				l.Defer(func() {
					if perTurn > maxTurnRead+conns*maxRead {
						t.Errorf("%d bytes in one turn", perTurn)
					}
					perTurn = 0
				})
			}
			perTurn += len(p)
			seen += len(p)
		})
	})
	chunk := make([]byte, 256<<10)
	fds := make([]io.Writer, conns)
	for i := range fds {
		fds[i] = dial(t, port)
	}
	eventually(t, l, "the accepts", func() bool { return len(l.conns) == conns })
	on(t, l, func() {
		for _, c := range fds {
			_, _ = c.Write(chunk)
		}
	})
	eventually(t, l, "all data", func() bool { return seen == conns*len(chunk) })
	on(t, l, func() {
		if n := len(l.slabs.all); n > (maxTurnRead+conns*maxRead)/slabSize*2 {
			t.Errorf("%d slabs", n)
		}
	})
}

func TestNetpoll_TurnAcceptsABoundedNumber(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	total, turn := 0, 0
	port := listen(t, l, func(Conn) Events {
		if turn == 0 {
			l.Defer(func() { turn = 0 })
		}
		if turn++; turn > maxAccepts {
			t.Errorf("%d accepts in one turn", turn)
		}
		total++
		return mute{}
	})
	const dials = maxAccepts + maxAccepts/2
	on(t, l, func() {
		for range dials {
			dial(t, port)
		}
	})
	eventually(t, l, "all accepts", func() bool { return total == dials })
}

// TestNetpoll_ConnectionClosedInTheSameTurnIsNotRead: both are ready in one poll.
func TestNetpoll_ConnectionClosedInTheSameTurnIsNotRead(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	var conns []Conn
	reads := 0
	port := listen(t, l, func(c Conn) Events {
		conns = append(conns, c)
		return received(func([]byte) {
			reads++
			for _, c := range conns {
				c.Close()
			}
		})
	})
	a, b := dial(t, port), dial(t, port)
	eventually(t, l, "the accepts", func() bool { return len(conns) == 2 })
	on(t, l, func() {
		_, _ = a.Write([]byte("x"))
		_, _ = b.Write([]byte("x"))
	})
	_, _ = io.ReadAll(a)
	_, _ = io.ReadAll(b)
	on(t, l, func() {
		if reads != 1 {
			t.Errorf("%d reads", reads)
		}
	})
}

// TestNetpoll_InterestFollowsTheState walks a connection through every change of
// the poller's mask, and checks it with a peer that sends and reads.
func TestNetpoll_InterestFollowsTheState(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	port, next := accepting(t, l)
	peer := dial(t, port)
	c := next().(*pollConn)
	is := func(want interest) {
		t.Helper()
		eventually(t, l, fmt.Sprint("interest ", want), func() bool { return c.registered == want })
	}
	is(toRead)
	on(t, l, c.PauseRead)
	is(0)
	on(t, l, func() { c.Write([][]byte{make([]byte, 16<<20)}, nil) })
	is(toWrite)
	on(t, l, c.ResumeRead)
	is(toRead | toWrite)
	on(t, l, c.PauseRead)
	is(toWrite)
	on(t, l, c.ResumeRead)
	is(toRead | toWrite)
	_, _ = io.CopyN(io.Discard, peer, 16<<20)
	is(toRead)
	on(t, l, c.PauseRead)
	is(0)
	on(t, l, func() {
		c.Write([][]byte{make([]byte, 16<<20)}, nil)
		c.ResumeRead()
	})
	is(toRead | toWrite)
	_ = peer.CloseWrite()
	is(toWrite)
	_, _ = io.CopyN(io.Discard, peer, 16<<20)
	is(0)
}

func TestNetpoll_ExitIsNoticedWithoutPidfdToo(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	pid, kill := child(t)
	gone, stoppedRan := false, false
	on(t, l, func() {
		_, err := l.probeExit(pid, func() { gone = true })
		stop, err2 := l.probeExit(pid, func() { stoppedRan = true })
		if err != nil || err2 != nil {
			t.Error(err, err2)
			return
		}
		stop()
	})
	kill()
	eventually(t, l, "the exit", func() bool { return gone })
	on(t, l, func() {
		if stoppedRan {
			t.Error("a stopped probe ran")
		}
		if _, err := l.probeExit(pid, func() {}); err == nil {
			t.Error("probing a process that is gone")
		}
	})
}

func TestNetpoll_GnetLogsThroughSlog(t *testing.T) {
	var log syncBuffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	logging.Errorf("error occurs in %s", "epoll")
	logging.Debugf("not shown")
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, `level=ERROR msg="poller: error occurs in epoll"`) {
		t.Errorf("log:\n%s", text)
	}
}
