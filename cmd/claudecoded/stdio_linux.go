// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import "golang.org/x/sys/unix"

// duplicate makes to another name of from. Linux has no dup2 on its newer architectures.
func duplicate(from, to int) error { return unix.Dup3(from, to, 0) }
