// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var withGit = Options{Git: true}

const three = "one\ntwo\nthree\n"

// shell has the client run commands in a turn: it asks once before, when what git knows is
// taken, and tells nothing after.
func (b *bench) shell(do func()) {
	b.Helper()
	b.prompt()
	b.goesOn()
	do()
}

func TestShell_ChangesAreFoundWithGit(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, do func(b *bench)
		want       []string
	}{
		"a clean file is changed": {nil, func(b *bench) { b.write("f", "one\nTWO\nthree\n") }, []string{"shell modified f +1 -1"}},
		"a changed file is changed": {
			func(b *bench) { b.write("f", "mine\n") },
			func(b *bench) { b.write("f", "its\n") },
			[]string{"shell modified f +1 -1"},
		},
		"a changed file is changed back": {
			func(b *bench) { b.write("f", "mine\n") },
			func(b *bench) { b.git("checkout", "-q", "f") },
			[]string{"shell modified f +3 -1"},
		},
		"a changed file is left": {func(b *bench) { b.write("f", "mine\n") }, func(*bench) {}, nil},
		"a file is touched": {nil, func(b *bench) {
			b.must(os.Chtimes(b.path("f"), time.Now(), time.Now().Add(time.Hour)))
		}, nil},
		"a file is created":       {nil, func(b *bench) { b.write("new", "a\n") }, []string{"shell created new +1 -0"}},
		"a file is deleted":       {nil, func(b *bench) { b.remove("f") }, []string{"shell deleted f +0 -3"}},
		"a file is moved":         {nil, func(b *bench) { b.git("mv", "f", "g") }, []string{"shell deleted f +0 -3", "shell created g +3 -0"}},
		"a folder goes":           {nil, func(b *bench) { b.remove("d") }, []string{"shell deleted d/a +0 -3", "shell deleted d/b +0 -3"}},
		"a file is ignored":       {nil, func(b *bench) { b.write("x.log", "a\n") }, nil},
		"a file is untracked":     {nil, func(b *bench) { b.git("rm", "-q", "--cached", "f") }, nil},
		"a change is committed":   {nil, func(b *bench) { b.write("f", three+"four\n"); b.commit() }, []string{"shell modified f +1 -0"}},
		"a new file is committed": {nil, func(b *bench) { b.write("new", "a\n"); b.commit() }, []string{"shell created new +1 -0"}},
		"an untracked file is changed": {
			func(b *bench) { b.write("u", "mine\n") },
			func(b *bench) { b.write("u", "its\n") },
			[]string{"shell modified u +1 -1"},
		},
		"an untracked file is deleted": {
			func(b *bench) { b.write("u", "mine\n") },
			func(b *bench) { b.remove("u") },
			[]string{"shell deleted u +0 -1"},
		},
		"an untracked file is added": {func(b *bench) { b.write("u", "mine\n") }, func(b *bench) { b.git("add", "u") }, nil},
		"a file may be run":          {nil, func(b *bench) { b.must(os.Chmod(b.path("f"), 0o755)) }, []string{"shell modified f +0 -0"}},
		"a file becomes a link":      {nil, func(b *bench) { b.remove("f"); b.must(os.Symlink("d/a", b.path("f"))) }, []string{"shell modified f +1 -3"}},
		"a file becomes a folder":    {nil, func(b *bench) { b.remove("f"); b.write("f/g", "a\n") }, []string{"shell modified f +0 -3", "shell created f/g +1 -0"}},
		"names are odd": {
			func(b *bench) { b.write("a\nb", three); b.write("caf\xe9 %20", three); b.commit() },
			func(b *bench) { b.write("a\nb", "x\n"); b.write("caf\xe9 %20", "x\n"); b.write("new\n", "") },
			[]string{"shell modified a\nb +1 -3", "shell modified caf\xe9 %20 +1 -3", "shell created new\n +0 -0"},
		},
		"a conflict is in the index": {
			func(b *bench) { b.conflict() },
			func(b *bench) { b.write("f", "solved\n") },
			[]string{"shell modified f +1 -7"},
		},
		"a conflict comes": {nil, func(b *bench) { b.conflict() }, []string{"shell modified f +5 -1"}},
		"a line end is git's": {
			func(b *bench) {
				b.git("config", "core.autocrlf", "true")
				b.remove("d")
				b.git("checkout", "-q", "d")
			},
			func(b *bench) { b.write("d/a", "one\r\ntwo\r\n") },
			[]string{"shell modified d/a +0 -1"},
		},
		"a submodule": {
			func(b *bench) {
				other := b.TB.TempDir()
				b.gitIn(other, "init", "-q")
				b.gitIn(other, "commit", "-q", "--allow-empty", "-m", "c")
				b.git("submodule", "--quiet", "add", other, "sub")
				b.commit()
			},
			func(b *bench) {
				b.write("sub/x", "a\n")
				b.gitIn(b.path("sub"), "add", "x")
				b.gitIn(b.path("sub"), "commit", "-qm", "d")
			},
			[]string{"shell created sub/x +1 -0"},
		},
		"a submodule in a submodule": {
			func(b *bench) {
				other, inner := b.TB.TempDir(), b.TB.TempDir()
				b.gitIn(inner, "init", "-q")
				b.gitIn(inner, "commit", "-q", "--allow-empty", "-m", "c")
				b.gitIn(other, "init", "-q")
				b.gitIn(other, "submodule", "--quiet", "add", inner, "in ner")
				b.gitIn(other, "commit", "-q", "-m", "c")
				b.git("submodule", "--quiet", "add", other, "sub")
				b.gitIn(b.path("sub"), "submodule", "--quiet", "update", "--init")
				b.commit()
			},
			func(b *bench) { b.write("sub/in ner/x", "a\n"); b.write("f", "x\n") },
			[]string{"shell modified f +1 -3", "shell created sub/in ner/x +1 -0"},
		},
		"a submodule that is none": {
			func(b *bench) {
				b.write(".gitmodules", "[submodule \"a\"]\n\tpath = ../..\n[submodule \"b\"]\n\tpath = d\n[submodule \"c\"]\n\tpath\n")
				b.commit()
			},
			func(b *bench) { b.write("f", "x\n") },
			[]string{"shell modified f +1 -3"},
		},
		"line ends are not git's": {
			func(b *bench) {
				b.git("config", "core.autocrlf", "true")
				b.write("lf", "1\n2\n3\n4\n")
				b.write("mixed", "1\r\n2\n3\r\n")
				b.write("crlf", "1\r\n2\r\n")
				b.write("removed", "1\n2\n3\n")
				b.commit()
			},
			func(b *bench) {
				b.write("lf", "1\n2\nthree\n4\n5\n")
				b.write("mixed", "1\r\n2\n3\r\n4\n")
				b.write("crlf", "1\r\n2\r\n3\n")
				b.write("removed", "1\n3\n")
			},
			[]string{"shell modified crlf +1 -0", "shell modified lf +2 -1", "shell modified mixed +1 -0", "shell modified removed +0 -1"},
		},
		"an encoding is not git's": {
			func(b *bench) {
				b.write(".gitattributes", "u text working-tree-encoding=UTF-16LE\n")
				b.git("config", "core.autocrlf", "true")
				b.write("u", "a\x00\n\x00b\x00\n\x00")
				b.commit()
			},
			func(b *bench) { b.write("u", "a\x00\n\x00b\x00\n\x00c\x00\n\x00") },
			[]string{"shell modified u +0 -0 binary"},
		},
		"an edit after a shell command": {nil, func(b *bench) {
			b.write("f", "shell\n")
			b.edits("f", "edit\n")
		}, []string{"both modified f +1 -3"}},
		"a shell command after an edit": {nil, func(b *bench) {
			b.edits("f", "edit\n")
			b.write("f", "edit\nshell\n")
			b.tick()
			b.goesOn()
		}, []string{"both modified f +2 -3"}},
		"an edit between two that git saw": {nil, func(b *bench) {
			b.write("f", "shell\n")
			b.list()
			b.edits("f", "shell\nedit\n")
		}, []string{"both modified f +2 -3"}},
		"an edit that is taken back": {nil, func(b *bench) {
			b.edits("f", "edit\n")
			b.git("checkout", "-q", "f")
			b.tick()
			b.goesOn()
		}, nil},
		"the user saves": {nil, func(b *bench) {
			b.write("f", "user\n")
			b.on(func() { b.Saved(b.path("f")) })
		}, nil},
		"the user saves before an edit": {nil, func(b *bench) {
			b.write("f", "user\n")
			b.on(func() { b.Saved(b.path("f")) })
			b.edits("f", "edit\n")
		}, []string{"edit modified f +1 -1"}},
		"the user saves what was edited": {nil, func(b *bench) {
			b.edits("f", "edit\n")
			b.write("f", "user\n")
			b.on(func() { b.Saved(b.path("f")) })
		}, []string{"edit modified f +1 -3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, withGit)
			b.repository("f", "d/a", "d/b")
			b.write(".gitignore", "*.log\n")
			b.commit()
			if row.before != nil {
				row.before(b)
			}
			before := b.contents()
			b.shell(func() { row.do(b) })
			b.expect(row.want...)
			if strings.HasPrefix(name, "the user") || row.want == nil {
				return
			}
			b.revert()
			if after := b.contents(); after != before {
				t.Errorf("reverted to\n%s\nnot\n%s", after, before)
			}
		})
	}
}

