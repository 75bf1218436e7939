// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package arch_test checks the structure of the repository: which layer may import
// which, and the rules that every file keeps. It reads source text only, whatever
// the build tags of a file.
package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// root is the repository, seen from this package.
const root = "../.."

// module is the path that go.mod gives the module.
const module = "claudecoded"

// sources lists the repository's files with one of the extensions, as slash paths
// below the root. Folders whose name begins with a dot, and bin, are not sources.
func sources(t *testing.T, extensions ...string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != "." && (strings.HasPrefix(entry.Name(), ".") || name == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		for _, extension := range extensions {
			if strings.HasSuffix(name, extension) {
				found = append(found, filepath.ToSlash(name))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no %v file: the root is wrong", extensions)
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goFile is one parsed Go file.
type goFile struct {
	name string
	fset *token.FileSet
	*ast.File
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	for _, name := range sources(t, ".go") {
		if inOtherModule(name) {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, read(t, name), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, goFile{name, fset, file})
	}
	return files
}

func (f goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// inOtherModule reports whether a file belongs to a module of its own below this one,
// which measures or tests the program from outside and may use what it likes.
func inOtherModule(name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir), "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// layer is the folder of the root that a slash path lies in.
func layer(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

func (f goFile) at(node ast.Node) string { return f.fset.Position(node.Pos()).String() }
