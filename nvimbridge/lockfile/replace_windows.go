// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"errors"
	"os"
	"path/filepath"
)

// replace writes a file that is never seen half written. The name of the file it
// is written to first does not end in .lock.
func replace(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
