// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"claudecoded/nvimbridge/lockfile"
)

// editorChoice says which running editor a command is about. The zero value is the one
// around this terminal, else the one for the working folder.
type editorChoice struct {
	Port int
	PID  int
	CWD  string
}

// find looks for the editor among the lock files.
func (c editorChoice) find() (lockfile.Found, error) {
	wanted, err := c.wanted()
	if err != nil {
		return lockfile.Found{}, err
	}
	found, unread := lockfile.Find(lockfile.Places(os.Getenv)...)
	editor, err := wanted.Choose(found)
	if err != nil {
		return lockfile.Found{}, errors.Join(err, unread)
	}
	return editor, nil
}

// wanted is the choice as it is looked for. A folder that is named means that folder,
// whatever terminal this is.
func (c editorChoice) wanted() (lockfile.Wanted, error) {
	w := lockfile.Wanted{Port: c.Port, PID: c.PID}
	if c.Port != 0 || c.PID != 0 {
		return w, nil // wherever this is, which may be a folder that is gone
	}
	if c.CWD == "" {
		w.Before = []int{lockfile.NeovimPID(os.Getenv("NVIM"))}
	}
	folder, err := filepath.Abs(c.CWD)
	if err != nil {
		return w, fmt.Errorf("finding the working folder: %w", err)
	}
	w.Folder = folder
	if resolved, err := filepath.EvalSymlinks(folder); err == nil {
		w.Folder = resolved
	}
	return w, nil
}
