// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import "golang.org/x/sys/unix"

// reserve maps so many bytes, which have no pages yet; nil if the system refuses.
func reserve(size int) []byte {
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return memory
}

// discard gives back the pages of memory that lie whole behind its first n bytes, and read
// as zeros then. All of them: one that was written may have brought hundreds (huge pages).
func discard(memory []byte, n int) {
	page := unix.Getpagesize()
	if n = (n + page - 1) / page * page; n < len(memory) {
		_ = unix.Madvise(memory[n:], unix.MADV_DONTNEED)
	}
}

func unmap(memory []byte) { _ = unix.Munmap(memory) }
