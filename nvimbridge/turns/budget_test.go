// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"os"
	"strings"
	"testing"
)

// old has a file be one that nobody writes any more.
func (b *bench) old(name string) {
	b.Helper()
	eventually(b, "the file's times tell", func() bool {
		return read(b.Context(), b.path(name)).stamp.holds(b.path(name))
	})
}

func TestReader_ReadsOnlySoMuch(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", three)
	b.must(os.Symlink("f", b.path("l")))
	r := b.reader(maxPicture)
	r.spent = maxRead - int64(len(three))
	if s := r.read(b.path("f")); string(s.Bytes()) != three || r.spent != maxRead {
		t.Errorf("%+v, %d bytes read", s, r.spent)
	}
	s := r.read(b.path("f"))
	if s.Bytes() != nil || s.Hash() != "" || s.Why != Memory || s.Kind != File || s.Size != int64(len(three)) || r.spent != maxRead {
		t.Errorf("what comes after is %+v, %d bytes read", s, r.spent)
	}
	if s := r.read(b.path("l")); s.Kind != Symlink {
		t.Errorf("a link is %+v", s)
	}
	if s := r.read(b.path("none")); s.Kind != Absent {
		t.Errorf("nothing is %+v", s)
	}
	if !s.same(glance(b.Context(), b.path("f"))) {
		t.Error("it is not what it was")
	}
	b.write("f", "x\n")
	if s.same(read(b.Context(), b.path("f"))) {
		t.Error("it is what it was")
	}
}

func TestReader_CountsWhatItDoesNotKeep(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("large", strings.Repeat("x", MaxFile+1))
	b.write(".env", "SECRET\n")
	r := b.reader(0)
	r.secret = patterns{".env"}.match
	r.read(b.path("large"))
	r.read(b.path(".env"))
	if r.spent != MaxFile+1+7 {
		t.Errorf("%d bytes read", r.spent)
	}
}

func TestPicture_ReadsNotAgainWhatTheLastOneHas(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f", "g", "h")
	for _, name := range []string{"f", "g", "h", "u"} {
		b.write(name, "mine\n")
		b.old(name)
	}
	b.prompt()
	b.goesOn()
	b.write("g", "changed\n")
	b.old("g")
	b.until(func(done func()) {
		b.request(func() {
			defer done()
			known := b.book.lastPicture(b.dir)
			if len(known) != 4 || b.book.lastPicture("/elsewhere") != nil {
				t.Errorf("it has %d files", len(known))
			}
			r := b.book.readerOf(maxPicture)
			r.known = known
			p, err := take(r, b.dir)
			if err != nil || r.spent != int64(len("changed\n")) {
				t.Errorf("%d bytes read, %v", r.spent, err)
			}
			for name, want := range map[string]string{"f": "mine\n", "g": "changed\n", "u": "mine\n"} {
				if s := p.loose[b.path(name)]; string(s.Bytes()) != want {
					t.Errorf("%s is %q", name, s.Bytes())
				}
			}
		})
	})
	b.prompt()
	b.goesOn()
	b.on(func() { b.Forget([]string{b.path("f")}) })
	b.write("f", "its\n")
	b.write("h", "its\n")
	b.expect("shell modified f +0 -0 secret", "shell modified h +1 -1")
}

func TestShelf_CountsWhatTheProcessHolds(t *testing.T) {
	t.Parallel()
	s := shelf{texts: map[digest]*text{}}
	loose := make([]byte, 3, 600)
	first := stateOf(File, 0o644, loose)
	kept := s.keep(first)
	if c := cap(kept.Bytes()); c >= 600 || s.used != c {
		t.Errorf("%d bytes of which %d are counted", c, s.used)
	}
	if cap(first.Bytes()) != 600 {
		t.Error("what others read was changed")
	}
	large := s.keep(stateOf(File, 0o644, make([]byte, MaxFile, MaxFile+512)))
	again := s.keep(stateOf(Symlink, 0, make([]byte, 3)))
	if want := cap(kept.Bytes()) + MaxFile + 512; s.used != want || cap(large.Bytes()) != MaxFile+512 {
		t.Errorf("%d bytes are counted, want %d", s.used, want)
	}
	for _, state := range []State{kept, large, again} {
		s.release(state)
	}
	if s.used != 0 || len(s.texts) != 0 {
		t.Errorf("%d bytes are left", s.used)
	}
}

func TestLines_AreComparedUpToABound(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("most", "x\n")
	b.write("more", "x\n")
	most := strings.Repeat("\n", maxLines-1)
	b.prompt()
	b.edits("most", most)
	b.edits("more", most+"\n")
	b.expect("edit modified more +0 -0", "edit modified most +249999 -1")
}

func TestRebase_OfTooManyLinesIsMixed(t *testing.T) {
	t.Parallel()
	most := strings.Repeat("a\n", maxLines-2)
	for name, row := range map[string]struct {
		before, left, now string
		why               Why
	}{
		"at the bound":    {"b\n" + most, most, most + "c\n", ""},
		"before has more": {"b\nb\n" + most, most, most + "c\n", Mixed},
		"it left more":    {most, "b\nb\n" + most, "b\n" + most, Mixed},
		"there is more":   {most, "b\n" + most, "b\n" + most + "c\n", Mixed},
	} {
		state := func(content string) State { return stateOf(File, 0o644, []byte(content)) }
		if s := rebase(state(row.before), state(row.left), state(row.now)); s.Why != row.why {
			t.Errorf("%s: %q", name, s.Why)
		}
	}
}
