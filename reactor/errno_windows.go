// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// errnoName has the POSIX names of the Winsock errors that bind and listen give.
func errnoName(errno syscall.Errno) string {
	switch errno {
	case windows.WSAEADDRINUSE:
		return "EADDRINUSE"
	case windows.WSAEACCES:
		return "EACCES"
	case windows.WSAEADDRNOTAVAIL:
		return "EADDRNOTAVAIL"
	case windows.WSAEMFILE:
		return "EMFILE"
	case windows.WSAENOBUFS:
		return "ENOBUFS"
	}
	return ""
}
