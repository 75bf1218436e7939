// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"errors"
	"os"
	"reflect"
	"runtime"
	"time"

	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// maxEvents is how many descriptors one poll reports. What else is ready is reported by
// the next one.
const maxEvents = 1024

// yieldEvery is how often the loop passes the scheduler. Go's monitor takes a goroutine
// that has not done so for 10 ms for one that hogs its thread: it signals it again and
// again, and takes its place to run away in every system call.
const yieldEvery = time.Millisecond

// errDescriptor cannot happen with the version of gnet that go.mod names.
var errDescriptor = errors.New("reactor: gnet's poller has its descriptor elsewhere")

// descriptor is the poller's epoll descriptor, for which it has no method. Its Polling
// cannot tell where the events of one poll end other than by a task, which costs each turn
// two system calls more: one to trigger it, and one to poll for that.
func descriptor(p *netpoll.Poller) (int, error) {
	fd := reflect.ValueOf(p).Elem().FieldByName("fd")
	if !fd.CanInt() {
		return -1, errDescriptor
	}
	return int(fd.Int()), nil
}

// poll waits until a descriptor is ready, a timer is due or somebody calls kick, and notes
// what is ready.
func (l *pollLoop) poll() error {
	if now := l.wheel.now; now.Sub(l.yielded) >= yieldEvery {
		runtime.Gosched()
		l.yielded = now
	}
	n, err := unix.EpollWait(l.epoll, l.events[:], l.patience())
	for err == unix.EINTR {
		n, err = unix.EpollWait(l.epoll, l.events[:], l.patience())
	}
	if err != nil {
		return os.NewSyscallError("epoll_wait", err)
	}
	for i := range l.events[:n] {
		l.note(&l.events[i])
	}
	return nil
}

// note keeps an event for the turn.
func (l *pollLoop) note(ev *unix.EpollEvent) {
	s := l.sources[int(ev.Fd)]
	if s == nil {
		if int(ev.Fd) == l.timerFD {
			l.armed = time.Time{}
		}
		return // a wake or the timer
	}
	if s.events == 0 {
		l.ready.add(s)
	}
	s.events |= netpoll.IOEvent(ev.Events)
}

// patience is how long the next poll may wait, in milliseconds; -1 is for ever.
func (l *pollLoop) patience() int {
	if l.rested {
		return -1
	}
	return 0
}

// rearm sets the one timer for the wheel's next; an empty wheel has none. A timer of Go's
// runtime would wake its monitor too, a dozen times or more, and a poll with a time limit
// has the kernel set and stop a timer each time.
func (l *pollLoop) rearm() error {
	if !l.armed.After(l.wheel.now) {
		l.armed = time.Time{} // it rings now
	}
	next, _ := l.wheel.Next()
	if next.Equal(l.armed) {
		return nil
	}
	l.armed = next
	var at unix.ItimerSpec // zero stops it
	if !next.IsZero() {
		at.Value = unix.NsecToTimespec(max(time.Until(next).Nanoseconds(), 1))
	}
	return os.NewSyscallError("timerfd_settime", unix.TimerfdSettime(l.timerFD, 0, &at, nil))
}
