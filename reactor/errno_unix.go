// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package reactor

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func errnoName(errno syscall.Errno) string { return unix.ErrnoName(errno) }
