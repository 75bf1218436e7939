// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !windows

package nvimbridge

import (
	"os/exec"
	"syscall"
)

// isolate keeps the terminal's Ctrl-C from the child: this process ends it.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