// conflict leaves a merge that failed.
func (b *bench) conflict() {
	b.Helper()
	b.write("f", "one\nours\nthree\n")
	b.commit()
	b.git("checkout", "-q", "-b", "other", "HEAD~")
	b.write("f", "one\ntheirs\nthree\n")
	b.commit()
	if _, err := (git{folder: b.dir}).output(b.Context(), nil, 1<<20, "-c", "user.name=a", "-c", "user.email=a@b", "merge", "main"); err == nil {
		b.Fatal("the merge has no conflict")
	}
}

func TestGit_IsLeftAsItIs(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f", "d/a")
	b.git("config", "core.autocrlf", "input")
	b.write("f", "changed\n")
	b.write("staged", "a\n")
	b.git("add", "staged")
	b.write(".env", "SECRET\n")
	hooks := b.path(".git/hooks")
	for _, hook := range []string{"post-index-change", "pre-commit", "reference-transaction"} {
		b.must(os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\ntouch '"+b.path("ran")+"'\n"), 0o755))
	}
	b.must(os.Chtimes(b.path("d/a"), time.Now(), time.Now().Add(time.Hour))) // what git would refresh
	before := b.snapshot(b.dir)
	b.prompt()
	b.announce("f")
	b.goesOn()
	b.goesOn()
	b.expect()
	b.list()
	b.on(func() { b.Left(1) })
	b.list()
	if after := b.snapshot(b.dir); after != before {
		t.Errorf("the repository is\n%s\nand was\n%s", after, before)
	}
}

func TestShell_NeedsARepositoryWithACommitAndTheOption(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		options Options
		prepare func(b *bench)
	}{
		"no repository": {withGit, func(*bench) {}},
		"no commits":    {withGit, func(b *bench) { b.git("init", "-q") }},
		"no work tree":  {withGit, func(b *bench) { b.git("init", "-q", "--bare", ".") }},
		"no option":     {noGit, func(b *bench) { b.repository("f") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, row.options)
			row.prepare(b)
			b.write("e", "a\n")
			b.shell(func() { b.write("new", "a\n") })
			b.edits("e", "b\n")
			b.expect("edit modified e +1 -1")
		})
	}
}

