// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimtest

import (
	"os/exec"
	"syscall"
)

// tie ends the child when the test process dies, for then no cleanup runs.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
