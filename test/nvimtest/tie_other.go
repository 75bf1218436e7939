// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !linux

package nvimtest

import "os/exec"

// tie does nothing where a child cannot be tied to its parent.
func tie(*exec.Cmd) {}
