// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// stillActive is the exit code of a process that runs.
const stillActive = 259

// alive reports whether a process exists, somebody else's too.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer windows.CloseHandle(h)
	var code uint32
	return windows.GetExitCodeProcess(h, &code) != nil || code == stillActive
}
