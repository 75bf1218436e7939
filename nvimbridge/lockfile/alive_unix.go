// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !windows

package lockfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// alive reports whether a process exists, somebody else's too.
func alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
