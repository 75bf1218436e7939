// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"testing"

	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// standing returns a loop that the test runs turn by turn, and a connection whose
// peer is a descriptor.
func standing(t testing.TB) (l *pollLoop, c *pollConn, peer int) {
	t.Helper()
	loop, err := NewNetpoll(Options{})
	if err != nil {
		t.Fatal(err)
	}
	l = loop.(*pollLoop)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	c = l.newConn(fds[0])
	c.accepted(c, func(Conn) Events { return mute{} })
	t.Cleanup(func() {
		l.shutdown(func() {}, l.release)
		_ = unix.Close(fds[1])
	})
	return l, c, fds[1]
}

// TestNetpoll_ClosedConnectionNeverTouchesItsSuccessor puts another socket where
// the connection's was.
func TestNetpoll_ClosedConnectionNeverTouchesItsSuccessor(t *testing.T) {
	l, c, _ := standing(t)
	fd := c.src.fd
	var o outcome
	c.Write([][]byte{[]byte("secret for the old one")}, o.done)
	c.Close()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil || fds[0] != fd {
		t.Fatalf("descriptors %v, want the first to be %d (%v)", fds, fd, err)
	}
	defer func() { _, _ = unix.Close(fds[0]), unix.Close(fds[1]) }()
	_, _ = unix.Write(fds[1], []byte("hello"))
	c.handle(netpoll.ReadEvents | netpoll.WriteEvents | netpoll.ErrEvents)
	c.Write([][]byte{[]byte("secret for the old one")}, o.done)
	c.PauseRead()
	c.ResumeRead()
	c.Close()
	l.turn(func() {}, l.recycle)
	b := make([]byte, 64)
	if n, _ := unix.Read(fds[0], b); string(b[:max(n, 0)]) != "hello" {
		t.Errorf("the successor could read %q", b[:max(n, 0)])
	}
	if n, err := unix.Read(fds[1], b); err != unix.EAGAIN {
		t.Errorf("the successor sent %q", b[:max(n, 0)])
	}
	if len(o) != 2 || o[0] != ErrClosed || o[1] != ErrClosed {
		t.Errorf("the writes ended with %v", o)
	}
}

// TestNetpoll_FullSocketIsWaitedFor: the kernel takes nothing at the first try.
func TestNetpoll_FullSocketIsWaitedFor(t *testing.T) {
	l, c, peer := standing(t)
	for err := error(nil); err == nil; {
		_, err = unix.Write(c.src.fd, make([]byte, 64<<10))
	}
	var o outcome
	c.Write([][]byte{[]byte("last")}, o.done)
	l.turn(func() {}, l.recycle)
	if !c.blocked || c.registered != toRead|toWrite || len(o) != 0 {
		t.Fatalf("blocked %v, interest %d, ended %v", c.blocked, c.registered, o)
	}
	for b := make([]byte, 1<<20); ; {
		if n, _ := unix.Read(peer, b); n <= 0 {
			break
		}
	}
	l.turn(func() { c.handle(netpoll.WriteEvents) }, l.recycle)
	if c.blocked || c.registered != toRead || len(o) != 1 || o[0] != nil {
		t.Errorf("blocked %v, interest %d, ended %v", c.blocked, c.registered, o)
	}
}

type outcome []error

func (o *outcome) done(err error) { *o = append(*o, err) }
