// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"os"
	"time"
)

const (
	// maxRead is how many bytes are read of files for one picture or look, kept or not. What
	// comes after them is known by its size and times.
	maxRead = 128 << 20
	// lookDeadline is how long a picture or look may take, with all that git is asked.
	lookDeadline = 20 * time.Second
)

// reader reads states as far as bytes may be kept.
type reader struct {
	ctx    context.Context
	secret func(path string) bool // of patterns only, so that any goroutine may ask
	room   int64
	spent  int64            // of maxRead
	known  map[string]State // what an earlier picture has of files
}

// read is the state of a path. Once too much was read, bytes are not kept, or not read.
func (r *reader) read(path string) State {
	if s, ok := r.known[path]; ok && (s.text != nil || s.Why == Large) && s.stamp.holds(path) {
		return r.take(path, s)
	}
	if r.spent >= maxRead {
		return r.take(path, glance(r.ctx, path))
	}
	s := read(r.ctx, path)
	if s.Kind == File && s.Size <= maxHashed {
		r.spent += s.Size
	}
	return r.take(path, s)
}

// glance is the state of a path as far as it can be told without reading a file.
func glance(ctx context.Context, path string) State {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return read(ctx, path)
	}
	return State{Kind: File, Size: info.Size(), Mode: uint32(info.Mode().Perm()), Why: Memory, stamp: stampOf(info)}
}

// limited has the reader, and all that is asked for it, end in time.
func (r *reader) limited() (cancel context.CancelFunc) {
	r.ctx, cancel = context.WithTimeout(r.ctx, lookDeadline)
	return cancel
}

func (r *reader) take(path string, s State) State {
	if r.secret(path) {
		return s.without(Secret)
	}
	if n := int64(len(s.Bytes())); n > 0 {
		if r.room -= n; r.room < 0 {
			return s.without(Memory)
		}
	}
	return s
}
