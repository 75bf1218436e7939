// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The calls that a turn makes most, none of which waits, are made without a word to Go's
// scheduler: at one it is told of it wakes its monitor, to look for calls that do.

func sysRead(fd int, p []byte) (int, error) {
	return result(unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p))))
}

func sysWrite(fd int, p []byte) (int, error) {
	return result(unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p))))
}

// sysReady is epoll_wait that does not wait.
func sysReady(fd int, events []unix.EpollEvent) (int, error) {
	return result(unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0))
}

// sysSetTimer has a timerfd ring once, or never for the zero time.
func sysSetTimer(fd int, at *unix.ItimerSpec) error {
	_, err := result(unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(fd), 0, uintptr(unsafe.Pointer(at)), 0, 0, 0))
	return err
}

func result(n, _ uintptr, errno unix.Errno) (int, error) {
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}
