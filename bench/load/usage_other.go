// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !linux

package load

func look(int) (usage, error) { return usage{}, ErrNoUsage }
