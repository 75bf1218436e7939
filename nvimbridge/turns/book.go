// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"cmp"
	"slices"
	"time"
)

// maxForgotten is how many files may be forgotten by name. From then on nothing is kept of
// any.
const maxForgotten = 1 << 16

// book is what the keeper's goroutine knows: all turns, and what is being found out.
type book struct {
	keeper  *Keeper
	options Options
	folders []string
	turns   []*turn // oldest first
	last    int64   // id of the newest
	shelf   shelf
	// forgotten are files of which nothing may be kept, whatever their names.
	forgotten map[string]bool
	// made are folders that did not exist before a client wrote into them.
	made map[string]bool
	// looks ask git, and errands do what must not wait for that.
	looks, errands tasks
	work           work
	lag, wait      time.Duration        // saveLag and lookWait
	bad            map[string]time.Time // folders, and until when git is not asked about them
	changed        changed
	writes         writes
}

// Source is how it was found out that a file changed.
type Source string

// The sources.
const (
	Edit  Source = "edit"  // the client told before it wrote
	Shell Source = "shell" // git showed it
	Both  Source = "both"  // the one and the other
	// Later is that of what git showed after the user had looked, with no sign of the client
	// in between: another program may have done it as well.
	Later Source = "later"
)

// turn is what a client does from one prompt to the next.
type turn struct {
	id     int64
	client uint64
	name   string
	began  time.Time
	ended  time.Time // zero: it is open
	closed time.Time // when all that it changed was known, zero before
	files  map[string]*file
	// saved are files that the user wrote before the client did.
	saved map[string]bool
	trees map[string]*tree // by the folder that is looked at
	full  bool             // there are files beyond maxFiles
	// unseen says that a picture leaves out files of a sort, or that there are too many work trees.
	unseen bool
	// fresh says that the user was not shown the turn since the client's last sign.
	fresh bool
	// last is the client's last sign, and sure the last that cannot be one of its next prompt.
	last, sure time.Time
	// stirs says that there was one sign since, which may be the next prompt's.
	stirs bool
	gone  bool // it is not remembered any more
	// revision counts what was noted of its files.
	revision int64
}

// file is a file that a client changed in a turn, or may change.
type file struct {
	path          string
	source        Source
	before, after State
	announced     time.Time // when before was taken from disk; zero if git told
	stage         stage
	word          word
	// seen is what was there when it was last looked whether the client wrote it.
	seen stamp
	// taken is when after was.
	taken time.Time
	// stirred says that it was found after such a sign.
	stirred bool
	// checked says that before is what was there when the turn began.
	checked bool
	// guessed is when git alone told after, instead of prior: that may turn out to be what
	// the user just saved.
	guessed time.Time
	prior   State
	counts  counts
}

// last is what the client left, as far as that is known.
func (f *file) last() State {
	if f.sampled() {
		return f.after
	}
	return f.before
}

// states are those that the shelf holds.
func (f *file) states() []*State { return []*State{&f.before, &f.after, &f.prior} }

func newBook(k *Keeper) *book {
	return &book{keeper: k, shelf: shelf{texts: map[digest]*text{}}, forgotten: map[string]bool{}, made: map[string]bool{},
		bad: map[string]time.Time{}, work: allWork, lag: saveLag, wait: lookWait}
}

func (b *book) configure(o Options) {
	b.options = o
	for _, t := range b.turns {
		for path, f := range t.files {
			if b.secret(path) {
				b.strip(f, Secret)
			}
		}
		for _, one := range t.trees {
			one.hide(&b.shelf, b.secret)
		}
	}
}

// secret reports whether nothing may be kept of a file.
func (b *book) secret(path string) bool {
	return b.forgotten[path] || len(b.forgotten) >= maxForgotten || patterns(b.options.Secret).match(path)
}

// reader reads states on the keeper's goroutine.
func (b *book) reader() *reader { return b.readerOf(maxKept) }

// readerOf makes a reader for any goroutine.
func (b *book) readerOf(room int64) *reader {
	return &reader{ctx: b.keeper.ctx, secret: patterns(b.options.Secret).match, room: room}
}

