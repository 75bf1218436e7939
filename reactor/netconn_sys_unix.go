// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package reactor

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// limitBacklog listens again: package net asks for the system's longest queue.
func limitBacklog(ln *net.TCPListener) error {
	raw, err := ln.SyscallConn()
	if err == nil {
		controlErr := raw.Control(func(fd uintptr) {
			err = os.NewSyscallError("listen", unix.Listen(int(fd), Backlog))
		})
		err = errors.Join(controlErr, err)
	}
	if err != nil {
		_ = ln.Close()
	}
	return err
}

func outOfFiles(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}
