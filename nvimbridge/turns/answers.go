// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"slices"
	"time"
)

// Summary is a turn in a list of them.
type Summary struct {
	Turn   int64
	Client uint64
	// Name is what the client calls itself.
	Name  string
	Began time.Time
	// Open says that its client's next prompt is yet to come.
	Open bool
	// Files is how many files the turn changed, Added and Removed how many lines.
	Files, Added, Removed int
}

// Detail is a turn with its files, by path.
type Detail struct {
	Summary
	Changes []Change
	// More says that there were more than are known.
	More bool
	// Unseen says that there are so many work trees, or files of a sort, that it is not looked what
	// shell commands change in them: those that differ from the commit, or that git does not track.
	Unseen bool
}

// Change is one file of a turn.
type Change struct {
	Path string
	// What is created, modified or deleted.
	What   string
	Source Source
	// Added and Removed are lines; 0 if they are not known, or the file is Binary.
	Added, Removed int
	Binary         bool
	// Before and After are what was there when the turn began, and what the client left.
	Before, After State
}

// Versions are the bytes of a file of a turn, and what is there now.
type Versions struct {
	Path               string
	Before, After, Now State
}

// list answers with all turns, once it is known what they changed.
// refuse answers that something failed.
func (b *book) list(answer func([]Summary), refuse func()) {
	b.refresh(slices.Clone(b.turns), refuse, func() {
		var all []Summary
		for _, t := range slices.Backward(b.turns) {
			all = append(all, t.detail().Summary)
		}
		answer(all)
	})
}

// detail answers with the files of a turn, once they are known.
// shown says that the user is shown them.
func (b *book) detail(id int64, shown bool, answer func(Detail, error), refuse func()) {
	t := b.byID(id)
	if t == nil {
		answer(Detail{}, ErrNoTurn)
		return
	}
	b.refresh([]*turn{t}, refuse, func() {
		if shown {
			t.fresh, t.stirs = false, false
		}
		answer(t.detail(), nil)
	})
}

// refresh finds out what open turns changed and counts lines. then is called once, when
// that is done or lookWait has passed, and refuse if it panics.
func (b *book) refresh(turns []*turn, refuse, then func()) {
	answered := false
	once := func() {
		if !answered {
			answered = true
			orElse(then, refuse)
		}
	}
	late := time.AfterFunc(b.wait, func() { b.keeper.deliver(func() { b.count(turns, once) }) })
	left := 1
	done := func() {
		if left--; left == 0 {
			b.count(turns, func() { late.Stop(); once() })
		}
	}
	for _, t := range turns {
		if t.ended.IsZero() {
			b.sample(t)
			left++
			b.whenTaken(t, func() { b.look(t, t.last, done) })
		}
	}
	done()
}

func (t *turn) detail() Detail {
	d := Detail{Summary: Summary{Turn: t.id, Client: t.client, Name: t.name, Began: t.began, Open: t.ended.IsZero()}, More: t.full, Unseen: t.unseen}
	for _, f := range t.changes() {
		c := Change{Path: f.path, What: f.what(), Source: f.source, Binary: f.binary(), Before: f.before, After: f.after}
		if f.counts.of == f.pair() {
			c.Added, c.Removed = f.counts.added, f.counts.removed
		}
		d.Files++
		d.Added += c.Added
		d.Removed += c.Removed
		d.Changes = append(d.Changes, c)
	}
	return d
}

func (f *file) what() string {
	switch {
	case f.before.Kind == Absent:
		return "created"
	case f.after.Kind == Absent:
		return "deleted"
	}
	return "modified"
}

// sniffed is how many bytes tell whether a file is binary, as for git.
const sniffed = 8000

func (f *file) binary() bool {
	return slices.ContainsFunc([]State{f.before, f.after}, func(s State) bool {
		content := s.Bytes()
		return bytes.IndexByte(content[:min(len(content), sniffed)], 0) >= 0
	})
}

// versions reads what is there now of a file of a turn.
func (b *book) versions(id int64, name string) (Versions, error) {
	t := b.byID(id)
	if t == nil {
		return Versions{}, ErrNoTurn
	}
	// Since the turn a symlink may have come in place of a folder above.
	for _, path := range append([]string{name}, clean(name)...) {
		if f := t.files[path]; f != nil && f.sampled() {
			r := b.reader()
			now := r.read(path)
			if b.secret(path) {
				now = now.without(Secret)
			}
			return Versions{Path: path, Before: f.before, After: f.after, Now: now}, nil
		}
	}
	return Versions{}, ErrNoFile
}
