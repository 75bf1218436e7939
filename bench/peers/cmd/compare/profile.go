// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

const (
	// profiled is ours, built with the tag profile.
	profiled = ours + "-profile"
	// profileVar names the file it writes its profile to.
	profileVar = "CLAUDECODED_PROFILE"
	// profiledTimes is how many measurements long it is profiled: a sample is taken a
	// hundred times a second.
	profiledTimes = 6
)

// profile says where the time goes under the first row's load.
func (b *bench) profile(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cpu")
	s, err := b.start(ctx, profiled, profileVar+"="+path)
	if err != nil {
		return "", err
	}
	defer s.stop()
	for range profiledTimes {
		if _, err := b.run(ctx, s, "ping", 10, 16); err != nil {
			return "", err
		}
	}
	if err := s.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		return "", err
	}
	if err := s.cmd.Wait(); err != nil {
		return "", fmt.Errorf("%s: %w", profiled, err)
	}
	text, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-nodecount=25", path).Output()
	if err != nil {
		return "", fmt.Errorf("reading the profile: %w", err)
	}
	return string(text), nil
}
