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

// toolNames are the names of a tool: the one by which a client sees it, and the other. If they
// are exact, only a pattern without a * matches them.
type toolNames struct {
	seen, other string
	exact       bool
}

// namesOf are the names of a tool for a client that is listed names with that prefix. The
// other is the registered name for a client of the MCP endpoint, and that of the endpoint
// for one of the IDE socket.
func namesOf(registered, prefix string) toolNames {
	if prefix != "" {
		return toolNames{seen: prefix + registered, other: registered}
	}
	return toolNames{seen: registered, other: toolPrefix + registered}
}

// seenBy reports whether a pattern matches the name that the client sees.
func (n toolNames) seenBy(pattern string) bool { return n.takes(pattern) && matchText(pattern, n.seen) }

func (n toolNames) takes(pattern string) bool { return !n.exact || !strings.Contains(pattern, "*") }

// alsoMeantBy reports whether a pattern matches the other name alone. One that has no more
// of it than the prefix is about the endpoint, and not about the tool.
func (n toolNames) alsoMeantBy(pattern string) bool {
	vague := strings.HasPrefix(n.other, toolPrefix) && literalPrefix(pattern) <= len(toolPrefix)
	return !vague && n.takes(pattern) && matchText(pattern, n.other) && !n.seenBy(pattern)
}

// pathPattern is a pattern as names between slashes: as written, in small letters, and those
// with all that is in a folder that they match.
type pathPattern struct{ names, folded, within []string }

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
	if strings.HasSuffix(text, "/") {
		names = append(names, anyFolders)
	}
	folded := foldNames(names)
	return pathPattern{names, folded, append(slices.Clone(folded), anyFolders)}, nil
}

// isAbsolute takes a drive for an absolute path, too.
func isAbsolute(path string) bool {
	return strings.HasPrefix(path, "/") || len(path) > 2 && path[1] == ':' && path[2] == '/'
}

func foldNames(names []string) []string {
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = strings.ToLower(n)
	}
	return folded
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
