// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// calmAfter is how long after the turn before a turn comes late, which begins the
	// calm; maxHurried is how many in a row that come sooner do not end it.
	calmAfter  = 10 * time.Millisecond
	maxHurried = 16
)

// parking is how a calm loop waits: parked, while Go's runtime polls its descriptor. A wait
// in a system call keeps a processor of the runtime, and its monitor, which each turn wakes,
// looks some sixty times in 10 ms before it takes that away and sleeps again. Parking costs
// two system calls more and a trip through the scheduler, so a loop in a hurry does not.
type parking struct {
	calm    bool
	hurried int       // turns in a row that did not come late
	last    time.Time // the last turn
	file    *os.File  // of the descriptor while the runtime polls it, else nil
	raw     syscall.RawConn
	ready   func(uintptr) bool
	n       int // what the last call of ready got
	err     error
	calls   int // of ready in this wait
}

// turned notes a turn.
func (p *parking) turned(now time.Time) {
	if now.Sub(p.last) >= calmAfter {
		p.calm, p.hurried = true, 0
	} else if p.hurried++; p.hurried > maxHurried {
		p.calm = false
	}
	p.last = now
}

// begin has the runtime poll a descriptor, and reports whether it does.
func (p *parking) begin(epoll int, events []unix.EpollEvent) bool {
	if p.file != nil {
		return true
	}
	fd, err := unix.FcntlInt(uintptr(epoll), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return false
	}
	_ = unix.SetNonblock(fd, true) // or os would not have it polled
	file := os.NewFile(uintptr(fd), "epoll")
	raw, err := file.SyscallConn()
	if err != nil || file.SetReadDeadline(time.Time{}) != nil { // it is not polled
		_ = file.Close()
		return false
	}
	p.file, p.raw = file, raw
	p.ready = func(fd uintptr) bool {
		p.n, p.err = sysReady(int(fd), events)
		p.calls++
		return p.n != 0
	}
	return true
}

// wait is epoll_wait. It reports whether it had to park: it does not if something is ready.
func (p *parking) wait() (n int, parked bool, err error) {
	p.calls = 0
	if err := p.raw.Read(p.ready); err != nil {
		return 0, false, err
	}
	return p.n, p.calls > 1, p.err
}

// end has the runtime leave the descriptor alone: every event would wake it too.
func (p *parking) end() {
	if p.file != nil {
		_ = p.file.Close()
		p.file, p.raw, p.ready = nil, nil, nil
	}
}
