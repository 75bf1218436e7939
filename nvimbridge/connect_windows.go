// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"context"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// dialPath opens a named pipe. Overlapped, because otherwise a read that waits
// would hold up every write.
func dialPath(_ context.Context, path string) (io.ReadWriteCloser, error) {
	return os.OpenFile(path, os.O_RDWR|windows.FILE_FLAG_OVERLAPPED, 0)
}
