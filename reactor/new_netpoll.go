// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build linux && !netconn && !poll_opt

package reactor

// New returns the Loop of this build: gnet's poller on Linux, the net.Conn
// implementation elsewhere and with the build tag netconn.
func New(o Options) (Loop, error) { return NewNetpoll(o) }
