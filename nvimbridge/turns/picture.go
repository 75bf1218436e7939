// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// maxTrees is how many work trees a turn looks at.
	maxTrees = 8
	// maxLoose is how many files may differ from the commit, or be untracked, when a turn
	// begins. If more of one sort do, the files of that sort are left out.
	maxLoose = 4096
	// maxPicture is how many bytes are read of them, and maxLook of what changed.
	maxPicture = 16 << 20
	maxLook    = 64 << 20
)

// picture is what git and the disk know of a work tree when a turn begins. It does not
// change.
type picture struct {
	git    git
	commit string
	began  time.Time // when it was asked for
	taken  time.Time // when that was known
	// loose are the files that differed from the commit or were untracked, by path.
	loose map[string]State
	// tracked and others say that the files of either sort are known.
	tracked, others bool
	// nested are the folders of its submodules, which have pictures of their own.
	nested []string
}

// take takes the picture of the work tree that a folder is in.
func take(r *reader, folder string) (*picture, error) {
	defer r.limited()()
	p := &picture{loose: map[string]State{}, began: time.Now()}
	var err error
	if p.git, p.commit, err = head(r.ctx, folder); err != nil {
		return nil, err
	}
	own, remove, err := p.git.apart(r.ctx, p.commit)
	if err != nil {
		return nil, err
	}
	defer remove()
	differing, err := own.differing(r.ctx, p.commit)
	if err != nil {
		return nil, err
	}
	others, err := own.untracked(r.ctx)
	if err != nil {
		return nil, err
	}
	if p.tracked = len(differing) <= maxLoose; p.tracked {
		for _, e := range differing {
			p.note(r, e.name)
		}
	}
	if p.others = len(others) <= maxLoose; p.others {
		for _, name := range others {
			p.note(r, name)
		}
	}
	if p.nested, err = own.submodules(r.ctx); err != nil {
		return nil, err
	}
	p.taken = time.Now()
	return p, r.ctx.Err()
}

func (p *picture) note(r *reader, name string) {
	if path := p.path(name); r.ctx.Err() == nil {
		p.loose[path] = r.read(path)
	}
}

// lastPicture is what the newest picture of the work tree that a folder is in has of files.
func (b *book) lastPicture(folder string) map[string]State {
	for _, t := range slices.Backward(b.turns) {
		for _, one := range t.trees {
			if one.picture != nil && one.picture.has(folder) {
				return maps.Clone(one.picture.loose)
			}
		}
	}
	return nil
}

// has reports whether a path is in the work tree, and not in a repository in it, which git
// leaves out.
func (p *picture) has(path string) bool { return owns(p.git.folder, path) }

// owns reports whether a path is in a folder with no repository in between.
func owns(folder, path string) bool {
	if !within(path, folder) {
		return false
	}
	for ; path != folder; path = filepath.Dir(path) {
		if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
			return false
		}
	}
	return true
}

func (p *picture) path(name string) string {
	return filepath.Join(p.git.folder, filepath.FromSlash(name))
}

// change is what a look found at a path.
type change struct {
	path string
	// before is nil if it was not asked for.
	before *State
	after  State
	asked  time.Time // when after was looked for
}

// knownFile is what is known of a file before a look.
type knownFile struct {
	after  stamp
	before bool // what was there when the turn began need not be found out
}

// look finds what differs from the picture now.
func (p *picture) look(r *reader, known map[string]knownFile) ([]change, error) {
	defer r.limited()()
	own, remove, err := p.git.apart(r.ctx, p.commit)
	if err != nil {
		return nil, err
	}
	defer remove()
	var differing []entry
	var others []string
	if p.tracked {
		if differing, err = own.differing(r.ctx, p.commit); err != nil {
			return nil, err
		}
	}
	if p.tracked && p.others { // else what is untracked now may have been tracked
		if others, err = own.untracked(r.ctx); err != nil {
			return nil, err
		}
	}
	l := looking{picture: p, own: own, reader: r, known: known, seen: map[string]bool{}}
	for path, before := range p.loose {
		l.visit(path, &before, nil)
	}
	for _, e := range differing {
		l.visit(p.path(e.name), nil, &e)
	}
	for _, name := range others {
		l.visit(p.path(name), &absent, nil)
	}
	for path := range known { // what is as it was before the turn again
		l.visit(path, nil, nil)
	}
	return l.finish()
}

type looking struct {
	*picture
	own     git
	reader  *reader
	known   map[string]knownFile
	seen    map[string]bool
	changes []change
	asked   []entry        // of which the commit is to tell the state before
	indices map[string]int // of changes, by the name of entries
	odd     int            // files of which the index was asked
}

// visit looks at one path. before is what was there, nil if the commit is to tell.
func (l *looking) visit(path string, before *State, e *entry) {
	if l.seen[path] || len(l.changes) > maxFiles || l.reader.ctx.Err() != nil { // one more than a turn knows
		return
	}
	l.seen[path] = true
	known, isKnown := l.known[path]
	if isKnown && known.before && known.after.holds(path) || !isKnown && before != nil && before.stamp.holds(path) {
		return
	}
	c := change{path: path, asked: time.Now()}
	c.after = l.reader.read(path)
	switch {
	case known.before, before == nil && e == nil:
	case before == nil && e.exists():
		if l.indices == nil {
			l.indices = map[string]int{}
		}
		l.indices[e.name] = len(l.changes)
		l.asked = append(l.asked, *e)
	case before == nil:
		c.before = &absent
	default:
		if !isKnown && before.same(c.after) {
			return
		}
		c.before = before
	}
	l.changes = append(l.changes, c)
}

// finish asks the commit, and leaves out what did not change.
func (l *looking) finish() ([]change, error) {
	if err := l.reader.ctx.Err(); err != nil {
		return nil, err
	}
	if len(l.asked) > 0 {
		contents, err := l.own.contents(l.reader.ctx, l.commit, l.asked, maxLook)
		if err != nil {
			return nil, err
		}
		for _, e := range l.asked {
			c := &l.changes[l.indices[e.name]]
			before := l.reader.take(c.path, committed(e, l.onDisk(e, contents[e.name], c.after), c.after))
			c.before = &before
		}
	}
	changed := l.changes[:0]
	for _, c := range l.changes {
		if _, isKnown := l.known[c.path]; isKnown || c.before == nil || !c.before.same(c.after) {
			changed = append(changed, c)
		}
	}
	return changed, nil
}

const (
	linkMode = "120000"
	execMode = "100755"
)

// committed is what the commit has of a file. Of the mode a commit knows only whether it
// may be executed; the rest is that of the file now.
func committed(e entry, b blob, now State) State {
	if e.mode == linkMode {
		return b.state(Symlink, 0)
	}
	mode := uint32(0o644)
	if now.Kind == File && now.Mode != 0 {
		mode = now.Mode &^ 0o111
	}
	if e.mode == execMode {
		mode |= mode & 0o444 >> 2
	}
	if now.Kind == File && (e.now == e.mode || (now.Mode&0o100 != 0) == (e.mode == execMode)) {
		mode = now.Mode
	}
	return b.state(File, mode)
}
