// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"claudecoded/cmd/claudecoded/internal/relay"
	"claudecoded/nvimbridge/lockfile"
)

// returnTime is how long the place of an editor that left is kept for it: while it starts
// again, its client must not go over to one that merely has a folder around its own.
const returnTime = 3 * time.Second

// finder finds a client's editor again and again. One goroutine at a time.
type finder struct {
	wanted lockfile.Wanted
	last   lockfile.Found // that was found
	left   time.Time      // when it was first missed
}

// find looks for the running editor that is meant. The one that the client had before is
// preferred while it runs.
func (f *finder) find(before int) (relay.Endpoint, error) {
	w := f.wanted
	w.Before = append([]int{before}, w.Before...)
	found, unread := lockfile.Find(lockfile.Places(os.Getenv)...)
	editor, err := w.Choose(found)
	if err != nil {
		return relay.Endpoint{}, errors.Join(err, unread)
	}
	if err := f.keepPlace(editor, time.Now()); err != nil {
		return relay.Endpoint{}, err
	}
	f.last, f.left = editor, time.Time{}
	return relay.Endpoint{Port: editor.Port, Token: editor.Token, PID: editor.PID}, nil
}

// keepPlace is an error as long as the last editor's place is kept for it, and the other one
// has it not.
func (f *finder) keepPlace(other lockfile.Found, now time.Time) error {
	if other.PID == f.last.PID || other.Depth(f.wanted.Folder) >= f.last.Depth(f.wanted.Folder) {
		return nil
	}
	if f.left.IsZero() {
		f.left = now
	}
	if now.Sub(f.left) >= returnTime {
		return nil
	}
	return fmt.Errorf("the Neovim of this client (process %d) has left; %w", f.last.PID, lockfile.ErrNoEditor)
}
