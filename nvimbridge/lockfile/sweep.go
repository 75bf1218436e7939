// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLock is how much of another program's lock file is read.
const maxLock = 64 << 10

// Sweep removes the locks that a Neovim left behind when it was killed: a second
// lock whose folders match makes clients connect to none. Other editors' locks,
// and what cannot be read as a lock, stay. It returns how many it removed.
func Sweep(dir string) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("sweeping the lock folder: %w", described(err))
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if filepath.Ext(path) != ".lock" || !entry.Type().IsRegular() || !stale(path) {
			continue
		}
		if e := Remove(path); e != nil {
			err = errors.Join(err, e)
			continue
		}
		removed++
	}
	return removed, err
}

// stale reports whether a file is the lock of a Neovim that is dead.
func stale(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLock))
	var c content
	if err != nil || json.Unmarshal(text, &c) != nil {
		return false
	}
	return c.IDEName == ideName && c.PID > 0 && !alive(c.PID)
}
