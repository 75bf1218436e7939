// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxPath is how many bytes a path may have; no system takes more.
const maxPath = 32 << 10

// candidates are the paths that a URI may mean: Claude writes the path as it stands, other
// clients percent-encode it.
func candidates(uri string) []string {
	if len(uri) > 3*maxPath+len("file://localhost") { // each byte may be encoded
		return nil
	}
	rest, ok := strings.CutPrefix(uri, "file://")
	if !ok {
		return clean(uri)
	}
	if after, local := strings.CutPrefix(rest, "localhost/"); local {
		rest = "/" + after
	}
	found := clean(pathOf(rest))
	if decoded, err := url.PathUnescape(rest); err == nil && decoded != rest {
		found = append(found, clean(pathOf(decoded))...)
	}
	return found
}

// clean is the path in the form in which files are remembered: absolute, and with no
// symlink but maybe at its end. What cannot be a file has none.
func clean(name string) []string {
	if len(name) > maxPath || strings.ContainsRune(name, 0) || !filepath.IsAbs(name) {
		return nil
	}
	name = filepath.Clean(name)
	folder, base := filepath.Split(name)
	if base == "" {
		return nil
	}
	return []string{filepath.Join(realFolder(filepath.Clean(folder)), base)}
}

// realFolder resolves what exists of a folder's path.
func realFolder(folder string) string {
	for rest, above := "", folder; ; {
		if real, err := filepath.EvalSymlinks(above); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(above)
		if parent == above {
			return folder
		}
		rest, above = filepath.Join(filepath.Base(above), rest), parent
	}
}

// absentFolders are the folders above a path that do not exist.
func absentFolders(name string) (folders []string) {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !missing(err) {
			return folders
		}
		folders = append(folders, dir)
	}
}

// patterns name files of which nothing is kept.
type patterns []string

// match reports whether a file's base name is one of a secret.
func (p patterns) match(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	for _, pattern := range p {
		if ok, err := path.Match(pattern, base); ok || err != nil { // what cannot be read hides all
			return true
		}
	}
	return false
}
