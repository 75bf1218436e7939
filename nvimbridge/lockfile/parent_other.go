// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !linux

package lockfile

// listenerPID is 0: the address's name has to do.
func listenerPID(string) int { return 0 }
