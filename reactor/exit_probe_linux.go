// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// exitProbe is how often a process is looked for on kernels without pidfd
// (Linux before 5.3, or a sandbox that forbids it).
const exitProbe = time.Second

// probeExit looks for the process from time to time.
func (l *core) probeExit(pid int, f func()) (stop func(), err error) {
	alive := func() bool { return unix.Kill(pid, 0) != unix.ESRCH }
	if pid <= 0 || !alive() {
		return nil, os.NewSyscallError("kill", unix.ESRCH)
	}
	var timer *Timer
	var look func()
	look = func() {
		if alive() {
			timer = l.AfterFunc(exitProbe, look)
		} else {
			f()
		}
	}
	timer = l.AfterFunc(exitProbe, look)
	return func() { timer.Stop() }, nil
}
