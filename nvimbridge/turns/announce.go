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
		f.tells()
		f.on(onAnnounced)
		t.acts()
		b.writes.expect()
		b.watch(t, filepath.Dir(path))
	}
}

// announceAgain takes what is there now, of a file that the turn knows, for what somebody
// made of it: the client itself, or a command of its, or somebody else.
func (b *book) announceAgain(t *turn, f *file) {
	switch now := b.reader().read(f.path); {
	case f.last().same(now):
	case f.word != wordUser && b.rival(t, f.path) == nil && (f.awaited() || t.pictures(f.path)):
		if !f.awaited() && f.last().Why != Secret { // of which nothing tells that it is another
			f.shows()
		}
		b.guess(t, f, now)
	default:
		b.usersChange(t, f, rebase(f.before, f.last(), now))
		if f.sampled() {
			b.left(t, f, now)
		}
	}
}

// tells notes that the client told before it writes a file.
func (f *file) tells() {
	if f.source == "" || f.source != Edit && f.before.same(f.last()) {
		f.source = Edit
	} else if f.source != Edit {
		f.source = Both
	}
	f.seen = stamp{}
}

// shows notes that git showed a change of a file that nobody told of.
func (f *file) shows() {
	if f.source == Edit {
		f.source = Both
	}
}

// usersChange notes what was before the client's changes, once the user changed the file in
// between.
func (b *book) usersChange(t *turn, f *file, before State) {
	b.shelf.release(f.before)
	f.before, f.checked = b.keep(t, f.path, before), true
}

func (b *book) baseline(t *turn, path string) *file {
	f := b.add(t, path)
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
func (b *book) add(t *turn, path string) *file {
	if len(t.files) >= maxFiles {
		t.full = true
		return nil
	}
	f := &file{path: path}
	t.files[path] = f
	b.shelf.enter(1, entryCost)
	b.makeRoom(t)
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
	t.signed()
	b.sample(t)
	b.whenTaken(t, then)
	b.look(t, t.sure, func() {})
}

// signed notes that the client is about to ask its model. It also is as the first thing of its
// next prompt: so what is found by a first sign after the user looked is the client's only if
// the turn goes on.
func (t *turn) signed() {
	if t.stirs {
		t.acts()
	}
	t.stirs = !t.fresh
	t.sure, t.last = t.last, time.Now()
}

// acts notes that the turn goes on: what was found since the first sign is the client's.
func (t *turn) acts() {
	t.fresh, t.stirs = true, false
	t.sure, t.last = time.Now(), time.Now()
	for _, f := range t.files {
		if f.stirred && f.source == Later {
			f.source = Shell
			t.revision++
		}
		f.stirred = false
	}
}

// sample takes what the client left in the files that it announced.
func (b *book) sample(t *turn) {
	for _, f := range t.files {
		switch {
		case !f.awaited(), f.stage == stageDelay && !t.fresh:
		case f.last().stamp.holds(f.path):
			f.on(onSame)
		default:
			b.settle(t, f, b.reader().read(f.path))
		}
	}
}

// settle notes what a client left in a file. A file that is as it was may be about to be
// written: another of its agents asks meanwhile.
func (b *book) settle(t *turn, f *file, now State) {
	if f.last().same(now) {
		f.on(onSame)
		return
	}
	b.left(t, f, now)
}

// left notes what a client left in a file.
func (b *book) left(t *turn, f *file, now State) {
	b.take(t, f, now)
	f.on(onTaken)
}

func (b *book) take(t *turn, f *file, now State) {
	b.shelf.release(f.after)
	f.after, f.taken = b.keep(t, f.path, now), time.Now()
	b.changed.note()
}

// guess is left for what git alone tells. Of several guesses that may all be the user's,
// what was before the first is remembered.
func (b *book) guess(t *turn, f *file, now State) {
	if f.word != wordGit || time.Since(f.guessed) > b.lag {
		b.shelf.release(f.prior)
		f.guessed, f.prior = time.Now(), b.shelf.keep(f.last())
	}
	b.take(t, f, now)
	f.on(onGuessed)
}

// userWrote notes that the user wrote a file, not before a time, in every turn that may have
// taken that for its client's doing.
func (b *book) userWrote(name string, since time.Time) {
	for _, path := range clean(name) {
		for _, t := range b.turns {
			if t.closed.IsZero() || t.closed.After(since) {
				b.userWroteIn(t, path, since)
			}
			if !t.closed.IsZero() && len(t.changes()) == 0 {
				b.drop(t)
			}
		}
	}
}

func (b *book) userWroteIn(t *turn, path string, since time.Time) {
	f := t.files[path]
	if f != nil && f.stage == stageDelay && !f.sampled() {
		b.release(f)
		delete(t.files, path)
		f = nil
	}
	if f == nil {
		if t.saved != nil && len(t.saved) < maxFiles {
			t.saved[path] = true
		}
		return
	}
	// What the user wrote before the client announced it is no command's.
	f.checked = f.checked || f.announced.After(since)
	now := b.reader().read(path)
	switch taken := f.sampled() && (f.after.stamp.is(now.stamp) || f.after.Kind == Absent && now.Kind == Absent); {
	case f.word == wordGit && f.guessed.After(since):
		b.takeBackGuess(t, f, now)
	case taken && f.taken.After(since), !taken && f.stage == stageAwait && !f.last().same(now):
		// Nothing tells which of the two wrote what.
		b.usersChange(t, f, f.before.mixed())
		b.take(t, f, now)
	}
	f.on(onUserWrote)
}

// takeBackGuess has what git alone told be the user's.
func (b *book) takeBackGuess(t *turn, f *file, now State) {
	f.after, f.prior = f.prior, f.after
	t.revision++
	b.changed.note()
	if !f.awaited() {
		return
	}
	before := f.before.mixed()
	if f.prior.same(now) {
		before = rebase(f.before, f.after, now)
	}
	b.usersChange(t, f, before)
	b.take(t, f, now)
}
