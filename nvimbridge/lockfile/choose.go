// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Wanted says which editor a client means. Port and PID, if not 0, name it and nothing
// else counts.
type Wanted struct {
	Port, PID int
	// Before is the process id of the editor that is taken if it runs, wherever it is: the
	// one that the client's terminal belongs to, or the one it had. 0 is none.
	Before []int
	// Folder is the client's working folder, absolute and free of links: of the editors
	// with a folder that contains it the one with the deepest is taken, of several such
	// the newest.
	Folder string
}

// ErrNoEditor means that none of the editors is the one that is wanted.
var ErrNoEditor = errors.New("start Neovim there and run :ClaudeCodeStart")

// Choose picks the editor that is wanted from those that Find found. An editor whose process
// has ended is none; if it is the one that was named, the error says so.
func (w Wanted) Choose(found []Found) (Found, error) {
	if w.Port != 0 || w.PID != 0 {
		return w.named(found)
	}
	for _, pid := range w.Before {
		for _, f := range found {
			if pid != 0 && f.PID == pid && !f.Dead {
				return f, nil
			}
		}
	}
	best, depth := -1, 0
	for i, f := range found {
		if d := f.Depth(w.Folder); !f.Dead && d > depth {
			best, depth = i, d
		}
	}
	if best < 0 {
		return Found{}, fmt.Errorf("no Neovim with claudecoded runs for %s; %w", w.Folder, ErrNoEditor)
	}
	return found[best], nil
}

// named picks the editor by the port or the process id that the user gave.
func (w Wanted) named(found []Found) (Found, error) {
	who := fmt.Sprintf("on port %d", w.Port)
	if w.Port == 0 {
		who = fmt.Sprintf("in process %d", w.PID)
	}
	for _, f := range found {
		if w.Port != 0 && f.Port != w.Port || w.PID != 0 && f.PID != w.PID {
			continue
		}
		if f.Dead {
			return Found{}, fmt.Errorf("the Neovim (process %d) that claudecoded served %s has ended; %w", f.PID, who, ErrNoEditor)
		}
		return f, nil
	}
	return Found{}, fmt.Errorf("no Neovim with claudecoded runs %s; %w", who, ErrNoEditor)
}

// Depth is the length of the editor's longest folder that is or contains dir, 0 if
// none does.
func (f Found) Depth(dir string) (deepest int) {
	for _, folder := range f.WorkspaceFolders {
		if contains(folder, dir) {
			deepest = max(deepest, len(folder))
		}
	}
	return deepest
}

func contains(folder, dir string) bool {
	relative, err := filepath.Rel(folder, dir)
	return filepath.IsAbs(folder) && err == nil && relative != ".." &&
		!strings.HasPrefix(relative, ".."+string(filepath.Separator))
}
