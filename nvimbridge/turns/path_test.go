// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCandidates_AreEveryPathThatAURIMayMean(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"file:///no/a":            "[/no/a]",
		"file:///no/a%20b":        "[/no/a%20b /no/a b]",
		"file:///no/100%":         "[/no/100%]",
		"file://localhost/no/a":   "[/no/a]",
		"file://host/a":           "[]",
		"/no/a":                   "[/no/a]",
		"/no/a%20b":               "[/no/a%20b]",
		"file:///no/a?b#c":        "[/no/a?b#c]",
		"file:///no/../no/./a//b": "[/no/a/b]",
		"no":                      "[]",
		"file:///":                "[]",
		"file:///no/%00":          "[/no/%00]",
		"file:///" + strings.Repeat("%41", maxPath-1):       fmt.Sprint([]string{"/" + strings.Repeat("A", maxPath-1)}),
		"file:///" + strings.Repeat("%41", maxPath) + "%41": "[]",
	} {
		if got := fmt.Sprint(candidates(uri)); got != want {
			t.Errorf("%.60s: %.60s, want %.60s", uri, got, want)
		}
	}
}

func TestClean_ResolvesTheFoldersThatExist(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.Mkdir(real, 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"link": "real", "real/loop": "loop", "real/f": "gone"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		link:              link, // itself is no folder above a file
		link + "/new":     real + "/new",
		link + "/a/b/c":   real + "/a/b/c",
		link + "/f":       real + "/f",
		link + "/loop/f":  real + "/loop/f",
		link + "/../f":    dir + "/f",
		real + "/f/below": real + "/f/below",
		"/no/such/a":      "/no/such/a",
	} {
		if got := fmt.Sprint(clean(path)); got != "["+want+"]" {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func FuzzCandidates(f *testing.F) {
	for _, uri := range []string{"file:///a%20b", "file://localhost/%2e%2e/x", "/a/../..", "file:///%00", "file://%2F", "\xff"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		for _, path := range candidates(uri) {
			if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.ContainsRune(path, 0) || path == "/" {
				t.Errorf("%q is %q", uri, path)
			}
		}
	})
}
