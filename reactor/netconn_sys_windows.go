// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"errors"
	"net"

	"golang.org/x/sys/windows"
)

// limitBacklog does nothing: Winsock takes the length once, from package net.
func limitBacklog(*net.TCPListener) error { return nil }

func outOfFiles(err error) bool { return errors.Is(err, windows.WSAEMFILE) }
