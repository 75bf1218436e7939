// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// gitDeadline is how long one git command may take.
	gitDeadline = 10 * time.Second
	// gitEnd is how long its pipes may stay open after it ended.
	gitEnd = 500 * time.Millisecond
	// maxGitOutput is how many bytes of names git may answer.
	maxGitOutput = 8 << 20
)

var errGitOutput = errors.New("git answers more than is read")

// git asks about one work tree. Nothing that it runs writes: no object, no index, no ref.
type git struct{ folder string }

// gitOptions keep git from running programs of the repository, and from writing what it
// finds out on the way into the index.
var gitOptions = []string{
	"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "diff.autoRefreshIndex=false",
}

// gitEnv is the environment without what would lead git to another repository, and with
// what keeps it from asking anybody, or any host.
func gitEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			env = append(env, v)
		}
	}
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_LFS_SKIP_SMUDGE=1")
}

// run hands git's output to w.
func (g git) run(ctx context.Context, stdin io.Reader, w io.Writer, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, gitDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(gitOptions[:len(gitOptions):len(gitOptions)], args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.WaitDelay = g.folder, gitEnv(), stdin, w, gitEnd
	alone(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return nil
}

// output is what git prints, at most most bytes.
func (g git) output(ctx context.Context, stdin io.Reader, most int, args ...string) ([]byte, error) {
	w := &bounded{most: most}
	err := g.run(ctx, stdin, w, args...)
	if w.full {
		err = errGitOutput
	}
	return w.buffer.Bytes(), err
}

// names are the parts of what git prints with -z.
func (g git) names(ctx context.Context, args ...string) ([]string, error) {
	out, err := g.output(ctx, nil, maxGitOutput, args...)
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// line is the one line that git prints.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.output(ctx, nil, maxPath, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// entry is a file that differs from a commit: what the commit has.
type entry struct {
	name   string // from the work tree's folder
	mode   string // "000000": nothing
	object string
}

const submodule = "160000"

// differing are the files that differ from a commit, or may. Submodules are left out.
func (g git) differing(ctx context.Context, commit string) ([]entry, error) {
	parts, err := g.names(ctx, "diff-index", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=all", commit, "--")
	if err != nil {
		return nil, err
	}
	return readRaw(parts)
}

var errRaw = errors.New("git diff-index answers in an unknown format")

// readRaw reads pairs of ":oldmode newmode oldobject newobject status" and a name. A
// conflict has two, of which the one with an object tells what the commit has.
func readRaw(parts []string) ([]entry, error) {
	var entries []entry
	at := map[string]int{}
	for ; len(parts) > 0; parts = parts[2:] {
		f := strings.Fields(strings.TrimPrefix(parts[0], ":"))
		if len(f) != 5 || len(parts) < 2 || parts[1] == "" || len(f[0]) != len(submodule) {
			return nil, errRaw
		}
		e := entry{name: parts[1], mode: f[0], object: f[2]}
		i, twice := at[e.name]
		switch {
		case f[0] == submodule || f[1] == submodule:
		case !twice:
			at[e.name] = len(entries)
			entries = append(entries, e)
		case e.exists():
			entries[i] = e
		}
	}
	return entries, nil
}

// exists reports whether the commit has the file.
func (e entry) exists() bool { return strings.Trim(e.object, "0") != "" }

// untracked are the files that git does not track and is not told to ignore.
func (g git) untracked(ctx context.Context) ([]string, error) {
	names, err := g.names(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	kept := names[:0]
	for _, name := range names {
		if !strings.HasSuffix(name, "/") { // a repository in the repository
			kept = append(kept, name)
		}
	}
	return kept, err
}

// contents reads what a commit has of files as git would write them into the work tree.
// What has more than MaxFile bytes, or more than room bytes with those before it, is not
// in the answer; nor is what cannot be read.
func (g git) contents(ctx context.Context, entries []entry, room int64) (map[string][]byte, error) {
	sizes, err := g.sizes(ctx, entries)
	if err != nil {
		return nil, err
	}
	// Filters change a content's length, which git does not tell: so what ends it is the
	// complaint about an object whose name nobody can know.
	var ask strings.Builder
	var asked []entry
	end := "claudecoded-" + rand.Text()
	found := map[string][]byte{}
	for _, e := range entries {
		size, ok := sizes[e.object]
		if !ok || size > MaxFile || size > room {
			continue
		}
		room -= size
		if strings.ContainsAny(e.name, "\n") { // no line can ask for it
			if b, err := g.output(ctx, nil, MaxFile, "cat-file", "--filters", "--path="+e.name, e.object); err == nil {
				found[e.name] = b
			}
			continue
		}
		asked = append(asked, e)
		fmt.Fprintf(&ask, "%s %s\n%s x\n", e.object, e.name, end)
	}
	if len(asked) == 0 {
		return found, nil
	}
	out, err := g.output(ctx, strings.NewReader(ask.String()), 4*maxKept, "cat-file", "--batch", "--filters")
	if err != nil {
		return nil, err
	}
	for _, e := range asked {
		content, rest, ok := bytes.Cut(out, []byte("\n"+end+" missing\n"))
		if !ok {
			return nil, errRaw
		}
		out = rest
		if head, body, ok := bytes.Cut(content, []byte("\n")); ok && bytes.Contains(head, []byte(" blob ")) && len(body) <= MaxFile {
			found[e.name] = bytes.Clone(body)
		}
	}
	return found, nil
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

// hash is the state of a content that is too large to be kept.
func (g git) hash(ctx context.Context, e entry, s State) State {
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(g.run(ctx, nil, w, "cat-file", "--filters", "--path="+e.name, e.object)) }()
	s = readContent(ctx, r, s)
	_ = r.Close()
	if s.text != nil { // it was not too large, but came after too many others
		s = s.without(Memory)
	}
	return s
}

// bounded is a buffer that fails beyond a number of bytes. It does not embed one, whose
// ReadFrom would go past the bound.
type bounded struct {
	buffer bytes.Buffer
	most   int
	full   bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > b.most {
		b.full = true
		return 0, errGitOutput
	}
	return b.buffer.Write(p)
}

// head is the folder of the work tree that a folder is in, and its commit.
func head(ctx context.Context, folder string) (g git, commit string, err error) {
	if g.folder, err = (git{folder}).line(ctx, "rev-parse", "--show-toplevel"); err != nil {
		return g, "", err
	}
	commit, err = g.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	return g, commit, err
}
