// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package nvimbridge

import (
	"io"
	"syscall"

	"golang.org/x/sys/unix"
)

// trial is the descriptor of a writer that can be tried: one that does not block.
func trial(w io.Writer) syscall.RawConn {
	c, ok := w.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	flags := 0
	look := func(fd uintptr) { flags, err = unix.FcntlInt(fd, unix.F_GETFL, 0) }
	if raw.Control(look) != nil || err != nil || flags&unix.O_NONBLOCK == 0 {
		return nil
	}
	return raw
}

// try writes what is taken at once and returns how much that was.
func try(raw syscall.RawConn, p []byte) (n int) {
	_ = raw.Write(func(fd uintptr) bool {
		n, _ = unix.Write(int(fd), p)
		return true
	})
	return max(n, 0)
}
