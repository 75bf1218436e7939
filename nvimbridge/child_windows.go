// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"os/exec"
	"syscall"
)

// tie keeps the console's Ctrl-C from the child: this process ends it.
func tie(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
