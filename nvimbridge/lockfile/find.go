// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxFound is how many lock files of a folder are read; the rest is passed over.
const maxFound = 1024

// Found is a lock file that was read.
type Found struct {
	Lock
	Path string
	// Since is when the file was written last.
	Since time.Time
	// Dead says that the editor's process has ended without removing the file.
	Dead bool
}

// Registry is the folder where every daemon writes a lock of its own, whether its editor
// is there for Claude Code or not: $XDG_STATE_HOME/claudecoded/editors, by default below
// ~/.local/state, or below %LOCALAPPDATA% where that is set. env looks variables up.
func Registry(env func(string) string) (string, error) {
	state := cmp.Or(env("XDG_STATE_HOME"), env("LOCALAPPDATA"))
	if state == "" {
		home := env("HOME")
		if home == "" {
			return "", errors.New("no folder for the list of editors: set HOME or XDG_STATE_HOME")
		}
		state = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(state) {
		return "", fmt.Errorf("the folder for the list of editors, %s, is not absolute", state)
	}
	return filepath.Join(state, "claudecoded", "editors"), nil
}

// Places are the folders in which a client finds editors: the registry, which names
// claudecoded's alone, then Claude Code's.
func Places(env func(string) string) []string {
	var places []string
	for _, place := range []func(func(string) string) (string, error){Registry, Dir} {
		if dir, err := place(env); err == nil {
			places = append(places, dir)
		}
	}
	return places
}

// Find reads the lock files in folders, those of other programs' editors left out. Of
// two for one port the one in the folder named first counts. The newest come first. A
// folder that is missing holds none, and one that cannot be read is an error next to what
// the others hold.
func Find(dirs ...string) (found []Found, err error) {
	for _, dir := range dirs {
		entries, e := os.ReadDir(dir)
		if e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, fmt.Errorf("looking for editors: %w", described(e)))
		}
		for _, entry := range entries[:min(len(entries), maxFound)] {
			f, ok := readFound(filepath.Join(dir, entry.Name()), entry)
			known := func(other Found) bool { return other.Port == f.Port && (!other.Dead || f.Dead) }
			if ok && !slices.ContainsFunc(found, known) {
				found = append(slices.DeleteFunc(found, func(other Found) bool { return other.Port == f.Port }), f)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Found) int { return b.Since.Compare(a.Since) })
	return found, err
}

// ours are the names that this program's daemons give their editors.
var ours = []string{ideName, "claudecoded"}

func readFound(path string, entry fs.DirEntry) (Found, bool) {
	port, err := strconv.ParseUint(strings.TrimSuffix(entry.Name(), ".lock"), 10, 16)
	if err != nil || filepath.Ext(path) != ".lock" || !entry.Type().IsRegular() {
		return Found{}, false
	}
	info, err := entry.Info()
	if err != nil {
		return Found{}, false
	}
	c, ok := load(path)
	if !ok || !slices.Contains(ours, c.IDEName) || CheckToken(c.AuthToken) != nil {
		return Found{}, false
	}
	return Found{
		Lock: Lock{
			Port: int(port), PID: c.PID, WorkspaceFolders: c.WorkspaceFolders,
			IDEName: c.IDEName, Token: c.AuthToken,
		},
		Path: path, Since: info.ModTime(), Dead: c.dead(),
	}, true
}
