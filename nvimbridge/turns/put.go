// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// MaxPut is how many files one Put may write.
	MaxPut = maxFiles
	// MaxPutBytes is how many bytes they may have together.
	MaxPutBytes = 64 << 20
)

// Why a file was not written.
var (
	ErrChanged  = errors.New("the file is not as it was expected to be")
	ErrAnother  = errors.New("nothing was written, because another file is not as expected")
	ErrTooMany  = errors.New("too many files at once")
	ErrTooLarge = errors.New("more than 64 MiB at once; take files back one by one")
	ErrPath     = errors.New("the path is not absolute, or names no file")
	ErrTwice    = errors.New("the file is named twice")
	ErrNoState  = errors.New("what to write is neither a file, a symlink nor nothing")
	errNotEmpty = errors.New("there is a folder with files, or no file at all")
)

// Put is a file that the user wants to be as it was.
type Put struct {
	Path string
	// Expect is what must be there: a kind, and the hash of a file or symlink.
	Expect Expectation
	// Kind is File, Symlink or Absent; Content a file's bytes or a symlink's target. A Mode
	// of 0 is that of the file that is there.
	Kind    Kind
	Content []byte
	Mode    uint32
}

// Expectation is what must be at a path.
type Expectation struct {
	Kind Kind
	Hash string
}

func (e Expectation) meets(s State) bool {
	return e.Kind == s.Kind && (s.Kind == Absent || s.Kind == Other || s.Hash() != "" && s.Hash() == e.Hash)
}

// each is n times the same error.
func each(n int, err error) []error { return slices.Repeat([]error{err}, n) }

// tooMuch is why so many files are not written at once.
func tooMuch(files []Put) error {
	if len(files) > MaxPut {
		return ErrTooMany
	}
	size := 0
	for _, f := range files {
		size += len(f.Content)
	}
	if size > MaxPutBytes {
		return ErrTooLarge
	}
	return nil
}

// put writes files.
func (b *book) put(files []Put, answer func([]error)) {
	made := maps.Clone(b.made)
	w := &writing{ctx: b.keeper.ctx, made: made}
	began := time.Now()
	b.errands.add(b, task{run: func() error {
		w.errs = each(len(files), ErrUnknown)
		b.work.write(w, files)
		return nil
	}, done: func(err error) {
		if errors.Is(err, ErrBusy) {
			w.errs = each(len(files), err)
		}
		defer func() { answer(w.errs) }()
		for i, one := range w.files {
			if w.errs[i] == nil {
				b.userWrote(one.path, began)
			}
		}
	}})
}

// writing is one Put on its way.
type writing struct {
	ctx   context.Context
	made  map[string]bool // folders that may go when they are empty
	files []target
	errs  []error // ErrUnknown of what is not done yet
}

type target struct {
	Put
	path string
	now  State
	info fs.FileInfo // of now; nil if nothing is there
}

// run checks all files, then writes them: what is to go first, so that a file can be where
// a folder was.
func (w *writing) run(files []Put) {
	errs, good := w.check(files)
	if !good {
		for i, err := range errs {
			w.errs[i] = cmp.Or(err, ErrAnother)
		}
		return
	}
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(w.files[i].path, w.files[j].path) })
	for _, i := range slices.Backward(order) {
		w.do(i, Absent, w.remove)
	}
	for _, i := range order {
		w.do(i, File, w.write)
		w.do(i, Symlink, w.write)
	}
}

// do does what is to be done of a file of a kind, unless the keeper ends.
func (w *writing) do(i int, kind Kind, do func(*target) error) {
	if one := &w.files[i]; one.Kind == kind {
		if w.errs[i] = errClosed; w.ctx.Err() == nil {
			w.errs[i] = do(one)
		}
	}
}

// check looks whether all files are as expected.
func (w *writing) check(files []Put) (errs []error, good bool) {
	errs, good = make([]error, len(files)), true
	seen := map[string]bool{}
	for i, f := range files {
		one := target{Put: f}
		switch paths := clean(f.Path); {
		case len(paths) == 0:
			errs[i] = ErrPath
		case seen[paths[0]]:
			errs[i] = ErrTwice
		case f.Kind != File && f.Kind != Symlink && f.Kind != Absent:
			errs[i] = ErrNoState
		default:
			one.path = paths[0]
			seen[one.path] = true
			one.now = read(w.ctx, one.path)
			one.info, _ = os.Lstat(one.path)
			if !f.Expect.meets(one.now) {
				errs[i] = ErrChanged
			}
			one.now.text = nil
		}
		w.files = append(w.files, one)
		good = good && errs[i] == nil
	}
	return errs, good
}

// unchanged reports whether what is there is as it was when it was checked. Times tell that only
// if they were old then; what tells otherwise is read again, for they also change with
// another name of the file.
func (w *writing) unchanged(t *target) bool {
	info, err := os.Lstat(t.path)
	switch {
	case t.now.Kind == Absent:
		return missing(err)
	case err != nil || t.info == nil || info.Mode() != t.info.Mode():
		return false
	case t.now.Kind == Other || t.now.stamp.tells() && t.now.stamp.is(stampOf(info)):
		return true
	}
	t.info = info
	return t.Expect.meets(read(w.ctx, t.path))
}

// done reports whether what is to be written is there, as it is if the file was written by another of
// its names.
func (w *writing) done(t *target) bool {
	now := read(w.ctx, t.path)
	return t.Kind == File && now.same(stateOf(File, cmp.Or(t.Mode, now.Mode), t.Content))
}

// remove removes a file, and the folders above it that are empty and were not there before
// a client wrote into them.
func (w *writing) remove(t *target) error {
	switch {
	case t.now.Kind == Absent:
		return nil
	case t.now.Kind == Other || !w.unchanged(t):
		return ErrChanged
	}
	if err := os.Remove(t.path); err != nil {
		return reason("removing it", err)
	}
	for dir := filepath.Dir(t.path); w.made[dir] && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
	}
	return nil
}

func (w *writing) write(t *target) error {
	if !w.unchanged(t) {
		if w.done(t) {
			return nil
		}
		return ErrChanged
	}
	if t.now.Kind == Other && (!t.info.IsDir() || os.Remove(t.path) != nil) {
		return errNotEmpty
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o777); err != nil {
		return reason("making its folder", err)
	}
	if t.Kind == Symlink {
		return reason("writing it", relink(t.path, string(t.Content)))
	}
	mode := fs.FileMode(t.Mode) & fs.ModePerm
	if mode == 0 {
		mode = 0o644
		if t.now.Kind == File {
			mode = fs.FileMode(t.now.Mode)
		}
	}
	return reason("writing it", replace(t.path, t.Content, mode, t.info))
}

// reason is an error without the path, which who asked knows.
func reason(doing string, err error) error {
	if err == nil {
		return nil
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	} else if at, ok := errors.AsType[*os.LinkError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
