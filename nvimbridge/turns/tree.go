// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"
)

// badFor is for how long a folder is not looked at in which git took too long.
const badFor = time.Minute

// tree is a folder that a turn looks at with git.
type tree struct {
	picture *picture // nil until it is taken, or if there is none
	taken   bool     // or could not be
	waiting []func() // for taken
	looking bool
	again   []func()  // for another look, nil if none is wanted
	sign    time.Time // of the client, the last that counts in it
}

// watch has a turn look at the work tree that a folder is in.
func (b *book) watch(t *turn, folder string) {
	if !b.options.Git || t.trees[folder] != nil || t.sees(folder) {
		return
	}
	if len(t.trees) >= maxTrees {
		t.unseen = true
		return
	}
	one := &tree{}
	t.trees[folder] = one
	if time.Now().Before(b.bad[folder]) {
		one.taken = true
		return
	}
	r := b.readerOf(maxPicture)
	r.known = b.lastPicture(folder)
	var p *picture
	b.looks.add(b, task{
		run:  func() (err error) { p, err = b.work.take(r, folder); return err },
		done: func(err error) { b.taken(t, one, folder, p, err) },
	})
}

// sees reports whether a folder is in a work tree that the turn looks at.
func (t *turn) sees(folder string) bool {
	for at, one := range t.trees {
		if p := one.picture; !one.taken && owns(at, folder) || p != nil && p.has(folder) {
			return true
		}
	}
	return false
}

// pictures reports whether git shows the turn what commands change in a file.
func (t *turn) pictures(path string) bool {
	for _, one := range t.trees {
		if p := one.picture; p != nil && p.has(path) {
			return true
		}
	}
	return false
}

const separator = string(filepath.Separator)

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, separator)+separator)
}

// taken goes on once a picture was taken, or could not be.
func (b *book) taken(t *turn, one *tree, folder string, p *picture, err error) {
	one.taken = true
	defer func() {
		waiting := one.waiting
		one.waiting = nil
		all(waiting)
	}()
	if b.failed(folder, err) || !t.ended.IsZero() || t.gone || t.shows(p) {
		p = nil
	}
	if p != nil {
		b.shelf.enter(len(p.loose), looseCost)
		for path, s := range p.loose {
			p.loose[path] = b.keep(t, path, s)
		}
	}
	one.picture = p
	if p != nil {
		t.unseen = t.unseen || !p.tracked || !p.others
		for _, folder := range p.nested {
			b.watch(t, folder)
		}
	}
}

// all calls functions, the others too if one panics.
func all(functions []func()) {
	if len(functions) > 0 {
		defer all(functions[1:])
		functions[0]()
	}
}

// shows reports whether the turn has a picture of the same work tree.
func (t *turn) shows(p *picture) bool {
	for _, one := range t.trees {
		if one.picture != nil && one.picture.git.folder == p.git.folder {
			return true
		}
	}
	return false
}

// whenTaken calls then once, when all pictures are taken.
func (b *book) whenTaken(t *turn, then func()) {
	for _, one := range t.trees {
		if !one.taken {
			one.waiting = append(one.waiting, func() { b.whenTaken(t, then) }) // there may be others then
			return
		}
	}
	then()
}

// dropTrees forgets what the turn looks at.
func (t *turn) dropTrees(s *shelf) {
	for folder, one := range t.trees {
		if one.picture != nil {
			for _, state := range one.picture.loose {
				s.release(state)
			}
			s.enter(-len(one.picture.loose), looseCost)
			one.picture = nil
		}
		if one.taken {
			delete(t.trees, folder)
		}
	}
}

// hide drops the bytes of secret files.
func (one *tree) hide(s *shelf, secret func(path string) bool) {
	if one.picture == nil {
		return
	}
	for path, state := range one.picture.loose {
		if secret(path) {
			one.picture.loose[path] = s.strip(state, Secret)
		}
	}
}

// failed reports whether git failed, and remembers where it takes too long.
func (b *book) failed(folder string, err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		if len(b.bad) >= maxFiles {
			clear(b.bad)
		}
		b.bad[folder] = time.Now().Add(badFor)
		b.keeper.cfg.Log.Warn("git takes too long; changes by shell commands are not looked for", "for", badFor)
	} else if err != nil && !errors.Is(err, ErrUnknown) && !errors.Is(err, ErrBusy) { // which are told already
		b.keeper.cfg.Log.Debug("git cannot be asked", "error", err)
	}
	return err != nil
}
