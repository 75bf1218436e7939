// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestPut_ChecksEverythingBeforeItWrites(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "a\n")
	b.write("g", "a\n")
	b.must(os.Symlink("f", b.path("link")))
	b.must(os.Mkdir(b.path("d"), 0o755))
	before := b.snapshot(b.dir)
	is := func(name string) Expectation { return Expectation{File, hashOf("a\n")} }
	file := func(name string, e Expectation) Put {
		return Put{Path: b.path(name), Expect: e, Kind: File, Content: []byte("new")}
	}
	good := file("g", is("g"))
	for name, row := range map[string]struct {
		put  Put
		want error
	}{
		"another content":  {file("f", Expectation{File, hashOf("b\n")}), ErrChanged},
		"no hash":          {file("f", Expectation{Kind: File}), ErrChanged},
		"not there":        {file("x", is("x")), ErrChanged},
		"there":            {file("f", Expectation{Kind: Absent}), ErrChanged},
		"a link":           {file("link", is("link")), ErrChanged},
		"a folder":         {file("d", is("d")), ErrChanged},
		"no kind expected": {file("f", Expectation{}), ErrChanged},
		"twice":            {file("g", is("g")), ErrTwice},
		"relative":         {Put{Path: "f", Kind: File}, ErrPath},
		"no path":          {Put{Kind: File}, ErrPath},
		"no state":         {Put{Path: b.path("f"), Expect: is("f")}, ErrNoState},
		"a folder wanted":  {Put{Path: b.path("f"), Expect: is("f"), Kind: Other}, ErrNoState},
	} {
		errs := b.put(good, row.put, file("new", Expectation{Kind: Absent}))
		if errs[0] != ErrAnother || errs[1] != row.want || errs[2] != ErrAnother {
			t.Errorf("%s: %v", name, errs)
		}
	}
	if errs := b.put(make([]Put, MaxPut+1)...); len(errs) != MaxPut+1 || errs[0] != ErrTooMany {
		t.Errorf("%d errors, %v", len(errs), errs[0])
	}
	if after := b.snapshot(b.dir); after != before {
		t.Errorf("there is\n%s\nand was\n%s", after, before)
	}
	if errs := b.put(good, file("new/deep", Expectation{Kind: Absent}), file("d", Expectation{Kind: Other})); errs[0] != nil || errs[1] != nil || errs[2] != nil {
		t.Error(errs)
	}
	for _, name := range []string{"g", "new/deep", "d"} {
		if got := b.content(name); got != "new" {
			t.Errorf("%s is %q", name, got)
		}
	}
}

func TestPut_FailsForOneFileAndWritesTheOthers(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("d/inside", "a\n")
	b.write("g", "a\n")
	gone := Put{Path: b.path("d"), Expect: Expectation{Kind: Other}, Kind: File, Content: []byte("x")}
	stays := Put{Path: b.path("d2"), Expect: Expectation{Kind: Absent}, Kind: Absent}
	below := Put{Path: b.path("g/below"), Expect: Expectation{Kind: Absent}, Kind: File, Content: []byte("x")}
	link := Put{Path: b.path("l"), Expect: Expectation{Kind: Absent}, Kind: Symlink, Content: []byte("g")}
	errs := b.put(gone, stays, below, link)
	if errs[0] != errNotEmpty || errs[1] != nil || errs[2] == nil || errs[3] != nil {
		t.Error(errs)
	}
	if strings.Contains(errs[2].Error(), b.dir) {
		t.Errorf("the error tells the path: %v", errs[2])
	}
	if to, err := os.Readlink(b.path("l")); to != "g" || err != nil {
		t.Error(to, err)
	}
	if names, err := os.ReadDir(b.dir); len(names) != 3 || err != nil { // and no temporary file
		t.Error(names, err)
	}
}

func TestPut_IsNoClientsChange(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f", "g")
	b.shell(func() { b.edits("f", "edit\n"); b.write("g", "shell\n") })
	want := []string{"edit modified f +1 -3", "shell modified g +1 -3"}
	b.expect(want...)
	b.revert()
	b.goesOn()
	b.expect(want...)
	if v := b.versions("g"); string(v.After.Bytes()) != "shell\n" || string(v.Now.Bytes()) != three {
		t.Errorf("%q, %q", v.After.Bytes(), v.Now.Bytes())
	}
}

func TestPut_KeepsAModeItIsNotTold(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "a\n")
	b.must(os.Chmod(b.path("f"), 0o600))
	p := Put{Path: b.path("f"), Expect: Expectation{File, hashOf("a\n")}, Kind: File, Content: []byte("b")}
	if errs := b.put(p); errs[0] != nil {
		t.Fatal(errs)
	}
	info, err := os.Stat(b.path("f"))
	b.must(err)
	if info.Mode() != 0o600 {
		t.Errorf("the mode is %v", info.Mode())
	}
}

