// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"strings"
)

// batch reads many files from one git, as it prints them. Conversion changes a content's
// length, which git does not tell: so what ends it is the complaint about an object whose
// name nobody can know.
type batch struct {
	end   []byte // a line break and the line of that complaint
	asked []asked
	room  int64
	found map[string]blob

	pending []byte // of git's output
	inside  bool   // the object's first line is read
	isBlob  bool
	one     blob
	hash    hash.Hash
	full    bool
}

type asked struct {
	entry
	size int64
}

var errBatch = errors.New("git cat-file answers in an unknown format")

func (b *batch) run(ctx context.Context, g git) error {
	if len(b.asked) == 0 {
		return nil
	}
	name, _, _ := bytes.Cut(b.end[1:], []byte(" "))
	var ask strings.Builder
	for _, a := range b.asked {
		fmt.Fprintf(&ask, "%s %s\n%s x\n", a.object, a.name, name)
	}
	err := g.run(ctx, strings.NewReader(ask.String()), b, "cat-file", "--batch", "--filters")
	if b.full {
		for _, a := range b.asked {
			b.found[a.name] = blob{size: a.size, why: Memory}
		}
		return nil
	}
	if err == nil && len(b.asked) > 0 {
		err = errBatch
	}
	return err
}

// maxFirst is more bytes than an object's first line has: its name, kind and size.
const maxFirst = 128

// Write takes git's output.
func (b *batch) Write(p []byte) (int, error) {
	b.pending = append(b.pending, p...)
	for len(b.pending) > 0 {
		if len(b.asked) == 0 {
			return 0, errBatch
		}
		if more, err := b.begin(); more || err != nil {
			return len(p), err
		}
		i := bytes.Index(b.pending, b.end)
		if i < 0 {
			b.add(max(0, len(b.pending)-len(b.end)+1))
			break
		}
		b.add(i)
		b.pending = b.pending[len(b.end):]
		b.next()
	}
	if b.full = b.room < 0; b.full {
		return 0, errGitOutput
	}
	return len(p), nil
}

// begin takes the first line of an object. It reports whether there must come more for that.
func (b *batch) begin() (more bool, err error) {
	if b.inside {
		return false, nil
	}
	i := bytes.IndexByte(b.pending, '\n')
	switch {
	case i < 0 && len(b.pending) < maxFirst:
		return true, nil
	case i < 0:
		return false, errBatch
	}
	b.inside, b.isBlob = true, bytes.Contains(b.pending[:i], []byte(" blob "))
	b.pending = b.pending[i:]
	if b.isBlob { // or the line break is that before an end
		b.pending = b.pending[1:]
	}
	b.one, b.hash = blob{content: make([]byte, 0, min(b.asked[0].size, MaxFile))}, sha256.New()
	return false, nil
}

// add takes n bytes of a content.
func (b *batch) add(n int) {
	part := b.pending[:n]
	b.pending = b.pending[n:]
	b.room -= int64(n)
	b.one.size += int64(n)
	_, _ = b.hash.Write(part)
	if b.one.size <= MaxFile {
		b.one.content = append(b.one.content, part...)
	} else {
		b.one.content, b.one.why = nil, Large
	}
}

// next goes on to the next object.
func (b *batch) next() {
	name := b.asked[0].name
	b.asked = b.asked[1:]
	if b.isBlob {
		b.hash.Sum(b.one.sum[:0])
		b.one.content = exact(b.one.content)
		b.found[name] = b.one
	} else {
		b.found[name] = blob{why: Unreadable}
	}
	b.inside, b.one = false, blob{}
}
