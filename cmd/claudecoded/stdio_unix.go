// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// standardOut is kept for as long as the process lives: Go closes descriptor 1 with the
// last reference to it, and what is opened next would get that number.
var standardOut = os.Stdout

// takeStdio takes the RPC channel away from descriptors 0 and 1: nothing that prints can
// reach Neovim, and no descriptor of the channel is one for which Go treats a broken
// pipe as the end of the process. What is printed from now on goes to stderr.
func takeStdio() (in, out *os.File, err error) {
	if in, err = liftUp(os.Stdin); err != nil {
		return nil, nil, err
	}
	if out, err = liftUp(standardOut); err != nil {
		return nil, nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, fmt.Errorf("opening %s: %w", os.DevNull, err)
	}
	defer null.Close()
	if err := duplicate(int(null.Fd()), 0); err != nil {
		return nil, nil, fmt.Errorf("replacing stdin: %w", err)
	}
	if err := duplicate(2, 1); err != nil {
		return nil, nil, fmt.Errorf("replacing stdout: %w", err)
	}
	os.Stdout = os.Stderr
	return in, out, nil
}

// liftUp duplicates a file above the standard descriptors, closed on exec. A pipe or a
// socket becomes non-blocking, so that closing it ends a read that waits; a terminal
// is shared with others and stays as it is.
func liftUp(file *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("duplicating %s: %w", file.Name(), err)
	}
	if !isTerminal(file) {
		// Files on disk have no such mode and need none.
		_ = unix.SetNonblock(fd, true)
	}
	return os.NewFile(uintptr(fd), "rpc"), nil
}
