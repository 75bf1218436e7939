// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"os"

	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// WatchExit implements Loop. A pidfd becomes readable when its process ends.
func (l *pollLoop) WatchExit(pid int, f func()) (stop func(), err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch err {
	case nil:
	case unix.ENOSYS, unix.EPERM:
		return l.probeExit(pid, f)
	default:
		return nil, os.NewSyscallError("pidfd_open", err)
	}
	s := &source{fd: fd}
	stop = func() {
		if s.close != nil {
			s.close = nil
			l.forget(s)
		}
	}
	s.close = stop
	s.handle = func(netpoll.IOEvent) {
		stop()
		l.call("exit callback", f)
	}
	if err := l.watch(s); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return stop, nil
}
