// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build darwin || freebsd || netbsd

package turns

import "syscall"

func changeTime(s *syscall.Stat_t) syscall.Timespec { return s.Ctimespec }

// keepAttributes would give a file the extended attributes of another.
func keepAttributes(_, _ string) error { return nil }
