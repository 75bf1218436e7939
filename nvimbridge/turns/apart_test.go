// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// marker is a program that tells that it ran, and how.
func (b *bench) marker() (program, marks string) {
	b.Helper()
	dir := b.TB.TempDir()
	program, marks = filepath.Join(dir, "program"), filepath.Join(dir, "marks")
	b.must(os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+marks+"'\ncat\n"), 0o755))
	return program, marks
}

// programs has the repository name a program wherever git has it name one.
func (b *bench) programs(program string) {
	b.Helper()
	for _, key := range []string{
		"core.fsmonitor", "core.alternateRefsCommand", "core.sshCommand", "core.gitProxy", "core.pager", "core.editor",
		"core.askPass", "diff.external", "diff.d.textconv", "diff.d.command", "merge.m.driver", "pager.diff-index",
		"pager.cat-file", "pager.ls-files", "pager.config", "credential.helper", "gpg.program", "interactive.diffFilter",
		"remote.origin.uploadpack", "sequence.editor", "uploadpack.packObjectsHook", "alias.diff-index", "alias.cat-file",
		"filter.f.smudge", "filter.f.clean", "filter.p.process", "submodule.sub.update",
	} {
		value := program + " " + key
		if strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "submodule.") {
			value = "!" + value
		}
		b.git("config", key, value)
	}
	hooks := b.path(".git/marks")
	b.must(os.Mkdir(hooks, 0o755))
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-auto-gc"} {
		b.must(os.Symlink(program, filepath.Join(hooks, hook)))
	}
	b.git("config", "core.hooksPath", hooks)
	b.git("config", "filter.f.required", "true")
	b.git("config", "filter.p.required", "true")
}

// lazy makes the repository one that fetches the objects that it has not, through program.
func (b *bench) lazy(program string) {
	b.Helper()
	b.git("config", "core.repositoryFormatVersion", "1")
	b.git("config", "extensions.partialClone", "origin")
	b.git("config", "remote.origin.promisor", "true")
	b.git("config", "remote.origin.url", "ext::"+program+" fetch")
	b.git("config", "protocol.allow", "always")
	b.git("config", "protocol.ext.allow", "always")
}

func TestGit_RunsNoProgramThatTheRepositoryNames(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	program, marks := b.marker()
	b.repository("f", "p", "q", "d/a")
	b.write("gone", "one\ntwo\n")
	b.write(".gitattributes", "f filter=f diff=d merge=m\n[pq] filter=p\n")
	b.commit()
	object := strings.TrimSpace(b.git("rev-parse", "HEAD:gone"))
	b.programs(program)
	b.lazy(program)
	b.must(os.Remove(b.path(".git/objects/" + object[:2] + "/" + object[2:])))
	for _, name := range []string{"f", "p"} { // git does not trust what it knows of their times
		b.must(os.Chtimes(b.path(name), time.Now(), time.Now().Add(time.Hour)))
	}
	defer func() {
		if ran, err := os.ReadFile(marks); err == nil {
			t.Errorf("there ran\n%s", ran)
		}
	}()
	b.shell(func() {
		for _, name := range []string{"f", "p", "q", "d/a", "gone"} {
			b.write(name, "ONE\ntwo\nthree\n")
		}
	})
	b.expect("shell modified d/a +1 -1", "shell modified f +1 -1", "shell modified gone +0 -0 unreadable",
		"shell modified p +1 -1", "shell modified q +0 -0 unreadable")
	b.write(".gitattributes", "* filter=p\n") // and the attributes are read as they were, too
	b.list()
}

// What a program names after git was asked about the settings runs as little.
func TestGit_ReadsOfTheConfigurationOnlySettings(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	program, marks := b.marker()
	b.repository("f")
	g, commit, err := head(b.Context(), b.dir)
	b.must(err)
	own, remove, err := g.apart(b.Context(), commit)
	b.must(err)
	b.programs(program)
	b.lazy(program)
	b.write(".gitattributes", "* filter=f diff=d\n")
	b.must(os.Chtimes(b.path("f"), time.Now(), time.Now().Add(time.Hour)))
	differing, err := own.differing(b.Context(), commit)
	if err != nil || len(differing) != 1 {
		t.Fatal(differing, err)
	}
	for _, args := range [][]string{
		{"cat-file", "--filters", "--path=f", differing[0].object}, {"cat-file", "-t", strings.Repeat("a", len(commit))},
		{"status"}, {"diff", "--ext-diff", "--textconv"}, {"fetch", "origin"}, {"hash-object", "--path=f", "f"},
	} {
		_, _ = own.output(b.Context(), nil, 1<<20, args...)
	}
	if ran, err := os.ReadFile(marks); err == nil {
		t.Errorf("there ran\n%s", ran)
	}
	remove()
	if _, err := os.Stat(own.dir); !os.IsNotExist(err) {
		t.Errorf("the repository apart is left: %v", err)
	}
}

