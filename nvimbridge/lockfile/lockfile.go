// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package lockfile writes the file by which Claude Code finds an editor:
// <folder>/<port>.lock. It does file I/O, so nothing but Watcher.Update belongs on
// the loop goroutine.
package lockfile

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// minToken and maxToken bound a token's length, as clients' requests are held to.
	minToken = 10
	maxToken = 500
	// tokenBytes makes a token of 32 hexadecimal digits.
	tokenBytes = 16
)

// ideName is the editor's name unless another is given, and the one whose stale
// locks Sweep removes.
const ideName = "Neovim"

// What CheckToken reports.
var (
	ErrTokenTooShort = fmt.Errorf("authentication token too short (minimum %d characters)", minToken)
	ErrTokenTooLong  = fmt.Errorf("authentication token too long (maximum %d characters)", maxToken)
)

// Lock is what a lock file tells clients.
type Lock struct {
	Port int
	// PID is the editor's, not the daemon's: clients delete the lock of a dead
	// one, and some look for it among their ancestors.
	PID int
	// WorkspaceFolders become absolute and free of links: clients resolve their
	// own folder but not these.
	WorkspaceFolders []string
	// IDEName is "Neovim" if empty.
	IDEName string
	Token   string
}

// content is the file; clients know no other keys.
type content struct {
	PID              int      `json:"pid"`
	WorkspaceFolders []string `json:"workspaceFolders"`
	IDEName          string   `json:"ideName"`
	Transport        string   `json:"transport"`
	AuthToken        string   `json:"authToken"`
}

// Dir is the folder clients look in: $CLAUDE_CONFIG_DIR/ide, or ~/.claude/ide if
// that variable is blank. A relative one counts from the working folder, and a
// leading ~ is the home folder. env looks variables up, as os.Getenv does.
func Dir(env func(string) string) (string, error) {
	config := env("CLAUDE_CONFIG_DIR")
	if strings.TrimSpace(config) == "" {
		config = "~/.claude"
	}
	if rest, ok := strings.CutPrefix(config, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home := cmp.Or(env("HOME"), env("USERPROFILE"))
		if home == "" {
			return "", errors.New("no home folder: set HOME or CLAUDE_CONFIG_DIR")
		}
		config = home + rest
	}
	dir, err := filepath.Abs(filepath.Join(config, "ide"))
	if err != nil {
		return "", fmt.Errorf("finding the lock folder: %w", err)
	}
	return dir, nil
}

// NewToken makes a token from the system's random source, or fails: never from
// anything that could be guessed.
func NewToken() (string, error) { return newToken(rand.Reader) }

func newToken(random io.Reader) (string, error) {
	var b [tokenBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("no random bytes for the authentication token: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}

// CheckToken reports a token that clients could not use.
func CheckToken(token string) error {
	switch n := len(token); {
	case n < minToken:
		return ErrTokenTooShort
	case n > maxToken:
		return ErrTokenTooLong
	}
	return nil
}

// Write writes the lock file, replacing one that is there, and makes the folder
// if it is missing. The folder and the file are the user's alone.
func Write(dir string, l Lock) (path string, err error) {
	if l.Port < 1 || l.Port > 65535 {
		return "", fmt.Errorf("port number out of valid range (1-65535): %d", l.Port)
	}
	if l.PID < 1 {
		return "", fmt.Errorf("no process id of the editor: %d", l.PID)
	}
	if err := CheckToken(l.Token); err != nil {
		return "", err
	}
	text, err := l.text()
	if err != nil {
		return "", fmt.Errorf("encoding the lock file: %w", err)
	}
	if err := makeDir(dir); err != nil {
		return "", err
	}
	path = filepath.Join(dir, l.name())
	if err := replace(path, text); err != nil {
		return "", fmt.Errorf("writing the lock file in %s: %w", dir, bare(err))
	}
	return path, nil
}

// name is the file's.
func (l Lock) name() string { return strconv.Itoa(l.Port) + ".lock" }

func (l Lock) text() ([]byte, error) {
	return json.Marshal(content{
		PID:              l.PID,
		WorkspaceFolders: realFolders(l.WorkspaceFolders),
		IDEName:          cmp.Or(l.IDEName, ideName),
		Transport:        "ws",
		AuthToken:        l.Token,
	})
}

// realFolders makes folders absolute and free of links, each once, in order. One that
// does not exist stays as it is.
func realFolders(folders []string) []string {
	out := make([]string, 0, len(folders))
	for _, f := range folders {
		if f == "" {
			continue
		}
		if abs, err := filepath.Abs(f); err == nil {
			f = abs
		}
		if resolved, err := filepath.EvalSymlinks(f); err == nil {
			f = resolved
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Remove removes a lock file. One that is gone already is no error.
func Remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the lock file %s: %w", path, bare(err))
	}
	return nil
}
