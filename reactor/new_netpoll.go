// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build linux && !netconn && !poll_opt

package reactor

// New returns the Loop of this build: gnet's poller on Linux, the net.Conn
// implementation elsewhere, with the build tag netconn, and where the system refuses what
// the poller needs, which is logged (warn).
func New(o Options) (Loop, error) {
	l, err := NewNetpoll(o)
	if err == nil {
		return l, nil
	}
	o.logger().Warn("no poller, goroutines read and write instead", "error", err)
	return NewNetConn(o)
}
