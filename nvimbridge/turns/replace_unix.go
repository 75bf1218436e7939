// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package turns

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// errDamaged is of a file that could not be written to its end, nor as it was.
var errDamaged = errors.New("it was written in part, and could not be put back as it was")

// replace writes a file through a temporary one beside it. like is the file that was there, or
// nil. It is written in place where the temporary one would not be the same file, for that has
// other names, or an owner or attributes that we may not give, or where there can be none, for
// the folder is not ours to write into. Neovim does the same ('backupcopy' auto).
func replace(path string, content []byte, mode fs.FileMode, like fs.FileInfo) error {
	if like == nil || !like.Mode().IsRegular() {
		like = nil
	} else if s, ok := like.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 {
		return overwrite(path, content, mode, like)
	}
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(mode))
	if like != nil && errors.Is(err, fs.ErrPermission) {
		return overwrite(path, content, mode, like)
	} else if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }()
	if like != nil && (own(f.Name(), like) != nil || keepAttributes(path, f.Name()) != nil) {
		return overwrite(path, content, mode, like)
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil { // which the owner and an access list may have changed
		return err
	}
	return f.CloseAtomicallyReplace()
}

// own gives a file the owner of another.
func own(path string, like fs.FileInfo) error {
	s, ok := like.Sys().(*syscall.Stat_t)
	if !ok || int(s.Uid) == os.Getuid() && int(s.Gid) == os.Getgid() {
		return nil
	}
	return os.Lchown(path, int(s.Uid), int(s.Gid))
}

// overwrite writes into the file that is there. It grows first, so that a full disk leaves it as
// it is.
func overwrite(path string, content []byte, mode fs.FileMode, like fs.FileInfo) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|readFlags, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if now, err := f.Stat(); err != nil || !os.SameFile(now, like) || now.Size() != like.Size() {
		return ErrChanged
	}
	old, err := readUpTo(f, like.Size(), MaxPutBytes)
	if err != nil || int64(len(old)) != like.Size() {
		return cmp.Or(err, ErrTooLarge)
	}
	if err := rewrite(f, old, content); err != nil {
		return err
	}
	if like.Mode().Perm() != mode {
		return f.Chmod(mode)
	}
	return nil
}

// writable is an open file.
type writable interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
}

// rewrite gives a file another content, or leaves it as it was.
func rewrite(f writable, old, content []byte) error {
	failure := fill(f, content, len(old))
	if failure == nil {
		return nil
	}
	_, err := f.WriteAt(old, 0)
	if err = errors.Join(err, f.Truncate(int64(len(old))), f.Sync()); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, failure)
	}
	return failure
}

// fill gives a file of a size a content: first what is beyond that size.
func fill(f writable, content []byte, size int) error {
	kept := min(size, len(content))
	if _, err := f.WriteAt(content[kept:], int64(kept)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil { // some systems find out only now that the disk is full
		return err
	}
	if _, err := f.WriteAt(content[:kept], 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		return err
	}
	return f.Sync()
}

// relink puts a symlink at a path.
func relink(path, target string) error { return renameio.Symlink(target, path) }
