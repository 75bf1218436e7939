// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !linux || netconn || poll_opt

package reactor

// New returns the Loop of this build: the net.Conn implementation.
func New(o Options) (Loop, error) { return NewNetConn(o) }
