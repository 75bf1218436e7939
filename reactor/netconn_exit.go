// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

// exitWatch is one WatchExit of netLoop: a goroutine waits for the process.
type exitWatch struct {
	loop    *netLoop
	cancel  func() // ends the wait; nil once it ended or was stopped
	stopped bool
}

// processWait is what a system offers to wait for a process that need not be a
// child. wait returns true when the process ended and false after cancel.
type processWait struct {
	wait   func() bool
	cancel func()
}

// WatchExit implements Loop.
func (l *netLoop) WatchExit(pid int, f func()) (stop func(), err error) {
	if l.closed {
		return nil, ErrClosed
	}
	p, err := waitProcess(pid)
	if err != nil {
		return nil, err
	}
	w := &exitWatch{loop: l, cancel: p.cancel}
	l.watches[w] = true
	l.spawn(func() {
		if p.wait() {
			l.report(func() { w.exited(f) })
		}
	})
	return w.stop, nil
}

func (w *exitWatch) stop() {
	if !w.stopped {
		w.stopped = true
		delete(w.loop.watches, w)
		w.cancel()
	}
}

func (w *exitWatch) exited(f func()) {
	if !w.stopped {
		w.stop()
		w.loop.call("exit callback", f)
	}
}
