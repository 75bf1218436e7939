// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import "claudecoded/nvimbridge"

// lockWish is whether Claude Code is to find the editor, and what its lock file says.
type lockWish struct {
	on      bool
	never   bool // the command line forbids it
	busy    bool // the disk is touched
	options nvimbridge.StartOptions
	at      nvimbridge.Listening
}

// serveClaude begins or ends to serve Claude Code: its clients are let in or sent away, and its
// lock file appears or goes. All others are served as before.
func (d *daemon) serveClaude(on bool) {
	d.wanted.on = on
	if d.server != nil {
		d.server.Admit(on)
	}
	d.fitLock()
}

// fitLock writes or removes the lock file until it is as wanted, one after the other.
func (d *daemon) fitLock() {
	w := &d.wanted
	if w.busy || w.never || d.leaving || d.server == nil || w.on == (d.lock != nil) {
		return
	}
	w.busy = true
	old, options, at := d.lock, w.options, w.at
	d.lock = nil
	d.files.Go(func() {
		var made *keptLock
		err := old.remove()
		if old == nil {
			made, err = keepClaudesLock(options, at, d.log.Logger)
		}
		if !d.loop.Post(func() { d.fitted(made, err) }) {
			_ = made.remove()
		}
	})
}

// fitted goes on once the lock file was written or removed, or could not be.
func (d *daemon) fitted(made *keptLock, err error) {
	w := &d.wanted
	w.busy, d.lock = false, made
	made.update(w.options.WorkspaceFolders)
	path, problem := "", ""
	if made != nil {
		path = made.path
	}
	if err != nil {
		problem = err.Error()
		d.log.Error("the lock file is not as it should be", "error", err)
	}
	d.editor.Locked(path, problem)
	if err == nil {
		d.fitLock()
	}
}
