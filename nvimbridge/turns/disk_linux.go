// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

func changeTime(s *syscall.Stat_t) syscall.Timespec { return s.Ctim }

// maxAttributes is how many bytes the names of a file's extended attributes may have, and a
// value: xattr(7) has the same bounds.
const maxAttributes = 64 << 10

// keepAttributes gives a file the extended attributes of another, of which access lists are some.
func keepAttributes(from, to string) error {
	list := make([]byte, maxAttributes)
	n, err := unix.Llistxattr(from, list)
	if errors.Is(err, unix.ENOTSUP) || n == 0 {
		return nil
	} else if err != nil {
		return err
	}
	value, there := make([]byte, maxAttributes), make([]byte, maxAttributes)
	for _, name := range split(list[:n]) {
		n, err := unix.Lgetxattr(from, name, value)
		if err != nil {
			return err
		}
		if m, err := unix.Lgetxattr(to, name, there); err == nil && bytes.Equal(there[:m], value[:n]) {
			continue
		}
		if err := unix.Lsetxattr(to, name, value[:n], 0); err != nil {
			return err
		}
	}
	return nil
}
