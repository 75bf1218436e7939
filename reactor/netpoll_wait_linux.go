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
// two system calls more: one to trigger it, and one to poll for that. Without it New falls
// back to goroutines.
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
	l.parking.turned(l.wheel.now)
	n, err := l.wait()
	for err == unix.EINTR {
		n, err = l.wait()
	}
	if err != nil {
		return os.NewSyscallError("epoll_wait", err)
	}
	for i := range l.events[:n] {
		l.note(&l.events[i])
	}
	return nil
}

func (l *pollLoop) wait() (n int, err error) {
	if !l.parked {
		l.yield()
	}
	l.parked = false
	if l.rested && l.parking.calm && l.parking.begin(l.epoll, l.events[:]) {
		n, l.parked, err = l.parking.wait()
		return n, err
	}
	if !l.rested {
		return sysReady(l.epoll, l.events[:])
	}
	l.parking.end()
	return unix.EpollWait(l.epoll, l.events[:], -1)
}

// yield passes the scheduler, which a loop that was parked has done. It would wake a second
// thread, to look for work that this one leaves. One that always finds something ready has
// to: with one processor nobody else may run, for the monitor is still asleep.
func (l *pollLoop) yield() {
	if now := l.wheel.now; now.Sub(l.yielded) >= yieldEvery {
		runtime.Gosched()
		l.yielded = now
	}
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
	return os.NewSyscallError("timerfd_settime", sysSetTimer(l.timerFD, &at))
}
