// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"os"
	"syscall"

	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// pollListener is a Listener of pollLoop.
type pollListener struct {
	loop   *pollLoop
	src    source
	port   int
	accept func(Conn) Events
	closed bool
	failed episode
	resume *Timer // ends a pause
}

// Listen implements Loop.
func (l *pollLoop) Listen(ports PortRange, accept func(Conn) Events) (Listener, error) {
	if l.closed {
		return nil, ErrClosed
	}
	ln := &pollListener{loop: l, accept: accept}
	err := bindFirst(ports, func(port int) (err error) {
		ln.src.fd, ln.port, err = listenLoopback(port)
		return err
	})
	if err != nil {
		return nil, err
	}
	ln.src.handle, ln.src.close = ln.handle, ln.Close
	if err := l.watch(&ln.src); err != nil {
		_ = unix.Close(ln.src.fd)
		return nil, err
	}
	return ln, nil
}

// listenLoopback binds and listens on one descriptor. Address reuse lets a
// restarted daemon have its port back while old connections linger; port reuse
// would let two daemons share one.
func listenLoopback(port int) (fd, bound int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, 0, os.NewSyscallError("socket", err)
	}
	if bound, err = bindLoopback(fd, port); err != nil {
		_ = unix.Close(fd)
	}
	return fd, bound, err
}

func bindLoopback(fd, port int) (bound int, err error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	// What is accepted inherits it.
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return 0, os.NewSyscallError("setsockopt", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(fd, Backlog); err != nil {
		return 0, os.NewSyscallError("listen", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, os.NewSyscallError("getsockname", err)
	}
	return name.(*unix.SockaddrInet4).Port, nil
}

// Port implements Listener.
func (ln *pollListener) Port() int { return ln.port }

// Close implements Listener.
func (ln *pollListener) Close() {
	if !ln.closed {
		ln.closed = true
		ln.resume.Stop()
		ln.loop.forget(&ln.src)
	}
}

func (ln *pollListener) handle(netpoll.IOEvent) {
	for range maxAccepts {
		if ln.closed {
			return
		}
		fd, err := ln.next()
		switch err {
		case nil:
			ln.welcome(fd)
		case unix.EAGAIN:
			return
		case unix.EMFILE, unix.ENFILE:
			if !ln.shed(err) {
				return
			}
		case unix.EINTR, unix.ECONNABORTED, unix.EPROTO, unix.EPERM:
			// The connection ended, or a firewall ended it, before it was accepted.
		default:
			if ln.failed.begins(ln.loop.Now()) {
				ln.loop.log.Error("accept failed", "error", err)
			}
			ln.pause()
			return
		}
	}
}

func (ln *pollListener) next() (int, error) {
	// The one of package unix also asks for the socket's protocol.
	fd, _, err := syscall.Accept4(ln.src.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	return fd, err
}

func (ln *pollListener) welcome(fd int) {
	c := ln.loop.newConn(fd)
	c.accepted(c, ln.accept)
}

// shed accepts the newcomer with the spare descriptor and closes it, so that it
// does not hang in the backlog and the listener does not stay ready for ever. It
// reports false if that was not possible now.
func (ln *pollListener) shed(cause error) bool {
	l := ln.loop
	if ln.failed.begins(l.Now()) {
		l.log.Warn("out of file descriptors, new connections are refused", "error", cause)
	}
	if l.spareFD >= 0 {
		_ = unix.Close(l.spareFD)
		fd, err := ln.next()
		if err == nil {
			_ = unix.Close(fd)
		}
		if l.openSpare() == nil && (err == nil || err == unix.EAGAIN) {
			return err == nil
		}
	} else if l.openSpare() == nil {
		return true
	}
	// Another thread took the descriptor.
	ln.pause()
	return false
}

// pause takes the listener out of the poller for a moment.
func (ln *pollListener) pause() {
	l := ln.loop
	_ = l.poller.Delete(ln.src.fd)
	ln.resume = l.AfterFunc(acceptPause, func() {
		if err := l.watch(&ln.src); err != nil {
			l.log.Error("listening again failed", "error", err)
			ln.pause()
		}
	})
}
