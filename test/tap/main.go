// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command tap shows what a client and the daemon say: it stands between them with a
// lock file and a port of its own, passes every byte on as it is, and prints each
// frame on stderr, content included. It is a tool for debugging, not part of the product.
//
//	go run ./test/tap ~/.claude/ide/PORT.lock
package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"claudecoded/bench/claude"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "tap: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: tap LOCKFILE")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	lock, err := claude.ReadLock(os.Args[1])
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	// The client finds the token by the port it is told.
	own := filepath.Join(filepath.Dir(lock.Path), fmt.Sprintf("%d.lock", port))
	text, err := os.ReadFile(lock.Path)
	if err == nil {
		err = os.WriteFile(own, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("copying the lock file: %w", err)
	}
	defer os.Remove(own)
	fmt.Fprintf(os.Stderr, "start the client with CLAUDE_CODE_SSE_PORT=%d; Ctrl-C ends this\n", port)
	serve(ctx, listener, lock.Port, os.Stderr)
	return nil
}