func TestShell_WorksInALinkedWorkTreeAndBelowTheFolder(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.git("worktree", "add", "-q", b.path("tree"))
	b.must(os.Mkdir(b.path("tree/sub"), 0o755))
	b.on(func() { b.Folders([]string{b.path("tree/sub")}) })
	b.shell(func() { b.write("tree/f", "x\n"); b.write("tree/sub/new", "x\n"); b.write("f", "y\n") })
	b.expect("shell modified tree/f +1 -3", "shell created tree/sub/new +1 -0")
}

func TestShell_IsLookedForWhereFilesAreAnnounced(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.must(os.Mkdir(b.path("r"), 0o755))
	b.gitIn(b.path("r"), "init", "-q")
	b.write("r/f", three)
	b.gitIn(b.path("r"), "add", "-A")
	b.gitIn(b.path("r"), "commit", "-qm", "c")
	b.prompt()
	b.goesOn() // the folder is no repository
	b.edits("r/f", "one\n")
	b.write("r/new", "a\n")
	b.expect("edit modified r/f +0 -2", "shell created r/new +1 -0")
}

func TestShell_IsOneClients(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f", "g", "h")
	b.on(func() { b.Began(1, "one"); b.Began(2, "two") })
	b.goesOnAs(1)
	b.goesOnAs(2)
	b.announceAs(1, "f")
	b.write("f", "1\n")
	b.goesOnAs(1)
	b.list()
	b.write("g", "2\n") // by client 2, who tells first
	b.goesOnAs(2)
	eventually(t, "client 2 changed g", func() bool { return b.list()[0].Files == 1 })
	all := b.list()
	for i, want := range []string{"g", "f"} {
		d := b.turn(all[i].Turn)
		if len(d.Changes) != 1 || d.Changes[0].Path != b.path(want) {
			t.Errorf("client %d changed %+v", d.Client, d.Changes)
		}
	}
}

