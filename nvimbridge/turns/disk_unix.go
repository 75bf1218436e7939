// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package turns

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// readFlags keep the end of a path from being followed, and a pipe from being waited for.
const readFlags = unix.O_NOFOLLOW | unix.O_NONBLOCK

func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// inode names a file and the last change of it or of its owner and mode.
type inode struct {
	device, number uint64
	sec, nsec      int64
}

func inodeOf(info fs.FileInfo) inode {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}
	}
	at := changeTime(s)
	return inode{uint64(s.Dev), uint64(s.Ino), int64(at.Sec), int64(at.Nsec)} //nolint:unconvert // of several sizes
}

func (i inode) changed() time.Time { return time.Unix(i.sec, i.nsec) }

// own gives a file the owner of another, as far as the system lets us.
func own(path string, like fs.FileInfo) {
	if s, ok := like.Sys().(*syscall.Stat_t); ok && (int(s.Uid) != os.Getuid() || int(s.Gid) != os.Getgid()) {
		_ = os.Lchown(path, int(s.Uid), int(s.Gid))
	}
}

// replace writes a file through a temporary one beside it, which gets the owner of the one
// that was there, if like is not nil.
func replace(path string, content []byte, mode fs.FileMode, like fs.FileInfo) (err error) {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(mode))
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }()
	if like != nil && like.Mode().IsRegular() {
		own(f.Name(), like)
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}

// relink puts a symlink at a path.
func relink(path, target string) error { return renameio.Symlink(target, path) }

// alone has a command and all that it starts end together.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// pathOf is the path of a URI's part behind the host.
func pathOf(path string) string { return path }

// envName is the form in which names of variables are compared.
func envName(name string) string { return name }
