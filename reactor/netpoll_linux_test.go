// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"io"
	"testing"

	"golang.org/x/sys/unix"
)

var _ = func() bool {
	implementations["netpoll"] = NewNetpoll
	return true
}()

// startPoll runs a pollLoop.
func startPoll(t testing.TB) *pollLoop {
	t.Helper()
	l, _ := start(t, NewNetpoll)
	return l.(*pollLoop)
}

func TestNetpoll_EveryDescriptorIsCloseOnExecAndNonBlocking(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	port := listen(t, l, newEchoer)
	echoes(dial(t, port))
	on(t, l, func() {
		if _, err := l.WatchExit(unix.Getpid(), func() {}); err != nil {
			t.Error(err)
		}
		check := func(fd int, nonBlocking bool) {
			t.Helper()
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
			if err != nil || flags&unix.FD_CLOEXEC == 0 {
				t.Errorf("descriptor %d is not close-on-exec: %v", fd, err)
			}
			status, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			if nonBlocking && (err != nil || status&unix.O_NONBLOCK == 0) {
				t.Errorf("descriptor %d is blocking: %v", fd, err)
			}
		}
		check(l.wakeFD, true)
		check(l.timerFD, true)
		check(l.spareFD, false)
		sockets := 0
		for fd := range l.sources {
			_, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
			check(fd, err == nil)
			if err == nil {
				sockets++
			}
		}
		if len(l.sources) != 3 || sockets != 2 {
			t.Errorf("%d descriptors, %d sockets", len(l.sources), sockets)
		}
	})
}

func TestNetpoll_SocketsHaveTheOptionsThatMatter(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	port := listen(t, l, newEchoer)
	echoes(dial(t, port))
	on(t, l, func() {
		option := func(fd, level, name, want int) {
			t.Helper()
			got, err := unix.GetsockoptInt(fd, level, name)
			if err != nil || (got != 0) != (want != 0) {
				t.Errorf("option %d is %d, want %d (%v)", name, got, want, err)
			}
		}
		for fd := range l.sources {
			info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
			if err != nil {
				t.Error(err)
				continue
			}
			if info.State != unix.BPF_TCP_LISTEN {
				option(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
				continue
			}
			option(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
			option(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 0)
			if info.Sacked != Backlog {
				t.Errorf("the backlog is %d", info.Sacked)
			}
			name, _ := unix.Getsockname(fd)
			if addr := name.(*unix.SockaddrInet4); addr.Addr != [4]byte{127, 0, 0, 1} || addr.Port != port {
				t.Errorf("listening on %v", addr)
			}
		}
	})
}

// TestNetpoll_ShowsTheProgressOfALongWrite: what the kernel has room for is taken in parts,
// between which others get their turn.
func TestNetpoll_ShowsTheProgressOfALongWrite(t *testing.T) {
	t.Parallel()
	const size = 16 << 20
	l, _ := start(t, NewNetpoll)
	var most uint64
	port := listen(t, l, func(c Conn) Events {
		c.Write([][]byte{make([]byte, size)}, nil)
		var look func(last uint64)
		look = func(last uint64) {
			now := c.Written()
			most = max(most, now-last)
			if now < size {
				l.Post(func() { look(now) })
			}
		}
		l.Post(func() { look(0) })
		return mute{}
	})
	if n, err := io.Copy(io.Discard, io.LimitReader(dial(t, port), size)); n != size || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	on(t, l, func() {
		if most > 2<<20 { // a part at the end of a turn, and one in the next poll
			t.Errorf("%d bytes were taken at once", most)
		}
	})
}