func TestShell_IsNotTakenForAnothersEdit(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.on(func() { b.Began(1, "one"); b.Began(2, "two") })
	for client := range uint64(2) {
		b.announceAs(client+1, "f")
		b.write("f", fmt.Sprintf("client %d\n", client+1))
		b.goesOnAs(client + 1)
	}
	for id := range int64(2) {
		d := b.turn(id + 1)
		if len(d.Changes) != 1 || string(d.Changes[0].After.Bytes()) != fmt.Sprintf("client %d\n", id+1) {
			t.Errorf("client %d left %+v", d.Client, d.Changes)
		}
	}
}

func TestShell_OfAThousandFilesIsFound(t *testing.T) {
	t.Parallel()
	const n = 1000
	b := keep(t, withGit)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("d%d/f%d", i%10, i)
	}
	b.repository(names...)
	before := b.contents()
	b.shell(func() {
		for i, name := range names {
			if i%3 == 0 {
				b.remove(name)
			} else {
				b.write(name, "one\n2\nthree\n")
			}
		}
	})
	d := b.turn(0)
	if len(d.Changes) != n || d.Added != 666 || d.Removed != 666+3*334 || d.More {
		t.Errorf("%d files, +%d -%d", len(d.Changes), d.Added, d.Removed)
	}
	if !slices.IsSortedFunc(d.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) }) {
		t.Error("the files are not in order")
	}
	b.revert()
	if after := b.contents(); after != before {
		t.Error("the files are not as they were")
	}
}

