// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !windows

package lockfile

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replace writes a file that is never seen half written. The name of the file it
// is written to first does not end in .lock.
func replace(path string, text []byte) error {
	f, err := renameio.NewPendingFile(path,
		renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
