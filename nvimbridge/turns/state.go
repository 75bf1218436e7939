// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

const (
	// MaxFile is how many bytes of a file are kept; of a larger one, its hash and size.
	MaxFile = 4 << 20
	// maxHashed is how many bytes are read for a hash: a slow machine takes 150 ms for as
	// many. A larger file is known by its size and times.
	maxHashed = 32 << 20
	// settled is how old a file's times must be for them to tell that it did not change: two
	// writes in one tick of the file system's clock leave the same.
	settled = 100 * time.Millisecond
	// slowestTick is how far behind a file system's clock may be where nothing tells.
	slowestTick = 20 * time.Millisecond
)

// clockTick is how far behind a file system's clock is at most. Not long: ten milliseconds may be
// all that a client takes from a hook, which wrote a file as the last thing it did, to its next sign.
var clockTick = min(fileClock(), slowestTick)

// Kind is what is at a path.
type Kind string

// The kinds.
const (
	File    Kind = "file"
	Symlink Kind = "symlink"
	Absent  Kind = "absent"
	Other   Kind = "other" // a folder, a device
)

// Why is why the bytes of a state are not there.
type Why string

// The reasons.
const (
	Large      Why = "large"
	Secret     Why = "secret"
	Memory     Why = "memory"
	Unreadable Why = "unreadable"
	// Mixed is that of the bytes before a client's changes which the user changed in between,
	// so that nothing tells what to go back to.
	Mixed Why = "mixed"
)

// State is what was at a path at some time. It does not change, and may be used by any
// goroutine.
type State struct {
	Kind Kind
	// Size is in bytes.
	Size int64
	// Mode are the permission bits.
	Mode uint32
	// Why says why Bytes has none.
	Why Why

	sum   digest // zero: unknown
	text  *text  // nil: not kept
	stamp stamp
}

type digest [sha256.Size]byte

// text is the content of a file or the target of a symlink.
type text struct {
	bytes []byte
	refs  int // of the shelf, on the keeper's goroutine
}

var absent = State{Kind: Absent}

// Bytes are the file's content or the symlink's target. Nil: they are not kept. Nobody may
// change them.
func (s State) Bytes() []byte {
	if s.text == nil {
		return nil
	}
	return s.text.bytes
}

// Hash is the SHA-256 of the bytes in hexadecimal, or "" if it is unknown or a secret's.
func (s State) Hash() string {
	if s.sum == (digest{}) || s.Why == Secret {
		return ""
	}
	return hex.EncodeToString(s.sum[:])
}

// same reports whether two states are the same as far as is known.
func (s State) same(o State) bool {
	switch {
	case s.Kind != o.Kind:
		return false
	case s.Kind == Absent || s.Kind == Other:
		return true
	case s.Kind == File && s.Mode != o.Mode:
		return false
	case s.sum == (digest{}) || o.sum == (digest{}):
		return s.Size == o.Size && s.stamp.is(o.stamp)
	case s.Why == Secret || o.Why == Secret: // one may have been read before it was a secret
		return s.without(Secret).sum == o.without(Secret).sum
	}
	return s.sum == o.sum
}

// without is the state with no bytes, and with nothing that gives them away if they are
// secret.
func (s State) without(why Why) State {
	if why == Secret && s.sum != (digest{}) && s.Why != Secret {
		s.sum = sha256.Sum256(append(bytes.Clone(pepper), s.sum[:]...))
	}
	if s.Kind == File || s.Kind == Symlink {
		s.Why = why
	}
	s.text = nil
	return s
}

// pepper makes hashes of secret files worthless outside of this process.
var pepper = func() []byte {
	b := make([]byte, sha256.Size)
	_, _ = rand.Read(b) // never fails
	return b
}()

// stateOf makes the state of bytes, which are given away.
func stateOf(kind Kind, mode uint32, content []byte) State {
	return State{Kind: kind, Size: int64(len(content)), Mode: mode, sum: sha256.Sum256(content), text: &text{bytes: content}}
}

// read is what is at a path now. A symlink is not followed.
func read(ctx context.Context, path string) State {
	info, err := os.Lstat(path)
	switch {
	case missing(err):
		return absent
	case err != nil:
		return State{Kind: File, Why: Unreadable}
	}
	switch info.Mode().Type() {
	case 0:
		return readFile(ctx, path, info)
	case fs.ModeSymlink:
		target, err := os.Readlink(path)
		if err != nil {
			return absent // it went meanwhile
		}
		s := stateOf(Symlink, 0, []byte(target))
		s.stamp = stampOf(info)
		return s
	}
	return State{Kind: Other, Mode: uint32(info.Mode().Perm())}
}

// missing reports that nothing is at a path: it, or a folder above it, does not exist.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || isNotFolder(err) }

func readFile(ctx context.Context, path string, info fs.FileInfo) State {
	s := State{Kind: File, Size: info.Size(), Mode: uint32(info.Mode().Perm()), Why: Unreadable, stamp: stampOf(info)}
	f, err := os.OpenFile(path, os.O_RDONLY|readFlags, 0)
	if err != nil {
		return s
	}
	defer func() { _ = f.Close() }()
	if now, err := f.Stat(); err != nil || !now.Mode().IsRegular() {
		return s
	}
	return readContent(ctx, f, s)
}

// readContent completes the state of a file from its content.
func readContent(ctx context.Context, r io.Reader, s State) State {
	if s.Size > maxHashed {
		s.Why = Large
		return s
	}
	content, err := readUpTo(r, s.Size, MaxFile)
	if err != nil {
		return s
	}
	s.Size, s.sum = int64(len(content)), sha256.Sum256(content)
	if len(content) <= MaxFile {
		s.Why, s.text = "", &text{bytes: content}
		return s
	}
	s.Why = Large
	hash := sha256.New()
	_, _ = hash.Write(content)
	rest, err := io.Copy(hash, io.LimitReader(interruptible{ctx, r}, maxHashed))
	s.Size = int64(len(content)) + rest
	if err == nil && rest < maxHashed {
		hash.Sum(s.sum[:0])
	} else {
		s.sum = digest{}
	}
	return s
}

// readUpTo reads all of r, or a byte more than most.
func readUpTo(r io.Reader, size, most int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(max(size, 0), most)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(r, most+1))
	return b.Bytes(), err
}

// interruptible is a reader that fails when the keeper ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// stamp is what tells without reading it that a file did not change.
type stamp struct {
	size     int64
	modified time.Time
	inode    inode
	taken    time.Time // zero: no stamp
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{info.Size(), info.ModTime(), inodeOf(info), time.Now()}
}

// written is when the file was last written, or got its name.
func (s stamp) written() time.Time {
	if at := s.inode.changed(); at.After(s.modified) {
		return at
	}
	return s.modified
}

// is reports whether both were taken of the same file.
func (s stamp) is(o stamp) bool {
	return !s.taken.IsZero() && !o.taken.IsZero() && s.size == o.size && s.modified.Equal(o.modified) && s.inode == o.inode
}

// tells reports whether a file with the same stamp is for sure the same.
func (s stamp) tells() bool {
	return !s.taken.IsZero() && s.taken.Sub(s.modified) >= settled && s.taken.Sub(s.inode.changed()) >= settled
}

// holds reports whether the file at a path is for sure as it was.
func (s stamp) holds(path string) bool {
	if !s.tells() {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && s.is(stampOf(info))
}
