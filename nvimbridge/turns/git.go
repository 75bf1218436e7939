// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
type git struct {
	folder string
	// dir and common are the repository's folders of this work tree and of all its work trees.
	dir, common string
	// env and options are those that set it apart.
	env, options []string
}

// gitOptions keep git from writing what it finds out on the way into the index, and from
// running what a repository's configuration names.
var gitOptions = []string{
	"--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull,
	"-c", "diff.autoRefreshIndex=false",
}

// gitKept are the variables of git that say where the user's configuration is, and where
// not to look for repositories.
var gitKept = []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"}

// gitEnv is the environment without what would lead git to another repository, and with
// what keeps it from asking anybody, or any host.
func gitEnv(environ []string) []string {
	var env []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if name = envName(name); !strings.HasPrefix(name, "GIT_") || slices.Contains(gitKept, name) {
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
	cmd := exec.CommandContext(ctx, "git", slices.Concat(gitOptions, g.options, args)...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.WaitDelay = g.folder, stdin, w, gitEnd
	cmd.Env = append(gitEnv(os.Environ()), g.env...)
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
	return split(out), err
}

// split are the parts of which each ends with a zero.
func split(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
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
	now    string // the mode of the file, the commit's if the user's git does not compare modes
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
		e := entry{name: parts[1], mode: f[0], now: f[1], object: f[2]}
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

// submodules are the folders of those that are there.
func (g git) submodules(ctx context.Context) (folders []string, err error) {
	name := filepath.Join(g.folder, ".gitmodules")
	if s := read(ctx, name); s.Kind != File {
		return nil, nil
	}
	parts, err := g.names(ctx, "config", "-z", "--no-includes", "--file", name, "--get-regexp", `^submodule\..*\.path$`)
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, nil // it names none, or cannot be read
	}
	for _, part := range parts {
		_, at, _ := strings.Cut(part, "\n")
		folder := filepath.Join(g.folder, filepath.FromSlash(at))
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil && within(folder, g.folder) && realFolder(folder) == folder {
			folders = append(folders, folder)
		}
	}
	return folders, err
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

// head is the work tree that a folder is in, and its commit.
func head(ctx context.Context, folder string) (g git, commit string, err error) {
	if g.folder, err = (git{folder: folder}).line(ctx, "rev-parse", "--show-toplevel"); err != nil {
		return g, "", err
	}
	if g.dir, err = g.line(ctx, "rev-parse", "--absolute-git-dir"); err != nil {
		return g, "", err
	}
	if g.common, err = g.line(ctx, "rev-parse", "--git-common-dir"); err != nil {
		return g, "", err
	}
	if !filepath.IsAbs(g.common) {
		g.common = filepath.Join(g.folder, g.common)
	}
	// A commit that is asked for as one would be fetched if it were not there.
	commit, err = g.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
	return g, commit, err
}
