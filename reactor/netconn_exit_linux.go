// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"os"

	"golang.org/x/sys/unix"
)

// waitProcess waits with a pidfd in the runtime's poller: no thread is held.
func waitProcess(pid int) (processWait, error) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return processWait{}, os.NewSyscallError("pidfd_open", err)
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	raw, err := file.SyscallConn()
	if err != nil {
		_ = file.Close()
		return processWait{}, err
	}
	return processWait{
		wait:   func() bool { return raw.Read(ended) == nil },
		cancel: func() { _ = file.Close() },
	}, nil
}

// ended reports whether the pidfd is readable.
func ended(fd uintptr) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, _ := unix.Poll(fds, 0)
	return n > 0
}
