// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"claudecoded/bench/claude"
)

// server is the port and the token to load: those of the URL, else those of the Neovim
// whose workspace holds the working directory.
func (o *options) server() (port int, token string, err error) {
	if o.URL == "" {
		return find()
	}
	u, err := url.Parse(o.URL)
	if err != nil || !slices.Contains([]string{"ws", "http"}, u.Scheme) {
		return 0, "", fmt.Errorf("%w: %q is no ws:// or http:// URL", errUsage, o.URL)
	}
	name := u.Hostname()
	if addr, err := netip.ParseAddr(name); name != "localhost" && (err != nil || !addr.IsLoopback()) {
		return 0, "", fmt.Errorf("%w: %s is not this machine; only that is loaded", errUsage, name)
	}
	if _, err := fmt.Sscan(u.Port(), &port); err != nil {
		return 0, "", fmt.Errorf("%w: %q names no port", errUsage, o.URL)
	}
	return port, o.Token, nil
}

func find() (int, string, error) {
	folder := os.Getenv("CLAUDE_CONFIG_DIR")
	if folder == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return 0, "", fmt.Errorf("looking for a Neovim: %w", err)
		}
		folder = filepath.Join(home, ".claude")
	}
	cwd, err := os.Getwd()
	if err != nil {
		return 0, "", fmt.Errorf("looking for a Neovim: %w", err)
	}
	lock, err := claude.Find(filepath.Join(folder, "ide"), cwd)
	if err != nil {
		return 0, "", fmt.Errorf("looking for a Neovim (or give --url and --token): %w", err)
	}
	return lock.Port, lock.AuthToken, nil
}
