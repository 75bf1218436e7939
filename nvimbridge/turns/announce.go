// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"path/filepath"
	"time"
)

// saveLag is how long after a file was saved the editor may say so.
const saveLag = 2 * time.Second

// announce takes the bytes of the file that a client is about to write.
func (b *book) announce(client uint64, name, uri string) {
	t := b.turnOf(client)
	if t == nil { // its prompt came before anybody listened
		t = b.begin(client, name)
	}
	for _, path := range candidates(uri) {
		f := t.files[path]
		if f == nil {
			if f = b.baseline(t, path); f == nil {
				continue
			}
		}
		f.source, f.pending, f.idle, f.touched = Edit, true, false, false
		b.watch(t, filepath.Dir(path))
	}
}

func (b *book) baseline(t *turn, path string) *file {
	f := t.add(path)
	if f == nil {
		return nil
	}
	for _, folder := range absentFolders(path) {
		if len(b.made) < maxFiles {
			b.made[folder] = true
		}
	}
	f.before = b.keep(t, path, b.reader().read(path))
	f.announced = time.Now()
	// What the user wrote in the turn is no client's: only what was there later counts.
	f.checked = t.saved[path]
	return f
}

// add makes a turn know a file, unless it knows too many.
func (t *turn) add(path string) *file {
	if len(t.files) >= maxFiles {
		t.full = true
		return nil
	}
	f := &file{path: path}
	t.files[path] = f
	return f
}

// sampleOf takes what a client wrote. then is called once, when git is ready for what
// comes.
func (b *book) sampleOf(client uint64, then func()) {
	t := b.turnOf(client)
	if t == nil {
		then()
		return
	}
	b.sample(t)
	b.whenTaken(t, then)
	b.look(t, func() {})
}

// sample takes what the client left in the files that it announced.
func (b *book) sample(t *turn) {
	for _, f := range t.files {
		switch {
		case !f.pending:
		case f.last().stamp.holds(f.path):
			f.idle = true
		default:
			b.settle(t, f, b.reader().read(f.path))
		}
	}
}

// settle notes what a client left in a file. A file that is as it was may be about to be
// written: another of its agents asks meanwhile.
func (b *book) settle(t *turn, f *file, now State) {
	if f.last().same(now) {
		f.idle = true
		return
	}
	b.left(t, f, now)
	f.pending = false
}

// left notes what a client left in a file.
func (b *book) left(t *turn, f *file, now State) {
	b.shelf.release(f.after)
	f.after, f.sampled, f.guessed = b.keep(t, f.path, now), true, time.Time{}
	b.changed.note()
}

// guess is left for what git alone tells. Of several guesses that may all be the user's,
// what was before the first is remembered.
func (b *book) guess(t *turn, f *file, now State) {
	last := f.guessed
	if last.IsZero() || time.Since(last) > saveLag {
		b.shelf.release(f.prior)
		last, f.prior = time.Now(), b.shelf.keep(f.last())
	}
	b.left(t, f, now)
	f.guessed = last
}

// userSaved notes that the user saved a file in the editor.
func (b *book) userSaved(name string) {
	b.userWrote(name, func(f *file) {
		if !f.guessed.IsZero() && time.Since(f.guessed) < saveLag {
			f.after, f.prior, f.guessed = f.prior, f.after, time.Time{}
			b.changed.note()
		}
	})
}

// userWrote notes that the user wrote a file, in every open turn. If that knows the file as
// changed, known is called.
func (b *book) userWrote(name string, known func(*file)) {
	for _, path := range clean(name) {
		for _, t := range b.turns {
			if t.ended.IsZero() {
				b.userWroteIn(t, path, known)
			}
		}
	}
}

func (b *book) userWroteIn(t *turn, path string, known func(*file)) {
	f := t.files[path]
	if f != nil && f.pending && !f.sampled {
		if f.idle {
			b.release(f)
			delete(t.files, path)
			f = nil
		} else { // nothing tells which of the two wrote what
			b.settle(t, f, b.reader().read(path))
		}
	}
	switch {
	case f != nil:
		known(f)
		f.touched = true
	case len(t.saved) < maxFiles:
		t.saved[path] = true
	}
}
