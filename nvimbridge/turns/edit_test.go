// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noGit is how most tests run: what the client announces is all there is.
var noGit = Options{}

func TestTurn_KnowsExactlyWhatAClientChanged(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ before, after, want string }{
		"lines":            {"a\nb\nc\n", "a\nB\nc\nd\n", "edit modified f +2 -1"},
		"CRLF":             {"a\r\nb\r\n", "a\r\nB\r\n", "edit modified f +1 -1"},
		"line ends":        {"a\r\nb\r\n", "a\nb\n", "edit modified f +2 -2"},
		"no final newline": {"a\nb", "a\nb\n", "edit modified f +1 -1"},
		"BOM":              {"\ufeffa\n", "\ufeffb\n", "edit modified f +1 -1"},
		"binary":           {"a\x00\xff", "b\x00\xfe", "edit modified f +0 -0 binary"},
		"no UTF-8":         {"caf\xe9\n", "th\xe9\n", "edit modified f +1 -1"},
		"emptied":          {"a\n", "", "edit modified f +0 -1"},
		"filled":           {"", "a\n", "edit modified f +1 -0"},
		"nothing":          {"a\n", "a\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, noGit)
			b.write("f", row.before)
			b.prompt()
			b.edits("f", row.after)
			if b.expect(row.want); row.want == "" {
				return
			}
			v := b.versions("f")
			if string(v.Before.Bytes()) != row.before || string(v.After.Bytes()) != row.after || string(v.Now.Bytes()) != row.after {
				t.Errorf("the versions are %q, %q, %q", v.Before.Bytes(), v.After.Bytes(), v.Now.Bytes())
			}
			b.revert()
			if got := b.content("f"); got != row.before {
				t.Errorf("reverted to %q, not %q", got, row.before)
			}
		})
	}
}