func TestPut_DoesNotWriteWhatChangedSinceItWasChecked(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "a\n")
	b.write("g", "a\n")
	is := Expectation{File, hashOf("a\n")}
	w := &writing{ctx: b.Context()}
	if errs, good := w.check([]Put{{Path: b.path("f"), Expect: is, Kind: File}, {Path: b.path("g"), Expect: is, Kind: Absent},
		{Path: b.path("new"), Expect: Expectation{Kind: Absent}, Kind: File}}); !good {
		t.Fatal(errs)
	}
	for _, name := range []string{"f", "g", "new"} {
		b.write(name, "the user's\n")
	}
	for i, err := range []error{w.write(&w.files[0]), w.remove(&w.files[1]), w.write(&w.files[2])} {
		if err != ErrChanged {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

// Two writes in one tick of the file system's clock leave the same times.
func TestPut_ReadsAgainWhatTimesDoNotTell(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "a\n")
	w := &writing{ctx: b.Context()}
	if errs, good := w.check([]Put{{Path: b.path("f"), Expect: Expectation{File, hashOf("a\n")}, Kind: File, Content: []byte("x")}}); !good {
		t.Fatal(errs)
	}
	b.write("f", "b\n")
	info, err := os.Lstat(b.path("f"))
	b.must(err)
	w.files[0].now.stamp = stampOf(info)
	if err := w.write(&w.files[0]); err != ErrChanged || b.content("f") != "b\n" {
		t.Errorf("%v, and it is %q", err, b.content("f"))
	}
	w.files[0].Kind = Absent
	if err := w.remove(&w.files[0]); err != ErrChanged || b.content("f") != "b\n" {
		t.Errorf("%v, and it is %q", err, b.content("f"))
	}
}

func TestPut_LeavesWhatCameInPlaceOfAFolder(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.must(os.Mkdir(b.path("d"), 0o755))
	w := &writing{ctx: b.Context()}
	if errs, good := w.check([]Put{{Path: b.path("d"), Expect: Expectation{Kind: Other}, Kind: File, Content: []byte("x")}}); !good {
		t.Fatal(errs)
	}
	b.remove("d")
	if err := w.write(&w.files[0]); err != ErrChanged {
		t.Error(err)
	}
	b.write("d", "the user's\n")
	if err := w.write(&w.files[0]); err != ErrChanged || b.content("d") != "the user's\n" {
		t.Errorf("%v, and it is %q", err, b.content("d"))
	}
	w.files[0].info = nil // it came and went while it was looked at
	if err := w.write(&w.files[0]); err != ErrChanged {
		t.Error(err)
	}
}

func TestPut_OfTooManyBytesWritesNothing(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	half := make([]byte, MaxPutBytes/2)
	file := func(name string, content []byte) Put {
		return Put{Path: b.path(name), Expect: Expectation{Kind: Absent}, Kind: File, Content: content}
	}
	if errs := b.put(file("f", half), file("g", half), file("h", []byte("x"))); errs[0] != ErrTooLarge || errs[2] != ErrTooLarge {
		t.Error(errs)
	}
	if names, err := os.ReadDir(b.dir); len(names) != 0 || err != nil {
		t.Error(names, err)
	}
}

func TestQuestion_ThatPanicsIsAnswered(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.on(func() { b.request(func() { b.book.turns = []*turn{nil} }) }) // which the keeper meets after it wrote
	if errs := b.put(Put{Path: b.path("f"), Expect: Expectation{Kind: Absent}, Kind: File}); errs[0] != nil {
		t.Error(errs)
	}
	b.until(func(done func()) {
		b.Turn(1, false, func(_ Detail, err error) {
			if err != ErrUnknown {
				t.Error(err)
			}
			done()
		})
	})
}

func TestPut_EndsBetweenTwoFiles(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	ctx, cancel := context.WithCancel(b.Context())
	b.write("f", "a\n")
	w := &writing{ctx: ctx, errs: each(2, ErrUnknown)}
	files := []Put{{Path: b.path("f"), Expect: Expectation{File, hashOf("a\n")}, Kind: File},
		{Path: b.path("new"), Expect: Expectation{Kind: Absent}, Kind: File}}
	if errs, good := w.check(files); !good {
		t.Fatal(errs)
	}
	cancel()
	w.files = nil
	w.run(files)
	if w.errs[0] == nil || w.errs[1] == nil || b.content("f") != "a\n" {
		t.Errorf("%v, and there is %q", w.errs, b.content("f"))
	}
}
