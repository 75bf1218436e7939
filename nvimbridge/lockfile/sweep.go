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

// Sweep removes the locks that a Neovim left behind when it was killed, and those of
// the editor of l for another port, which its daemon left behind when it was killed: a
// second lock whose folders match makes clients connect to none. Other editors' locks,
// and what cannot be read as a lock, stay. It returns how many it removed.
func Sweep(dir string, l Lock) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("sweeping the lock folder: %w", described(err))
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if filepath.Ext(path) != ".lock" || !entry.Type().IsRegular() {
			continue
		}
		if c, ok := load(path); !ok || c.IDEName != ideName || !c.dead() && !c.left(entry.Name(), l) {
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

// Release removes the lock l, unless its file is another editor's by now: the port is
// free before the file is gone.
func Release(path string, l Lock) error {
	if c, ok := load(path); ok && c.PID != l.PID {
		return nil
	}
	return Remove(path)
}

// load reads a lock file.
func load(path string) (c content, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return content{}, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLock))
	return c, err == nil && json.Unmarshal(text, &c) == nil
}

// dead reports whether the lock's editor is dead.
func (c content) dead() bool { return c.PID > 0 && !alive(c.PID) }

// left reports whether the lock, in a file of that name, is one that the editor of l
// had before l.
func (c content) left(name string, l Lock) bool {
	return c.PID == l.PID && name != l.name()
}
