// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// netListener is a Listener of netLoop: one goroutine accepts, one connection
// ahead of the loop.
type netListener struct {
	loop   *netLoop
	ln     *net.TCPListener
	accept func(Conn) Events
	taken  chan struct{} // the loop has the last connection
	quit   chan struct{}
	closed bool
}

// Listen implements Loop.
func (l *netLoop) Listen(ports PortRange, accept func(Conn) Events) (Listener, error) {
	if l.closed {
		return nil, ErrClosed
	}
	ln := &netListener{loop: l, accept: accept, taken: make(chan struct{}, 1), quit: make(chan struct{})}
	// The loop's owner keeps connections alive its own way.
	config := net.ListenConfig{KeepAlive: -1}
	err := bindFirst(ports, func(port int) error {
		bound, err := config.Listen(context.Background(), "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return cause(err)
		}
		ln.ln = bound.(*net.TCPListener)
		return limitBacklog(ln.ln)
	})
	if err != nil {
		return nil, err
	}
	l.listeners[ln] = true
	l.spawn(ln.acceptLoop)
	return ln, nil
}

// Port implements Listener.
func (ln *netListener) Port() int { return ln.ln.Addr().(*net.TCPAddr).Port }

// Close implements Listener.
func (ln *netListener) Close() {
	if !ln.closed {
		ln.closed = true
		delete(ln.loop.listeners, ln)
		close(ln.quit)
		_ = ln.ln.Close()
	}
}

func (ln *netListener) acceptLoop() {
	shed := shedder{log: ln.loop.log, ln: ln.ln}
	shed.open()
	defer shed.close()
	for {
		nc, err := ln.ln.Accept()
		wait := ln.taken
		switch {
		case err == nil:
			ln.loop.report(func() { ln.welcome(nc) })
		case errors.Is(err, net.ErrClosed):
			return
		case outOfFiles(err) && shed.one(err):
			continue
		default:
			if !outOfFiles(err) {
				shed.complain(err)
			}
			wait = nil
		}
		if !ln.rest(wait) {
			return
		}
	}
}

// rest waits for the loop to take a connection, or for acceptPause if there was
// none. It reports false when the listener was closed.
func (ln *netListener) rest(taken <-chan struct{}) bool {
	var pause <-chan time.Time
	if taken == nil {
		pause = time.After(acceptPause)
	}
	select {
	case <-taken:
		return true
	case <-pause:
		return true
	case <-ln.quit:
		return false
	}
}

func (ln *netListener) welcome(nc net.Conn) {
	ln.taken <- struct{}{}
	if ln.closed {
		_ = nc.Close()
		return
	}
	c := ln.loop.newConn(nc)
	if c.accepted(c, ln.accept) {
		ln.loop.spawn(c.readLoop)
	}
}
