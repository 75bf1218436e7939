// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// What Find reports when it cannot name one server.
var (
	// ErrNoServer means that no lock file matches.
	ErrNoServer = errors.New("claude: no lock file matches")
	// ErrAmbiguous means that several do: the real client then connects to none.
	ErrAmbiguous = errors.New("claude: several lock files match")
)

// Lock is what a lock file says about one server. The port is in its name.
type Lock struct {
	PID              int      `json:"pid"`
	WorkspaceFolders []string `json:"workspaceFolders"`
	IDEName          string   `json:"ideName"`
	Transport        string   `json:"transport"`
	AuthToken        string   `json:"authToken"`

	// Path is the file, Port the number in its name.
	Path string `json:"-"`
	Port int    `json:"-"`
}

// Find reads the lock files in dir and returns the one server whose workspace
// folders contain cwd, compared as the real client does: cwd with its symbolic links
// resolved, the folders as they are written. An empty cwd matches every lock file.
func Find(dir, cwd string) (Lock, error) {
	if cwd != "" {
		real, err := filepath.EvalSymlinks(cwd)
		if err != nil {
			return Lock{}, fmt.Errorf("resolving the working directory: %w", err)
		}
		cwd = real
	}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.lock"))
	if err != nil {
		return Lock{}, fmt.Errorf("listing lock files: %w", err)
	}
	var found []Lock
	for _, path := range paths {
		lock, err := ReadLock(path)
		if err != nil {
			return Lock{}, err
		}
		if cwd == "" || lock.contains(cwd) {
			found = append(found, lock)
		}
	}
	switch len(found) {
	case 0:
		return Lock{}, fmt.Errorf("%w in %s", ErrNoServer, dir)
	case 1:
		return found[0], nil
	}
	return Lock{}, fmt.Errorf("%w in %s", ErrAmbiguous, dir)
}

// ReadLock reads one lock file.
func ReadLock(path string) (Lock, error) {
	port, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), ".lock"))
	if err != nil {
		return Lock{}, fmt.Errorf("lock file %s: its name holds no port", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Lock{}, fmt.Errorf("reading a lock file: %w", err)
	}
	lock := Lock{Path: path, Port: port}
	if err := json.Unmarshal(text, &lock); err != nil {
		return Lock{}, fmt.Errorf("lock file %s: %w", path, err)
	}
	return lock, nil
}

func (l Lock) contains(cwd string) bool {
	for _, folder := range l.WorkspaceFolders {
		rel, err := filepath.Rel(folder, cwd)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// escapeGlob makes every byte of a path stand for itself in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
