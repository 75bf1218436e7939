// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"maps"
	"regexp"
	"time"
)

// look finds out with git what changed in a turn. sign is the client's last sign that counts.
// then is called once.
func (b *book) look(t *turn, sign time.Time, then func()) {
	left := 1
	done := func() {
		if left--; left == 0 {
			then()
		}
	}
	for folder, one := range t.trees {
		if one.picture != nil {
			left++
			b.lookAt(t, one, folder, sign, done)
		}
	}
	done()
}

func (b *book) lookAt(t *turn, one *tree, folder string, sign time.Time, then func()) {
	if sign.After(one.sign) {
		one.sign = sign
	}
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
	one.looking = true
	var changes []change
	b.looks.add(b, task{
		run: func() (err error) { changes, err = b.work.look(&frozen, r, known); return err },
		done: func(err error) {
			one.looking = false
			defer b.lookAgain(t, one, folder)
			defer then()
			if !b.failed(folder, err) {
				b.looked(t, p, sign, changes)
			}
		},
	})
}

// lookAgain does what was asked for during a look.
func (b *book) lookAgain(t *turn, one *tree, folder string) {
	again := one.again
	if again == nil {
		return
	}
	one.again = nil
	then := func() { all(again) }
	if one.picture == nil {
		then()
		return
	}
	b.lookAt(t, one, folder, one.sign, then)
}

// looked notes what git showed.
func (b *book) looked(t *turn, p *picture, sign time.Time, changes []change) {
	if t.gone {
		return
	}
	for _, c := range changes {
		if f := t.files[c.path]; f != nil {
			b.lookedKnown(t, f, sign, c)
		} else if !t.saved[c.path] && c.before != nil && !c.passes() {
			b.lookedNew(t, p, c)
		}
	}
}

// passing is the name of a file through which the client writes another: that is renamed to it.
var passing = regexp.MustCompile(`\.tmp\.\d+\.[0-9a-f]+$`)

// passes tells of a new file that it is there only for a moment.
func (c change) passes() bool {
	return c.before.Kind == Absent && passing.MatchString(c.path)
}

// lookedKnown notes what git showed of a file that the turn knows.
func (b *book) lookedKnown(t *turn, f *file, sign time.Time, c change) {
	if c.before != nil && !f.checked && !f.before.same(*c.before) {
		// A shell command changed it before the client announced it.
		b.shelf.release(f.before)
		f.before = b.keep(t, f.path, *c.before)
		f.shows()
		b.changed.note()
	}
	f.checked = f.checked || c.before != nil
	switch {
	case c.asked.Before(f.taken), c.asked.Before(f.announced): // more is known since
	case f.stage == stageAwait, f.stage == stageDelay && t.fresh:
		b.settle(t, f, c.after)
	case (f.source == Edit || f.source == Both) && f.since(c.after).After(sign.Add(-clockTick)): // with no sign of the client since
	case f.sampled() && t.fresh && f.word != wordUser && !f.after.same(c.after) && !b.others(t, c):
		f.shows()
		b.guess(t, f, c.after)
	}
}

// since is when what is in place of what a client left came at the earliest.
func (f *file) since(now State) time.Time {
	if at := now.stamp.written(); now.Kind != Absent {
		return at
	}
	return f.taken
}

// lookedNew notes what git showed of a file that the turn does not know.
func (b *book) lookedNew(t *turn, p *picture, c change) {
	before := *c.before
	if other := b.rival(t, c.path); other != nil {
		if other.after.same(c.after) || !other.sampled() {
			return // that is what the other client did
		}
		switch {
		case other.taken.Before(p.began): // and what came since is not in the picture
		case other.word == wordUser:
			before = before.mixed()
		default:
			before = other.after
		}
	}
	f := b.add(t, c.path)
	if f == nil {
		return
	}
	f.source, f.stirred, f.checked, f.before = t.shells(), t.stirs, true, b.keep(t, c.path, before)
	b.guess(t, f, c.after)
}

// shells is the source of what git shows now.
func (t *turn) shells() Source {
	if t.fresh {
		return Shell
	}
	return Later
}
