// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2/maybe"

	"claudecoded/lua"
)

// hashLength is how many bytes of the content's hash name its folder.
const hashLength = 12

// pluginFolder returns a runtimepath entry that holds the plugin's Lua: the folder the
// program was installed in, else a copy of what the program carries, below the user's
// cache folder.
func pluginFolder() (string, error) {
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		root := filepath.Dir(filepath.Dir(exe))
		if _, err := os.Stat(filepath.Join(root, "lua", "claudecode", "init.lua")); err == nil {
			return root, nil
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a folder for the plugin's Lua: %w", err)
	}
	return unpackPlugin(filepath.Join(cache, "claudecoded"), lua.FS)
}

// unpackPlugin writes the files below base/<hash of all>/lua and returns base/<hash>. A
// file that is there with the right content is left alone, every other is replaced at
// once, so processes that do this at the same time never see a part of a file.
func unpackPlugin(base string, files fs.FS) (string, error) {
	contents := map[string][]byte{}
	hash := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		contents[path] = text
		fmt.Fprintf(hash, "%q %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("reading the plugin's Lua: %w", err)
	}
	folder := filepath.Join(base, hex.EncodeToString(hash.Sum(nil)[:hashLength]))
	for path, text := range contents {
		target := filepath.Join(folder, "lua", filepath.FromSlash(path))
		if there, err := os.ReadFile(target); err == nil && bytes.Equal(there, text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return "", fmt.Errorf("unpacking the plugin's Lua: %w", err)
		}
		if err := maybe.WriteFile(target, text, 0o600); err != nil {
			return "", fmt.Errorf("unpacking the plugin's Lua: %w", err)
		}
	}
	return folder, nil
}
