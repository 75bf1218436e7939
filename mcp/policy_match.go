// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// anyFolders is the name in a path's pattern that stands for any number of folders.
const anyFolders = "**"

var (
	errRelative = errors.New("a path must begin with /, ~/ or **/")
	errStars    = errors.New("** must stand alone between slashes")
	errParent   = errors.New("a path must not contain ..")
)

// pathPattern is a pattern as names between slashes, as written and in small letters.
type pathPattern struct{ names, folded []string }

func compilePath(text string) (pathPattern, error) {
	switch {
	case len(text) > maxPattern:
		return pathPattern{}, errPattern
	case !isAbsolute(text) && text != anyFolders && !strings.HasPrefix(text, anyFolders+"/"):
		return pathPattern{}, errRelative
	}
	names := splitPath(text)
	if slices.Contains(names, "..") {
		return pathPattern{}, errParent
	}
	if slices.ContainsFunc(names, func(n string) bool { return n != anyFolders && strings.Contains(n, anyFolders) }) {
		return pathPattern{}, errStars
	}
	return pathPattern{names, splitPath(strings.ToLower(text))}, nil
}

// isAbsolute takes a drive for an absolute path, too.
func isAbsolute(path string) bool {
	return strings.HasPrefix(path, "/") || len(path) > 2 && path[1] == ':' && path[2] == '/'
}

// splitPath is the names in a path, which is never nil.
func splitPath(path string) []string {
	names := strings.Split(path, "/")
	return slices.DeleteFunc(names, func(n string) bool { return n == "" || n == "." })
}

// matchPath compares a whole path with a pattern. What a ** that ends it stands for may
// be nothing, so that a folder is meant with all that is in it. Of several ** only the
// last that was reached can be wrong about how much it stands for.
func matchPath(pattern, path []string) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(path) {
		switch {
		case p < len(pattern) && pattern[p] == anyFolders:
			star, from = p, n
			p++
		case p < len(pattern) && matchName(pattern[p], path[n]):
			p, n = p+1, n+1
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == anyFolders {
		p++
	}
	return p == len(pattern)
}

// matchName compares one name: * is any text and ? any one character.
func matchName(pattern, name string) bool { return glob(pattern, name, true) }

// matchText compares a tool's name: * is any text.
func matchText(pattern, text string) bool { return glob(pattern, text, false) }

// glob compares a pattern with a text: * is any text and, if single says so, ? any one
// character. It takes time in proportion to the product of both at most, and no memory: a
// call may stand for many paths.
func glob(pattern, text string, single bool) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && single && pattern[p] == '?':
			p, n = p+1, n+width(text[n:])
		case p < len(pattern) && pattern[p] == text[n]:
			p, n = p+1, n+1
		case star >= 0:
			from += width(text[from:])
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// width is how many bytes the first character of text has.
func width(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// literalPrefix is how many bytes of a tool's pattern stand for themselves from its start.
func literalPrefix(pattern string) int {
	if i := strings.IndexByte(pattern, '*'); i >= 0 {
		return i
	}
	return len(pattern)
}
