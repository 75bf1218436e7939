// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build darwin || freebsd || netbsd

package turns

import "syscall"

func changeTime(s *syscall.Stat_t) syscall.Timespec { return s.Ctimespec }
