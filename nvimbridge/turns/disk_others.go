// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix && !linux && !darwin && !freebsd && !netbsd

package turns

import "syscall"

func changeTime(s *syscall.Stat_t) syscall.Timespec { return s.Ctim }

// keepAttributes would give a file the extended attributes of another.
func keepAttributes(_, _ string) error { return nil }