func TestGit_ThatCannotAnswerIsAskedNoMore(t *testing.T) {
	for name, script := range map[string]string{
		"hangs":  "#!/bin/sh\necho x >> \"$CALLS\"\nsleep 1000\n",
		"floods": "#!/bin/sh\necho x >> \"$CALLS\"\nexec cat /dev/zero\n",
		"fails":  "#!/bin/sh\necho x >> \"$CALLS\"\nexit 128\n",
		"lies":   "#!/bin/sh\necho x >> \"$CALLS\"\nprintf ':a b\\0c'\n",
		"none":   "",
	} {
		t.Run(name, func(t *testing.T) {
			b := keep(t, withGit)
			b.write("f", "a\n")
			bin := t.TempDir()
			t.Setenv("PATH", bin+":/bin:/usr/bin")
			t.Setenv("CALLS", filepath.Join(bin, "calls"))
			if script == "" {
				t.Setenv("PATH", bin)
			} else if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			b.prompt()
			b.announce("f") // which git does not hold up
			b.write("f", "b\n")
			if name == "hangs" {
				eventually(t, "git runs", func() bool { _, err := os.Stat(filepath.Join(bin, "calls")); return err == nil })
				b.close() // which ends it
				return
			}
			b.goesOn()
			b.expect("edit modified f +1 -1")
		})
	}
}

func TestTasks_LeaveAFolderAloneInWhichGitTookTooLong(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.until(func(done func()) {
		b.request(func() {
			b.book.failed(b.dir, fmt.Errorf("git x: %w", context.DeadlineExceeded))
			done()
		})
	})
	b.shell(func() { b.write("f", "x\n") })
	b.expect()
}

func TestReadRaw_RefusesWhatIsNotGits(t *testing.T) {
	t.Parallel()
	good := ":100644 100755 aa 00 M"
	for name, row := range map[string]struct {
		parts []string
		want  string
	}{
		"nothing":    {nil, "[] <nil>"},
		"a file":     {[]string{good, "f"}, "[{f 100644 100755 aa}] <nil>"},
		"a conflict": {[]string{":000000 000000 00 00 U", "f", good, "f"}, "[{f 100644 100755 aa}] <nil>"},
		"the other":  {[]string{good, "f", ":000000 000000 00 00 U", "f"}, "[{f 100644 100755 aa}] <nil>"},
		"submodule":  {[]string{":160000 160000 aa 00 M", "f"}, "[] <nil>"},
		"no name":    {[]string{good}, "[] " + errRaw.Error()},
		"empty name": {[]string{good, ""}, "[] " + errRaw.Error()},
		"few fields": {[]string{":100644 100644 aa 00", "f"}, "[] " + errRaw.Error()},
		"odd mode":   {[]string{":1 100644 aa 00 M", "f"}, "[] " + errRaw.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries, err := readRaw(row.parts)
			if got := fmt.Sprint(entries, err); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
		})
	}
}

func FuzzReadRaw(f *testing.F) {
	f.Add(":100644 100644 aa 00 M\x00f\x00")
	f.Add(":160000 000000 00 00 U\x00a\nb\x00:100644 100644 aa 00 M\x00a\nb")
	f.Fuzz(func(t *testing.T, out string) {
		entries, err := readRaw(strings.Split(out, "\x00"))
		seen := map[string]bool{}
		for _, e := range entries {
			if err != nil || e.name == "" || seen[e.name] {
				t.Errorf("%+v, %v", entries, err)
			}
			seen[e.name] = true
		}
	})
}

// TestTurn_SaysThatFilesAreNotLookedAt has more files than are looked at.
func TestTurn_SaysThatFilesAreNotLookedAt(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.shell(func() { b.write("f", "x\n") })
	if b.turn(0).Unseen {
		t.Error("it is said of few files")
	}
	for i := range maxLoose + 1 {
		b.write(fmt.Sprintf("u/%d", i), "a")
	}
	b.shell(func() { b.write("f", "y\n"); b.write("new", "x\n") })
	if d := b.turn(0); !d.Unseen || len(d.Changes) != 1 {
		t.Errorf("%+v", d)
	}
}

func TestFile_OfATurnIsFoundBehindASymlinkThatCameLater(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.prompt()
	b.edits("d/f", "x\n")
	b.must(os.Rename(b.path("d"), b.path("e")))
	b.must(os.Symlink("e", b.path("d")))
	if v := b.versions("d/f"); string(v.After.Bytes()) != "x\n" {
		t.Errorf("%+v", v)
	}
}
