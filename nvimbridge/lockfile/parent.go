// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"regexp"
	"strconv"
)

// serverName is how Neovim names the address that it makes for itself, which holds its
// process id.
var serverName = regexp.MustCompile(`[/\\][^/\\]+\.(\d+)\.\d+$`)

// NeovimPID is the process id of the Neovim that listens at an address, such as the one in
// $NVIM, or 0. It asks the system and not Neovim, which may be busy.
func NeovimPID(address string) int {
	if address == "" {
		return 0
	}
	if pid := listenerPID(address); pid != 0 {
		return pid
	}
	if m := serverName.FindStringSubmatch(address); m != nil {
		pid, _ := strconv.Atoi(m[1])
		return pid
	}
	return 0
}
