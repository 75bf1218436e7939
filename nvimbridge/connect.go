// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// dialTimeout bounds how long a connection to a running Neovim may take.
const dialTimeout = 5 * time.Second

// Attach connects to a Neovim that runs: addr is what Neovim has in v:servername
// and $NVIM, a socket's or named pipe's path, or host:port.
func Attach(ctx context.Context, cfg Config, addr string) (*Bridge, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	conn, err := dial(ctx, addr)
	if err != nil {
		return nil, fmt.Errorf("no neovim answers at %s (does it still run?): %w", addr, err)
	}
	return newBridge(cfg, conn, conn, nil), nil
}

func dial(ctx context.Context, addr string) (io.ReadWriteCloser, error) {
	if addr == "" {
		return nil, fmt.Errorf("the address is empty")
	}
	if !strings.ContainsAny(addr, `/\`) {
		if _, _, err := net.SplitHostPort(addr); err == nil {
			var d net.Dialer
			return d.DialContext(ctx, "tcp", addr)
		}
	}
	return dialPath(ctx, addr)
}
