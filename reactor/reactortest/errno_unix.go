// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package reactortest

import "syscall"

const connReset = syscall.ECONNRESET
