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
		if f != nil {
			b.announceAgain(t, f)
		} else if f = b.baseline(t, path); f == nil {
			continue
		}
		f.source, f.pending, f.idle, f.touched = Edit, true, false, false
		f.seen, t.fresh = stamp{}, true
		b.writes.expect()
		b.watch(t, filepath.Dir(path))
	}
}

// announceAgain takes what is there now, of a file that the turn knows, for what somebody
// made of it: the client itself, or a command of its, or somebody else.
func (b *book) announceAgain(t *turn, f *file) {
	switch now := b.reader().read(f.path); {
	case f.last().same(now):
	case !f.touched && b.rival(t, f.path) == nil && (f.pending || t.pictures(f.path)):
		b.left(t, f, now)
	default:
		b.usersChange(t, f, rebase(f.before, f.last(), now))
		if f.sampled {
			b.left(t, f, now)
		}
	}
}

// usersChange notes what was before the client's changes, once the user changed the file in
// between.
func (b *book) usersChange(t *turn, f *file, before State) {
	b.shelf.release(f.before)
	f.before, f.checked = b.keep(t, f.path, before), true
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
	t.fresh = true
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
	b.userWrote(name, func(t *turn, f *file) {
		if !f.guessed.IsZero() && time.Since(f.guessed) < saveLag {
			f.after, f.prior, f.guessed = f.prior, f.after, time.Time{}
			t.revision++
			b.changed.note()
		}
	})
}

// userWrote notes that the user wrote a file, in every open turn. If that knows the file as
// changed, known is called.
func (b *book) userWrote(name string, known func(*turn, *file)) {
	for _, path := range clean(name) {
		for _, t := range b.turns {
			if t.ended.IsZero() {
				b.userWroteIn(t, path, known)
			}
		}
	}
}

func (b *book) userWroteIn(t *turn, path string, known func(*turn, *file)) {
	f := t.files[path]
	switch {
	case f == nil || !f.pending:
	case f.idle && !f.sampled:
		b.release(f)
		delete(t.files, path)
		f = nil
	case f.idle:
		f.pending = false
	default: // nothing tells which of the two wrote what
		if now := b.reader().read(path); !f.last().same(now) {
			b.usersChange(t, f, f.before.mixed())
			b.left(t, f, now)
		}
	}
	switch {
	case f != nil:
		known(t, f)
		f.touched = true
	case len(t.saved) < maxFiles:
		t.saved[path] = true
	}
}
