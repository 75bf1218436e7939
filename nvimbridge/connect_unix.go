// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !windows

package nvimbridge

import (
	"context"
	"io"
	"net"
)

func dialPath(ctx context.Context, path string) (io.ReadWriteCloser, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
