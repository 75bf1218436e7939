// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Resident is how many bytes of the spans have pages, by the kernel's account (mincore(2)).
func (s *Server) Resident() (n int) {
	page := unix.Getpagesize()
	for _, s := range s.large.all {
		there := make([]byte, (len(s.memory)+page-1)/page)
		_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&s.memory[0])), uintptr(len(s.memory)), uintptr(unsafe.Pointer(&there[0])))
		if errno != 0 {
			panic(errno)
		}
		for _, t := range there {
			n += int(t&1) * page
		}
	}
	return n
}
