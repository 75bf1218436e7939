// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"encoding/binary"
	"math"
	"os"
	"time"

	"github.com/panjf2000/gnet/v2/pkg/netpoll"
	"golang.org/x/sys/unix"
)

// pollLoop is the Loop over gnet's poller. It waits for the poller's descriptor itself
// and handles everything one poll reported in one turn. A wake is an event too, of an
// eventfd, and so is the next timer, of a timerfd.
type pollLoop struct {
	core
	poller  *netpoll.Poller
	epoll   int // the poller's descriptor
	wakeFD  int
	timerFD int
	armed   time.Time // when timerFD rings; zero: not
	spareFD int       // given up to accept and close a connection when descriptors run out; -1 while missing
	sources map[int]*source
	events  [maxEvents]unix.EpollEvent
	ready   batch[*source]
	more    batch[*pollConn] // connections that filled their read
	rested  bool             // the last turn left nothing to do
	yielded time.Time        // when the loop last passed the scheduler by itself
	parked  bool             // the last wait did
	parking parking
	slabs   slabs
	bufs    [][]byte // scratch of writev
}

// source is one descriptor in the poller. Events reach the source that was
// registered when the poll returned: descriptors are closed during turns only,
// so one that is reused never gets its predecessor's events.
type source struct {
	fd     int
	events netpoll.IOEvent // noted for the next turn
	handle func(netpoll.IOEvent)
	close  func() // called at the loop's end
}

// NewNetpoll returns a Loop over gnet's epoll poller.
func NewNetpoll(o Options) (Loop, error) {
	l := &pollLoop{wakeFD: -1, timerFD: -1, spareFD: -1, sources: map[int]*source{}}
	l.core.init(o, l.kick)
	if err := l.open(); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

func (l *pollLoop) open() (err error) {
	if l.poller, err = netpoll.OpenPoller(); err != nil {
		return err
	}
	if l.epoll, err = descriptor(l.poller); err != nil {
		return err
	}
	if l.wakeFD, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return os.NewSyscallError("eventfd", err)
	}
	if l.timerFD, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC); err != nil {
		return os.NewSyscallError("timerfd_create", err)
	}
	// Edge-triggered: each write is one event, and nobody has to read it back.
	for _, fd := range []int{l.wakeFD, l.timerFD} {
		if err = l.poller.AddRead(&netpoll.PollAttachment{FD: fd}, true); err != nil {
			return err
		}
	}
	return l.openSpare()
}

func (l *pollLoop) openSpare() (err error) {
	l.spareFD, err = unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	return os.NewSyscallError("open", err)
}

// one is what an eventfd is written to count one.
var one = binary.NativeEndian.AppendUint64(nil, 1)

// kick writes the eventfd. Its counter cannot overflow: 2^64 wakes take longer
// than the process lives.
func (l *pollLoop) kick() {
	if l.wakeFD >= 0 {
		_, _ = unix.Write(l.wakeFD, one)
	}
}

// Run implements Loop.
func (l *pollLoop) Run() (err error) {
	// While there is a timer, one thread of Go's runtime rests in its own poll. Else the
	// monitor starts a thread for that poll each time this loop waits.
	defer time.AfterFunc(math.MaxInt64, func() {}).Stop()
	for {
		if err = l.step(); err != nil || l.stopped() {
			break
		}
	}
	l.shutdown(func() {}, l.release)
	return err
}

// step is a poll and the turn that handles it.
func (l *pollLoop) step() error {
	if err := l.poll(); err != nil {
		return err
	}
	l.turn(l.handle, l.recycle)
	l.rested = l.idle()
	return l.rearm()
}

// handle reads every ready connection once, then those that have more, round
// robin, until each got maxConnRead or the turn got maxTurnRead.
func (l *pollLoop) handle() {
	l.ready.drain(func(s *source) {
		ev := s.events
		s.events = 0
		s.handle(ev)
	})
	for range maxConnRead/maxRead - 1 {
		l.more.drain(func(c *pollConn) {
			if l.slabs.read < maxTurnRead {
				c.read()
			}
		})
	}
	l.more.drain(func(*pollConn) {})
}

func (l *pollLoop) recycle() { l.slabs.recycle(len(l.conns) > 0) }

// watch registers a descriptor for reading.
func (l *pollLoop) watch(s *source) error {
	if l.closed {
		return ErrClosed
	}
	if err := l.poller.AddRead(&netpoll.PollAttachment{FD: s.fd}, false); err != nil {
		return err
	}
	l.sources[s.fd] = s
	return nil
}

// forget removes a descriptor from the poller and closes it. Its number is
// forgotten too: the next socket may get it.
func (l *pollLoop) forget(s *source) {
	if l.sources[s.fd] == s {
		delete(l.sources, s.fd)
		_ = l.poller.Delete(s.fd)
	}
	_ = unix.Close(s.fd)
	s.fd = -1
	s.handle = func(netpoll.IOEvent) {}
}

// release closes what is left once every connection is closed.
func (l *pollLoop) release() {
	l.parking.end()
	for _, s := range l.sources {
		s.close()
	}
	for _, fd := range []int{l.spareFD, l.timerFD} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wakeFD >= 0 {
		_ = unix.Close(l.wakeFD)
		l.wakeFD = -1
	}
	if l.poller != nil {
		_ = l.poller.Close()
	}
}
