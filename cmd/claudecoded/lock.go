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

// keepLock writes the lock file that a start asks for and keeps it, after removing what
// dead Neovims and a dead predecessor left. It returns nil if none is asked for.
func keepLock(o nvimbridge.StartOptions, at nvimbridge.Listening, log *slog.Logger) (*keptLock, error) {
	if !o.Lock {
		return nil, nil
	}
	dir := o.LockDir
	if dir == "" {
		var err error
		if dir, err = lockfile.Dir(os.Getenv); err != nil {
			return nil, err
		}
	}
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

func (k *keptLock) remove() error {
	k.watcher.Stop()
	return lockfile.Release(k.path, k.lock)
}
