// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const readFlags = 0

func isNotFolder(error) bool { return false }

// inode is not known here.
type inode struct{}

func inodeOf(fs.FileInfo) inode { return inode{} }

func (inode) changed() time.Time { return time.Time{} }

// replace writes a file through a temporary one beside it.
func replace(path string, content []byte, mode fs.FileMode, _ fs.FileInfo) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".claudecoded-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close(), os.Chmod(f.Name(), mode))
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// relink puts a symlink at a path.
func relink(path, target string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Symlink(target, path)
}

func alone(*exec.Cmd) {}

// pathOf is the path of a URI's part behind the host: /C:/a is C:\a.
func pathOf(path string) string {
	if rest := strings.TrimPrefix(path, "/"); filepath.VolumeName(filepath.FromSlash(rest)) != "" {
		path = rest
	}
	return filepath.FromSlash(path)
}

// envName is the form in which names of variables are compared.
func envName(name string) string { return strings.ToUpper(name) }
