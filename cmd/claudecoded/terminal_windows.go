// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// isTerminal reports whether the file is a console.
func isTerminal(file *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(file.Fd()), &mode) == nil
}
