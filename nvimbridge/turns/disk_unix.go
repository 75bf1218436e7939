// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package turns

import (
	"errors"
	"io/fs"
	"os/exec"
	"syscall"
	"time"

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

// alone has a command and all that it starts end together.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// pathOf is the path of a URI's part behind the host.
func pathOf(path string) string { return path }

// envName is the form in which names of variables are compared.
func envName(name string) string { return name }
