// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// dialTimeout bounds a connection to a socket of this machine, whose backlog may be full.
const dialTimeout = time.Second

// listenerPID is the process that listens on a Unix socket (unix(7), SO_PEERCRED), or 0.
func listenerPID(address string) (pid int) {
	conn, err := net.DialTimeout("unix", address, dialTimeout)
	if err != nil {
		return 0
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(peer.Pid)
		}
	})
	return pid
}
