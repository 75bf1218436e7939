// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !windows && !linux

package nvimbridge

import (
	"os/exec"
	"syscall"
)

// tie keeps the terminal's Ctrl-C from the child: this process ends it.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
