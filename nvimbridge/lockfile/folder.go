// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// makeDir makes the folder and those above it, and gives it to the user alone
// even if it was there. If it cannot, the error says what is in the way.
func makeDir(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return fmt.Errorf("making the lock folder %s: %w", dir, obstacle(dir, err))
	}
	_ = os.Chmod(dir, 0o700) // somebody else's folder may still be writable
	return nil
}

// obstacle finds the path that is no folder, which MkdirAll's error may not name.
func obstacle(dir string, err error) error {
	for p := dir; ; p = filepath.Dir(p) {
		if target, e := os.Readlink(p); e == nil {
			if _, e := os.Stat(p); errors.Is(e, fs.ErrNotExist) {
				return fmt.Errorf("%s is a link to %s, which does not exist", p, target)
			}
		}
		if info, e := os.Stat(p); e == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file", p)
		}
		if p == filepath.Dir(p) {
			return described(err)
		}
	}
}

// described names the path that an error is about, after what is wrong with it.
func described(err error) error {
	if pe := new(fs.PathError); errors.As(err, &pe) {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// bare is the reason alone: paths of temporary files tell the user nothing.
func bare(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return err
}
