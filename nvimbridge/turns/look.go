// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"errors"
	"maps"
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
	again   []func() // for another look, nil if none is wanted
}

// watch has a turn look at the work tree that a folder is in.
func (b *book) watch(t *turn, folder string) {
	if !b.options.Git || t.trees[folder] != nil || t.sees(folder) || len(t.trees) >= maxTrees {
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
	ok := b.looks.add(b, func() func() {
		p, err := take(r, folder)
		return func() { b.taken(t, one, folder, p, err) }
	})
	one.taken = !ok
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
	if b.failed(folder, err) || !t.ended.IsZero() || t.gone || t.shows(p) {
		p = nil
	}
	if p != nil {
		for path, s := range p.loose {
			p.loose[path] = b.keep(t, path, s)
		}
	}
	one.picture = p
	for _, then := range one.waiting {
		then()
	}
	one.waiting = nil
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

// whenTaken calls then once, when all pictures that the turn began with are taken.
func (b *book) whenTaken(t *turn, then func()) {
	left := 1
	done := func() {
		if left--; left == 0 {
			then()
		}
	}
	for _, one := range t.trees {
		if !one.taken {
			left++
			one.waiting = append(one.waiting, done)
		}
	}
	done()
}

// look finds out with git what changed in a turn. then is called once.
func (b *book) look(t *turn, then func()) {
	left := 1
	done := func() {
		if left--; left == 0 {
			then()
		}
	}
	for folder, one := range t.trees {
		if one.picture != nil {
			left++
			b.lookAt(t, one, folder, done)
		}
	}
	done()
}

func (b *book) lookAt(t *turn, one *tree, folder string, then func()) {
	if one.looking {
		one.again = append(one.again, then)
		return
	}
	p := one.picture
	known := map[string]knownFile{}
	for path, f := range t.files {
		if p.has(path) {
			early := f.checked || f.announced.IsZero() || f.announced.Before(p.taken)
			known[path] = knownFile{after: f.after.stamp, before: early}
		}
	}
	// What may not be kept any more is taken out of the book's copy.
	frozen := *p
	frozen.loose = maps.Clone(p.loose)
	r := b.readerOf(maxLook)
	one.looking = b.looks.add(b, func() func() {
		changes, err := frozen.look(r, known)
		return func() {
			one.looking = false
			if !b.failed(folder, err) {
				b.looked(t, changes)
			}
			then()
			b.lookAgain(t, one, folder)
		}
	})
	if !one.looking {
		then()
	}
}

// lookAgain does what was asked for during a look.
func (b *book) lookAgain(t *turn, one *tree, folder string) {
	again := one.again
	if again == nil {
		return
	}
	one.again = nil
	then := func() {
		for _, f := range again {
			f()
		}
	}
	if one.picture == nil {
		then()
		return
	}
	b.lookAt(t, one, folder, then)
}

// looked notes what git showed.
func (b *book) looked(t *turn, changes []change) {
	if t.gone {
		return
	}
	for _, c := range changes {
		if f := t.files[c.path]; f != nil {
			b.lookedKnown(t, f, c)
		} else if !t.saved[c.path] && c.before != nil {
			b.lookedNew(t, c)
		}
	}
}

// lookedKnown notes what git showed of a file that the turn knows.
func (b *book) lookedKnown(t *turn, f *file, c change) {
	if c.before != nil && !f.checked && !f.before.same(*c.before) {
		// A shell command changed it before the client announced it.
		b.shelf.release(f.before)
		f.before = b.keep(t, f.path, *c.before)
		b.changed.note()
	}
	f.checked = f.checked || c.before != nil
	switch {
	case f.pending:
		b.settle(t, f, c.after)
	case f.sampled && t.fresh && !f.touched && !f.after.same(c.after) && !b.others(t, c):
		b.guess(t, f, c.after)
	}
}

// others reports whether another client changed a file to what it is now, or may do so.
func (b *book) others(t *turn, c change) bool {
	other := b.rival(t, c.path)
	return other != nil && (other.pending || other.after.same(c.after))
}

// lookedNew notes what git showed of a file that the turn does not know.
func (b *book) lookedNew(t *turn, c change) {
	before := *c.before
	if other := b.rival(t, c.path); other != nil {
		if other.after.same(c.after) || !other.sampled {
			return // that is what the other client did
		}
		before = other.after
	}
	f := t.add(c.path)
	if f == nil {
		return
	}
	f.source, f.checked, f.before = t.shells(), true, b.keep(t, c.path, before)
	b.guess(t, f, c.after)
}

// shells is the source of what git shows now.
func (t *turn) shells() Source {
	if t.fresh {
		return Shell
	}
	return Later
}

// rival is what another client changed in the same file while the turn was open: both see
// the same work tree, and who looks first has done it.
func (b *book) rival(t *turn, path string) *file {
	for i := len(b.turns) - 1; i >= 0; i-- {
		o := b.turns[i]
		if o.client == t.client || !o.ended.IsZero() && o.ended.Before(t.began) {
			continue
		}
		if f := o.files[path]; f != nil && (f.pending || f.sampled) {
			return f
		}
	}
	return nil
}

// dropTrees forgets what the turn looks at.
func (t *turn) dropTrees(s *shelf) {
	for folder, one := range t.trees {
		if one.picture != nil {
			for _, state := range one.picture.loose {
				s.release(state)
			}
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
	} else if err != nil {
		b.keeper.cfg.Log.Debug("git cannot be asked", "error", err)
	}
	return err != nil
}
