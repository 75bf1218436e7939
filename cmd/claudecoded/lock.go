// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"os"

	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/lockfile"
)

// keptLock is a lock file that stays in place until remove. That and keepLock touch the
// disk, so they never run on the loop goroutine.
type keptLock struct {
	path    string
	lock    lockfile.Lock
	watcher *lockfile.Watcher
}

// keepLocks writes the lock file that a start asks for, by which Claude Code finds the
// editor, and the one in the registry, by which this program does. The second is nothing
// that a start could fail for.
func keepLocks(o nvimbridge.StartOptions, at nvimbridge.Listening, registry string, log *slog.Logger) (kept, listed *keptLock, err error) {
	if o.Lock {
		if kept, err = keepClaudesLock(o, at, log); err != nil {
			return nil, nil, err
		}
	}
	if registry != "" {
		if listed, err = keepLock(registry, o, at, log); err != nil {
			log.Warn("stdio clients cannot find this editor", "error", err)
		}
	}
	return kept, listed, nil
}

// keepClaudesLock keeps the lock file by which Claude Code finds the editor.
func keepClaudesLock(o nvimbridge.StartOptions, at nvimbridge.Listening, log *slog.Logger) (*keptLock, error) {
	dir := o.LockDir
	if dir == "" {
		var err error
		if dir, err = lockfile.Dir(os.Getenv); err != nil {
			return nil, err
		}
	}
	return keepLock(dir, o, at, log)
}

// registry is the folder of the list of editors; "" if the system has no place for it.
func registry() string {
	dir, _ := lockfile.Registry(os.Getenv)
	return dir
}

// keepLock writes a lock file and keeps it, after removing what dead Neovims and a dead
// predecessor left.
func keepLock(dir string, o nvimbridge.StartOptions, at nvimbridge.Listening, log *slog.Logger) (*keptLock, error) {
	l := lockfile.Lock{
		Port:             at.Port,
		PID:              cmp.Or(o.PID, os.Getpid()),
		WorkspaceFolders: o.WorkspaceFolders,
		IDEName:          o.IDEName,
		Token:            at.Token,
	}
	switch removed, err := lockfile.Sweep(dir, l); {
	case err != nil:
		log.Warn("cannot remove stale lock files", "error", err)
	case removed > 0:
		log.Info("removed stale lock files", "count", removed)
	}
	path, err := lockfile.Write(dir, l)
	if err != nil {
		return nil, fmt.Errorf("creating the lock file: %w", err)
	}
	return &keptLock{path, l, lockfile.Watch(path, l, log)}, nil
}

// update writes other folders. It does not wait. k may be nil.
func (k *keptLock) update(folders []string) {
	if k != nil {
		k.watcher.Update(folders)
	}
}

// remove removes the file. k may be nil.
func (k *keptLock) remove() error {
	if k == nil {
		return nil
	}
	k.watcher.Stop()
	return lockfile.Release(k.path, k.lock)
}
