// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package reactor

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// waitProcess waits in a kqueue of its own for NOTE_EXIT, and for a pipe that
// cancel closes.
func waitProcess(pid int) (processWait, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return processWait{}, os.NewSyscallError("kqueue", err)
	}
	unix.CloseOnExec(queue)
	r, w, err := os.Pipe()
	if err != nil {
		_ = unix.Close(queue)
		return processWait{}, err
	}
	changes := make([]unix.Kevent_t, 2)
	unix.SetKevent(&changes[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	changes[0].Fflags = unix.NOTE_EXIT
	unix.SetKevent(&changes[1], int(r.Fd()), unix.EVFILT_READ, unix.EV_ADD)
	if _, err := unix.Kevent(queue, changes, nil, nil); err != nil {
		_, _, _ = unix.Close(queue), r.Close(), w.Close()
		return processWait{}, os.NewSyscallError("kevent", err)
	}
	wait := func() bool {
		defer func() { _, _ = unix.Close(queue), r.Close() }()
		event := make([]unix.Kevent_t, 1)
		for {
			n, err := unix.Kevent(queue, nil, event, nil)
			if err == unix.EINTR {
				continue
			}
			return n == 1 && event[0].Filter == unix.EVFILT_PROC
		}
	}
	return processWait{wait: wait, cancel: sync.OnceFunc(func() { _ = w.Close() })}, nil
}