func TestTurn_KnowsFilesByWhateverNamesTheyHave(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b", "a\nb", "a%20b", "100%", "$x [id] *", "\u00e9\U0001f600", "caf\xe9", "-n", `a"b\c`, "d/e/f"} {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			t.Parallel()
			b := keep(t, noGit)
			b.write(name, "a\n")
			b.prompt()
			b.edits(name, "b\n")
			b.expect("edit modified " + name + " +1 -1")
			b.revert()
			if got := b.content(name); got != "a\n" {
				t.Errorf("reverted to %q", got)
			}
		})
	}
}

func TestAnnounced_TakesURIsInEveryForm(t *testing.T) {
	t.Parallel()
	for form, of := range map[string]func(path string) string{
		"raw":       func(path string) string { return "file://" + path },
		"encoded":   func(path string) string { return "file://" + strings.ReplaceAll(path, " ", "%20") },
		"localhost": func(path string) string { return "file://localhost" + path },
		"a path":    func(path string) string { return path },
		"dots":      func(path string) string { return "file://" + filepath.Dir(path) + "/x/.././" + filepath.Base(path) },
	} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			b := keep(t, noGit)
			b.write("a b", "a\n")
			b.prompt()
			b.until(func(done func()) { b.Announced(1, "", of(b.path("a b")), done) })
			b.write("a b", "b\n")
			b.goesOn()
			b.expect("edit modified a b +1 -1")
		})
	}
}

func TestAnnounced_LetsTheClientGoOnWhateverTheURIIs(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.prompt()
	for _, uri := range []string{"", "file://", "file:///", "http://a/b", "relative", "file:///a\x00b", "file:///" + strings.Repeat("a", maxPath), "file:///%zz", "file://" + b.dir} {
		b.until(func(done func()) { b.Announced(1, "", uri, done) })
	}
	b.goesOn()
	b.expect()
}

func TestTurn_KnowsOneFileUnderTheNamesOfSymlinkedFolders(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("real/f", "a\n")
	b.must(os.Symlink("real", b.path("link")))
	b.prompt()
	b.announce("link/f")
	b.announce("real/f")
	b.write("real/f", "b\n")
	b.goesOn()
	b.expect("edit modified real/f +1 -1")
}

func TestTurn_CreatesAndDeletes(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("old", "a\nb\n")
	b.write("kept/other", "x\n")
	before := b.contents()
	b.prompt()
	b.edits("new/deep/f", "a\n")
	b.edits("kept/new", "a\n")
	b.announce("old")
	b.remove("old")
	b.goesOn()
	b.expect("edit created kept/new +1 -0", "edit created new/deep/f +1 -0", "edit deleted old +0 -2")
	b.revert()
	if after := b.contents(); after != before {
		t.Errorf("reverted to\n%s\nnot\n%s", after, before)
	}
}

func TestRevert_LeavesFoldersThatWereThereOrHoldSomething(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.must(os.Mkdir(b.path("empty"), 0o755))
	b.prompt()
	b.edits("empty/f", "a\n")
	b.edits("made/f", "a\n")
	b.write("made/users", "x\n")
	before := "empty"
	b.revert()
	for _, name := range []string{before, "made/users"} {
		if _, err := os.Lstat(b.path(name)); err != nil {
			t.Error(err)
		}
	}
}

func TestTurn_KeepsModesAndLinks(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("script", "#!\n")
	b.write("private", "a\n")
	b.must(os.Chmod(b.path("script"), 0o755))
	b.must(os.Chmod(b.path("private"), 0o600))
	b.must(os.Symlink("script", b.path("link")))
	b.must(os.Symlink("script", b.path("same")))
	before := b.contents()
	b.prompt()
	for _, name := range []string{"script", "private", "link", "same"} {
		b.announce(name)
	}
	b.must(os.Chmod(b.path("script"), 0o644))
	b.write("private", "b\n")
	b.remove("link")
	b.write("link", "a file\n")
	b.goesOn()
	b.expect("edit modified link +1 -1", "edit modified private +1 -1", "edit modified script +0 -0")
	b.revert()
	if after := b.contents(); after != before {
		t.Errorf("reverted to\n%s\nnot\n%s", after, before)
	}
}

func TestTurn_TakesTheFirstBytesAndTheLast(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "0\n")
	b.prompt()
	b.edits("f", "1\n")
	b.edits("f", "2\n")
	v := b.versions("f")
	if string(v.Before.Bytes()) != "0\n" || string(v.After.Bytes()) != "2\n" {
		t.Errorf("the versions are %q and %q", v.Before.Bytes(), v.After.Bytes())
	}
	b.prompt()
	b.edits("f", "3\n")
	if v = b.versions("f"); string(v.Before.Bytes()) != "2\n" {
		t.Errorf("the next turn began with %q", v.Before.Bytes())
	}
}

func TestTurn_DoesNotTakeWhatTheUserWrites(t *testing.T) {
	t.Parallel()
	saves := func(b *bench, name, content string) {
		b.write(name, content)
		b.on(func() { b.Saved(b.path(name)) })
	}
	for name, row := range map[string]struct {
		do         func(b *bench)
		want       string
		left, seen string
	}{
		"after the client":         {func(b *bench) { b.edits("f", "1\n"); saves(b, "f", "user\n"); b.goesOn() }, "edit modified f +1 -1", "1\n", "user\n"},
		"before the client":        {func(b *bench) { saves(b, "f", "user\n"); b.edits("f", "1\n") }, "edit modified f +1 -1", "1\n", "1\n"},
		"instead of the client":    {func(b *bench) { b.announce("f"); b.goesOn(); saves(b, "f", "user\n"); b.goesOn() }, "", "", ""},
		"without the client":       {func(b *bench) { saves(b, "f", "user\n"); b.goesOn() }, "", "", ""},
		"while another agent asks": {func(b *bench) { b.announce("f"); b.goesOn(); b.write("f", "1\n"); b.goesOn() }, "edit modified f +1 -1", "1\n", "1\n"},
		"over the client":          {func(b *bench) { b.announce("f"); b.write("f", "1\n"); saves(b, "f", "1\nuser\n"); b.goesOn() }, "edit modified f +0 -0 mixed", "1\nuser\n", "1\nuser\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, noGit)
			b.write("f", "0\n")
			b.prompt()
			row.do(b)
			if b.expect(row.want); row.want == "" {
				return
			}
			if v := b.versions("f"); string(v.After.Bytes()) != row.left || string(v.Now.Bytes()) != row.seen {
				t.Errorf("the client left %q, and there is %q", v.After.Bytes(), v.Now.Bytes())
			}
		})
	}
}

func TestTurns_BelongToTheirClients(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "0\n")
	b.write("g", "0\n")
	b.on(func() { b.Began(1, "one"); b.Began(2, "two") })
	b.announceAs(1, "f")
	b.announceAs(2, "g")
	b.write("f", "1\n")
	b.write("g", "1\n")
	b.goesOnAs(1)
	b.goesOnAs(2)
	all := b.list()
	if len(all) != 2 || all[0].Name != "two" || all[1].Name != "one" || all[0].Files != 1 || all[1].Files != 1 || !all[0].Open {
		t.Fatalf("the turns are %+v", all)
	}
	if d := b.turn(all[1].Turn); d.Changes[0].Path != b.path("f") {
		t.Errorf("client 1 changed %+v", d.Changes)
	}
	b.on(func() { b.Left(1) })
	if all = b.list(); len(all) != 2 || all[1].Open || !all[0].Open {
		t.Errorf("after client 1 left the turns are %+v", all)
	}
}

func TestTurn_EndsWithWhatWasAnnounced(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "0\n")
	b.announce("f") // with no prompt before: the client was there already
	b.write("f", "1\n")
	b.on(func() { b.Left(1) })
	b.expect("edit modified f +1 -1")
	b.prompt()
	b.prompt()
	if all := b.list(); len(all) != 2 || !all[0].Open {
		t.Errorf("a turn that changed nothing is remembered: %+v", all)
	}
}

func TestKeeper_KeepsNothingBeforeReview(t *testing.T) {
	t.Parallel()
	k := New(Config{Post: func(f func()) bool { f(); return true }})
	ran := 0
	count := func() { ran++ }
	k.Folders([]string{"/"})
	k.Began(1, "")
	k.Announced(1, "", "file:///etc/passwd", count)
	k.Sampled(1, count)
	k.Left(1)
	k.List(func(all []Summary) { ran += 1 - len(all) })
	k.Turn(1, false, func(_ Detail, err error) {
		if err == ErrNoTurn {
			count()
		}
	})
	k.File(1, "/f", func(_ Versions, err error) {
		if err == ErrNoTurn {
			count()
		}
	})
	k.Put([]Put{{Path: "/f"}}, func(errs []error) { ran += len(errs) })
	if err := k.Close(); err != nil || ran != 6 {
		t.Errorf("%d answers, %v", ran, err)
	}
}

func TestChanged_IsToldOnceInAWhile(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.prompt()
	for i := range 20 {
		b.edits(fmt.Sprint(i), "a\n")
	}
	eventually(t, "the last change is told", func() (ok bool) {
		b.on(func() { ok = len(b.told) > 0 && b.told[len(b.told)-1] == "turn 1, 20 files" })
		return ok
	})
	b.on(func() {
		if len(b.told) > 10 {
			t.Errorf("it was told %d times", len(b.told))
		}
	})
}

// With several clients the newest turn, and how many files it changed, may stay the same.
func TestChanged_TellsOfEveryTurn(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	revisions := func(turns ...int64) (now map[int64]int64) {
		t.Helper()
		eventually(t, "the turns are told", func() bool {
			now = map[int64]int64{}
			b.on(func() {
				for _, r := range b.news.Revisions {
					now[r.Turn] = r.Number
				}
			})
			return len(now) == len(turns)
		})
		return now
	}
	b.on(func() { b.Began(1, ""); b.Began(2, "") })
	edit := func(client uint64, name, content string) {
		t.Helper()
		b.announceAs(client, name)
		b.write(name, content)
		b.goesOnAs(client)
	}
	edit(1, "a", "1\n")
	edit(2, "b", "1\n")
	edit(2, "b", "2\n")
	was := revisions(1, 2)
	for turn, name := range map[int64]string{1: "a", 2: "b"} {
		edit(uint64(turn), name, "3\n")
		eventually(t, "a turn that changed is told", func() bool {
			now := revisions(1, 2)
			return now[turn] > was[turn]
		})
	}
	b.on(func() {
		if b.news.Turn != 2 || b.news.Files != 1 {
			t.Errorf("%+v", b.news)
		}
	})
}

func TestSaved_TakesBackWhatGitTookForTheClients(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f", "g")
	b.shell(func() { b.edits("f", "edit\n") })
	b.write("f", "user\n")
	b.write("g", "user\n")
	b.expect("edit modified f +1 -3", "shell modified g +1 -3") // the word of the editor is on its way
	b.write("f", "user, too\n")
	b.expect("edit modified f +1 -3", "shell modified g +1 -3")
	b.on(func() { b.Saved(b.path("f")); b.Saved(b.path("g")) })
	b.expect("edit modified f +1 -3")
	if v := b.versions("f"); string(v.After.Bytes()) != "edit\n" {
		t.Errorf("the client left %q", v.After.Bytes())
	}
}
