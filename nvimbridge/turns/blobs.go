// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxOdd is how many files are read from a commit of which the names have a line break:
// each takes a process.
const maxOdd = 16

// blob is what a commit has of a file, as git would write it into the work tree.
type blob struct {
	content []byte // nil if why says so
	size    int64
	sum     digest
	why     Why
	// stored is how many bytes git has of it, before it converts them; 0 if that is not known.
	stored int64
}

func (b blob) state(kind Kind, mode uint32) State {
	s := State{Kind: kind, Size: b.size, Mode: mode, Why: b.why, sum: b.sum}
	if b.why == "" {
		s.text = &text{bytes: b.content}
	}
	return s
}

// contents reads what a commit has of files. What has more than MaxFile bytes is only
// hashed; what comes after room bytes is not read. It is called in a repository apart.
func (g git) contents(ctx context.Context, commit string, entries []entry, room int64) (map[string]blob, error) {
	sizes, err := g.sizes(ctx, entries)
	if err != nil {
		return nil, err
	}
	filtered, err := g.filtered(ctx, commit, entries)
	if err != nil {
		return nil, err
	}
	found := map[string]blob{}
	b := batch{end: []byte("\nclaudecoded-" + rand.Text() + " missing\n"), room: room, found: found}
	odd := 0
	for _, e := range entries {
		size, ok := sizes[e.object]
		switch {
		case !ok, filtered[e.name] && e.mode != linkMode:
			found[e.name] = blob{why: Unreadable}
		case size > maxHashed:
			found[e.name] = blob{size: size, why: Large}
		case size > room:
			found[e.name] = blob{size: size, why: Memory}
		case !strings.Contains(e.name, "\n"):
			room -= size
			b.asked = append(b.asked, asked{e, size})
		case odd == maxOdd || size > MaxFile:
			found[e.name] = blob{size: size, why: Unreadable}
		default:
			room -= size
			odd++
			found[e.name] = g.content(ctx, e)
		}
	}
	err = b.run(ctx, g)
	for _, e := range entries {
		one := found[e.name]
		one.stored = sizes[e.object]
		found[e.name] = one
	}
	return found, err
}

// content reads one file.
func (g git) content(ctx context.Context, e entry) blob {
	out, err := g.output(ctx, nil, MaxFile, "cat-file", "--filters", "--path="+e.name, e.object)
	if err != nil {
		return blob{why: Unreadable}
	}
	return blob{content: slices.Clone(out), size: int64(len(out)), sum: sha256.Sum256(out)}
}

// sizes are those of objects as git has them.
func (g git) sizes(ctx context.Context, entries []entry) (map[string]int64, error) {
	var ask strings.Builder
	for _, e := range entries {
		ask.WriteString(e.object + "\n")
	}
	out, err := g.output(ctx, strings.NewReader(ask.String()), maxGitOutput, "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for line := range strings.Lines(string(out)) {
		var object, kind string
		var size int64
		if n, _ := fmt.Sscan(line, &object, &kind, &size); n == 3 && kind == "blob" {
			sizes[object] = size
		}
	}
	return sizes, nil
}

// filtered are the files that a program converts on their way from a commit into the work
// tree, which is not run: the commit may have no more than a pointer to what they are.
func (g git) filtered(ctx context.Context, commit string, entries []entry) (map[string]bool, error) {
	found := map[string]bool{}
	if err := g.addFiltered(ctx, entries, found); err != nil {
		return nil, err
	}
	attributes := func(e entry) bool { return path.Base(e.name) == ".gitattributes" }
	if !slices.ContainsFunc(entries, attributes) {
		return found, nil
	}
	g.env = append(slices.Clone(g.env), "GIT_INDEX_FILE="+filepath.Join(g.dir, "index"))
	if err := g.run(ctx, nil, &bounded{}, "read-tree", commit); err != nil {
		return nil, err
	}
	return found, g.addFiltered(ctx, entries, found, "--cached")
}

var errAttributes = errors.New("git check-attr answers in an unknown format")

func (g git) addFiltered(ctx context.Context, entries []entry, found map[string]bool, options ...string) error {
	var ask strings.Builder
	for _, e := range entries {
		ask.WriteString(e.name + "\x00")
	}
	args := append(append([]string{"check-attr", "-z", "--stdin"}, options...), "filter")
	out, err := g.output(ctx, strings.NewReader(ask.String()), 2*maxGitOutput, args...)
	if err != nil {
		return err
	}
	parts := split(out)
	if len(parts) != 3*len(entries) {
		return errAttributes
	}
	for ; len(parts) > 0; parts = parts[3:] { // a name, "filter" and its value
		if parts[2] != "unspecified" && parts[2] != "unset" {
			found[parts[0]] = true
		}
	}
	return nil
}
