// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimtest

import (
	"os"
	"syscall"
)

// WriteProgram writes a program that is soon run. A process that another test starts
// meanwhile would have the file open for a moment, in which the kernel refuses to run it.
func WriteProgram(path, text string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(text), 0o700)
}