// keep puts a state on the shelf, if it may be kept and there is room.
func (b *book) keep(t *turn, path string, s State) State {
	t.revision++
	if b.secret(path) {
		return s.without(Secret)
	}
	s = b.shelf.keep(s)
	b.makeRoom(t)
	if b.shelf.used > maxKept {
		return b.shelf.strip(s, Memory)
	}
	return s
}

// makeRoom drops the bytes of turns before one, the oldest first, then the turns themselves.
func (b *book) makeRoom(t *turn) {
	older := b.turns[:max(0, slices.Index(b.turns, t))]
	for _, old := range older {
		if b.shelf.used <= maxKept {
			return
		}
		for _, f := range old.files {
			b.strip(f, Memory)
		}
		old.dropTrees(&b.shelf)
	}
	for _, old := range older {
		if b.shelf.used > maxKept && !old.closed.IsZero() {
			b.drop(old)
		}
	}
}

// strip drops the bytes of a file.
func (b *book) strip(f *file, why Why) {
	for _, s := range f.states() {
		*s = b.shelf.strip(*s, why)
	}
}

func (b *book) forget(paths []string) {
	for _, name := range paths {
		for _, path := range clean(name) {
			if len(b.forgotten) < maxForgotten {
				b.forgotten[path] = true
			}
			for _, t := range b.turns {
				if f := t.files[path]; f != nil {
					b.strip(f, Secret)
				}
				for _, one := range t.trees {
					one.hide(&b.shelf, func(name string) bool { return name == path })
				}
			}
		}
	}
}

// turnOf is the open turn of a client, or nil.
func (b *book) turnOf(client uint64) *turn {
	i := slices.IndexFunc(b.turns, func(t *turn) bool { return t.client == client && t.ended.IsZero() })
	if i < 0 {
		return nil
	}
	return b.turns[i]
}

func (b *book) byID(id int64) *turn {
	i := slices.IndexFunc(b.turns, func(t *turn) bool { return t.id == id })
	if i < 0 {
		return nil
	}
	return b.turns[i]
}

// begin ends the client's turn and begins another.
func (b *book) begin(client uint64, name string) *turn {
	b.leave(client)
	b.last++
	t := &turn{id: b.last, client: client, name: name, began: time.Now(), fresh: true,
		files: map[string]*file{}, saved: map[string]bool{}, trees: map[string]*tree{}}
	b.turns = append(b.turns, t)
	if len(b.turns) > MaxTurns {
		oldest := max(0, slices.IndexFunc(b.turns[:MaxTurns], func(t *turn) bool { return !t.ended.IsZero() }))
		b.drop(b.turns[oldest])
	}
	for _, folder := range b.folders {
		b.watch(t, folder)
	}
	return t
}

// leave ends the client's turn, if it has one, once all that it changed is known.
func (b *book) leave(client uint64) {
	t := b.turnOf(client)
	if t == nil {
		return
	}
	b.sample(t)
	t.ended = time.Now()
	b.look(t, t.sure, func() {
		t.closed, t.saved = time.Now(), nil
		t.dropTrees(&b.shelf)
		if !t.gone && len(t.changes()) == 0 {
			b.drop(t)
		}
	})
}

// release takes a file off the shelf.
func (b *book) release(f *file) {
	b.shelf.enter(-1, entryCost)
	for _, s := range f.states() {
		b.shelf.release(*s)
	}
}

// drop forgets a turn.
func (b *book) drop(t *turn) {
	for _, f := range t.files {
		b.release(f)
	}
	t.dropTrees(&b.shelf)
	t.gone = true
	// Somebody may be going through the turns.
	b.turns = slices.DeleteFunc(slices.Clone(b.turns), func(o *turn) bool { return o == t })
	b.changed.note()
}

// changes are the files that the turn changed, by path.
func (t *turn) changes() []*file {
	var changed []*file
	for _, f := range t.files {
		if f.sampled() && !f.before.same(f.after) {
			changed = append(changed, f)
		}
	}
	slices.SortFunc(changed, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	return changed
}
