// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !linux

package turns

import "time"

func fileClock() time.Duration { return slowestTick }
