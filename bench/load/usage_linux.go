// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"bytes"
	"fmt"
	"os"
	"time"
)

// tick is the unit of CPU time in /proc: the kernel shows a hundredth of a second to every
// program, whatever its own clock (proc_pid_stat(5), sysconf(_SC_CLK_TCK)).
const tick = time.Second / 100

func look(pid int) (usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return usage{}, fmt.Errorf("looking at the server's process: %w", err)
	}
	// The name, which may hold blanks and parentheses, ends with the last one.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const user, system, resident = 11, 12, 21
	if len(fields) <= resident {
		return usage{}, fmt.Errorf("looking at the server's process: %d fields", len(fields))
	}
	var inUser, inSystem, pages int64
	for i, n := range map[int]*int64{user: &inUser, system: &inSystem, resident: &pages} {
		if _, err := fmt.Sscan(string(fields[i]), n); err != nil {
			return usage{}, fmt.Errorf("looking at the server's process: %w", err)
		}
	}
	return usage{time.Duration(inUser+inSystem) * tick, pages * int64(os.Getpagesize())}, nil
}