func TestApart_TakesOverHowFilesAreComparedAndIgnored(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, do func(b *bench)
		want       []string
	}{
		"an exclude file of the repository": {
			func(b *bench) { b.must(os.WriteFile(b.path(".git/info/exclude"), []byte("*.tmp\n"), 0o600)) },
			func(b *bench) { b.write("a.tmp", "x\n"); b.write("a.txt", "x\n") },
			[]string{"shell created a.txt +1 -0"},
		},
		"an exclude file of the user": {
			func(b *bench) {
				b.must(os.WriteFile(b.path(".git/mine"), []byte("*.tmp\n"), 0o600))
				b.git("config", "core.excludesFile", b.path(".git/mine"))
			},
			func(b *bench) { b.write("a.tmp", "x\n"); b.write("a.txt", "x\n") },
			[]string{"shell created a.txt +1 -0"},
		},
		"attributes of the repository": {
			func(b *bench) {
				b.must(os.WriteFile(b.path(".git/info/attributes"), []byte("f eol=crlf\n"), 0o600))
				b.remove("f")
				b.git("checkout", "-q", "f")
				b.must(os.Chtimes(b.path("f"), testTime, testTime))
				b.git("update-index", "--refresh")
			},
			func(b *bench) { b.write("f", "one\r\ntwo\r\n") },
			[]string{"shell modified f +0 -1"},
		},
		"modes that are none": {
			func(b *bench) { b.git("config", "core.fileMode", "false") },
			func(b *bench) {
				b.must(os.Chmod(b.path("f"), 0o755))
				b.must(os.Chtimes(b.path("f"), testTime, testTime)) // git has to look at it
			},
			nil,
		},
		"a split index": {
			func(b *bench) {
				b.git("update-index", "--split-index")
				b.git("update-index", "--split-index", "--chmod=+x", "d/a")
			},
			func(b *bench) { b.write("f", "x\n") },
			[]string{"shell modified f +1 -3"},
		},
		"objects of another repository": {
			func(b *bench) {
				other := b.TB.TempDir()
				b.must(os.Rename(b.path(".git/objects"), filepath.Join(other, "objects")))
				b.must(os.MkdirAll(b.path(".git/objects/info"), 0o755))
				b.must(os.WriteFile(b.path(".git/objects/info/alternates"), []byte(other+"/objects\n"), 0o644))
			},
			func(b *bench) { b.write("f", "x\n") },
			[]string{"shell modified f +1 -3"},
		},
		"no index": {
			func(b *bench) { b.remove("d") },
			func(b *bench) { b.remove(".git/index") },
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, withGit)
			b.repository("f", "d/a")
			row.before(b)
			b.shell(func() { row.do(b) })
			b.expect(row.want...)
		})
	}
}

func TestApart_KnowsTheFormatWithLongNames(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.git("init", "-q", "--object-format=sha256")
	b.write("f", three)
	b.commit()
	b.shell(func() { b.write("f", "x\n") })
	b.expect("shell modified f +1 -3")
}

