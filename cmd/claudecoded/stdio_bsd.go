// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix && !linux

package main

import "golang.org/x/sys/unix"

// duplicate makes to another name of from.
func duplicate(from, to int) error { return unix.Dup2(from, to) }
