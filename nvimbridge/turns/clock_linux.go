// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"time"

	"golang.org/x/sys/unix"
)

// fileClock is the resolution of the clock by which the kernel gives files their times.
func fileClock() time.Duration {
	var resolution unix.Timespec
	if err := unix.ClockGetres(unix.CLOCK_REALTIME_COARSE, &resolution); err != nil {
		return slowestTick
	}
	return time.Duration(resolution.Nano())
}