func TestShell_FileThatAFilterMakesIsUnreadable(t *testing.T) {
	t.Parallel()
	const pointer = "version 1\noid sha256:0\n"
	for name, do := range map[string]func(b *bench){
		"changed":                    func(*bench) {},
		"and the attribute goes":     func(b *bench) { b.write(".gitattributes", "\n") },
		"and the attributes go":      func(b *bench) { b.remove(".gitattributes") },
		"and the filter is not used": func(b *bench) { b.git("config", "--unset", "filter.fake.clean") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, withGit)
			b.git("init", "-q", "-b", "main")
			b.git("config", "filter.fake.clean", "printf '"+pointer+"'")
			b.git("config", "filter.fake.smudge", "printf 'large\\n'")
			b.write(".gitattributes", "*.bin filter=fake\nlink filter=fake\n")
			b.write("a.bin", "large\n")
			b.write("b", "small\n")
			b.commit()
			b.must(os.Chtimes(b.path("a.bin"), testTime, testTime))
			b.git("update-index", "-q", "--refresh")
			if got := b.git("cat-file", "-p", "HEAD:a.bin"); got != pointer {
				t.Fatalf("the commit has %q", got)
			}
			b.shell(func() {
				b.write("a.bin", "larger\n")
				b.write("b", "smaller\n")
				do(b)
			})
			if v := b.versions("a.bin"); v.Before.Why != Unreadable || v.Before.Bytes() != nil || v.Before.Hash() != "" {
				t.Errorf("it was %+v", v.Before)
			}
			if v := b.versions("b"); string(v.Before.Bytes()) != "small\n" {
				t.Errorf("the other was %+v", v.Before)
			}
		})
	}
}

func TestGitEnv_KeepsWhereTheUsersConfigurationIs(t *testing.T) {
	t.Parallel()
	env := gitEnv([]string{"HOME=/h", "GIT_CONFIG_GLOBAL=/g", "GIT_CONFIG_SYSTEM=/s", "GIT_CONFIG_NOSYSTEM=1", "=C:=C:\\",
		"GIT_CEILING_DIRECTORIES=/c", "GIT_DIR=/d", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_PARAMETERS='a.b=c'", "GIT_EXTERNAL_DIFF=x", "GIT_TRACE2=/t"})
	for _, want := range []string{"HOME=/h", "GIT_CONFIG_GLOBAL=/g", "GIT_CONFIG_SYSTEM=/s", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=/c"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is not kept", want)
		}
	}
	for _, v := range env {
		for _, name := range []string{"GIT_DIR", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EXTERNAL_DIFF", "GIT_TRACE2"} {
			if strings.HasPrefix(v, name+"=") {
				t.Errorf("%s is kept", v)
			}
		}
	}
}

func TestLook_EndsInTime(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.repository("f")
	b.write("f", "x\n")
	r := b.reader(maxPicture)
	p, err := take(r, b.dir)
	b.must(err)
	if at, ok := r.ctx.Deadline(); !ok || time.Until(at) > lookDeadline {
		t.Errorf("a picture may take until %v", at)
	}
	b.write("f", "y\n")
	r = b.reader(maxLook)
	if _, err := p.look(r, nil); err != nil {
		t.Fatal(err)
	}
	if at, ok := r.ctx.Deadline(); !ok || time.Until(at) > lookDeadline {
		t.Errorf("a look may take until %v", at)
	}
	ctx, cancel := context.WithDeadline(b.Context(), testTime)
	defer cancel()
	r.ctx = ctx
	l := looking{picture: p, reader: r, seen: map[string]bool{}}
	l.visit(b.path("f"), &absent, nil)
	if _, err := l.finish(); err != context.DeadlineExceeded || len(l.changes) != 0 {
		t.Errorf("%d changes too late, %v", len(l.changes), err)
	}
}

func TestRepositoriesBelowATree_AreNotOfIt(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.must(os.MkdirAll(b.path("in/r/d"), 0o755))
	b.gitIn(b.path("in/r"), "init", "-q")
	b.write("in/r/d/f", three)
	b.write("in/r/g", three)
	b.gitIn(b.path("in/r"), "add", "-A")
	b.gitIn(b.path("in/r"), "commit", "-qm", "c")
	p, err := take(b.reader(maxPicture), b.dir)
	b.must(err)
	for name, want := range map[string]bool{"": true, "f": true, "in": true, "in/x/y": true, "in/r": false, "in/r/g": false, "in/r/d/f": false, "../f": false} {
		if got := p.has(b.path(name)); got != want {
			t.Errorf("%q is in it: %v", name, got)
		}
	}
	b.prompt()
	b.goesOn()
	b.edits("in/r/d/f", "one\n") // which has that repository looked at
	b.write("in/r/g", "x\n")
	b.expect("edit modified in/r/d/f +0 -2", "shell modified in/r/g +1 -3")
}
