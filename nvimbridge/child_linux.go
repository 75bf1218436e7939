// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"os/exec"
	"syscall"
)

// tie keeps the terminal's Ctrl-C from the child, which this process ends, and
// ends it with this process, however that dies: a Neovim that is stuck would not
// notice that its channel closed.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
