// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestNetConn_ListenerHasTheOptionsThatMatter(t *testing.T) {
	t.Parallel()
	loop, _ := start(t, NewNetConn)
	l := loop.(*netLoop)
	port := listen(t, l, newEchoer)
	on(t, l, func() {
		for ln := range l.listeners {
			raw, err := ln.ln.SyscallConn()
			if err != nil {
				t.Error(err)
				return
			}
			_ = raw.Control(func(fd uintptr) {
				info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
				if err != nil || info.Sacked != Backlog {
					t.Errorf("the backlog is %d (%v)", info.Sacked, err)
				}
				if shared, _ := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT); shared != 0 {
					t.Error("the port can be shared")
				}
			})
			if got := ln.ln.Addr().String(); !strings.HasPrefix(got, "127.0.0.1:") || ln.Port() != port {
				t.Errorf("listening on %s", got)
			}
		}
	})
}

func TestShedder_MakesARowOfFailuresOneLine(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := shedder{log: slog.New(slog.NewTextHandler(&log, nil))}
	for range 5 {
		s.complain(errors.New("no luck"))
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("%d lines", n)
	}
	var e episode
	now := epoch
	for _, tt := range []struct {
		after time.Duration
		first bool
	}{{0, true}, {episodeGap, false}, {episodeGap, false}, {episodeGap + 1, true}} {
		if now = now.Add(tt.after); e.begins(now) != tt.first {
			t.Errorf("after %v: first is %v", tt.after, !tt.first)
		}
	}
}

func TestNetConn_FailingAcceptRestsUntilTheListenerCloses(t *testing.T) {
	t.Parallel()
	ln := &netListener{quit: make(chan struct{})}
	begin := time.Now()
	if !ln.rest(nil) || time.Since(begin) < acceptPause {
		t.Error("did not rest")
	}
	close(ln.quit)
	if ln.rest(nil) {
		t.Error("rests although the listener is closed")
	}
}
