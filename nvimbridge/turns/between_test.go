// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"os"
	"testing"
	"time"
)

// TestTurn_KeepsWhatTheUserWroteBetweenTheClientsChanges has the user change a file after the client
// did, which changes it once more: what the user wrote is no part of what can be taken back.
func TestTurn_KeepsWhatTheUserWroteBetweenTheClientsChanges(t *testing.T) {
	t.Parallel()
	const start, first = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for name, row := range map[string]struct {
		user, second string // what the user makes of first, and the client of that
		told         bool   // whether the editor says that the user saved it
		want         string
		why          Why
	}{
		"elsewhere":      {"one\n2\n3\n4\nmine\n6\n7\n8\n9\n", "one\n2\n3\n4\nmine\n6\n7\n8\nnine\n", true, "1\n2\n3\n4\nmine\n6\n7\n8\n9\n", ""},
		"without a word": {"one\n2\n3\n4\nmine\n6\n7\n8\n9\n", "one\n2\n3\n4\nmine\n6\n7\n8\nnine\n", false, "1\n2\n3\n4\nmine\n6\n7\n8\n9\n", ""},
		"the same lines": {"mine\n2\n3\n4\n5\n6\n7\n8\n9\n", "mine\n2\n3\n4\n5\n6\n7\n8\nnine\n", true, "", Mixed},
		"back":           {start, "1\n2\n3\n4\n5\n6\n7\n8\nnine\n", true, start, ""},
		"nothing":        {first, "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", true, start, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, noGit)
			b.write("f", start)
			b.prompt()
			b.edits("f", first)
			b.write("f", row.user)
			if row.told {
				b.on(func() { b.Saved(b.path("f")) })
			}
			b.edits("f", row.second)
			v := b.versions("f")
			if string(v.Before.Bytes()) != row.want || v.Before.Why != row.why || string(v.After.Bytes()) != row.second {
				t.Errorf("before was %q (%s), after %q", v.Before.Bytes(), v.Before.Why, v.After.Bytes())
			}
		})
	}
}

// TestTurn_KeepsWhatAnotherClientWroteBetweenItsChanges has git show what both changed.
func TestTurn_KeepsWhatAnotherClientWroteBetweenItsChanges(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.write("f", "1\n2\n3\n4\n5\n")
	b.commit()
	b.on(func() { b.Began(1, "one"); b.Began(2, "two") })
	b.goesOnAs(1)
	b.goesOnAs(2)
	b.edits("f", "one\n2\n3\n4\n5\n")
	b.announceAs(2, "f")
	b.write("f", "one\n2\nother\n4\n5\n")
	b.goesOnAs(2)
	b.edits("f", "one\n2\nother\n4\nfive\n")
	b.until(func(done func()) {
		b.File(1, b.path("f"), func(v Versions, err error) {
			if got := string(v.Before.Bytes()); err != nil || got != "1\n2\nother\n4\n5\n" {
				t.Errorf("before was %q, %v", got, err)
			}
			done()
		})
	})
}

// TestTurn_DoesNotTakeWhatTheUserWritesInsteadOfTheClient has the client announce a file again.
func TestTurn_DoesNotTakeWhatTheUserWritesInsteadOfTheClient(t *testing.T) {
	t.Parallel()
	saved := func(b *bench) {
		b.on(func() { b.Saved(b.path("f")) })
		b.until(func(done func()) { b.File(0, "", func(Versions, error) { done() }) }) // it was heard
	}
	saves := func(b *bench) { b.write("f", "1\n\nuser\n"); saved(b) }
	for name, row := range map[string]struct {
		do            func(b *bench)
		before, after string
		why           Why
	}{
		"which writes nothing": {func(b *bench) { b.announce("f"); b.goesOn(); saves(b); b.goesOn() }, "0\n\n", "1\n\n", ""},
		"which writes it next": {func(b *bench) { b.announce("f"); b.goesOn(); saves(b); b.edits("f", "1\n\nuser\n2\n") }, "0\n\nuser\n", "1\n\nuser\n2\n", ""},
		"which may be writing": {func(b *bench) { b.announce("f"); saves(b); b.write("f", "1\n\nuser\n2\n"); b.goesOn() }, "", "1\n\nuser\n2\n", Mixed},
		"as it is": {func(b *bench) {
			b.announce("f")
			b.must(os.Chtimes(b.path("f"), time.Time{}, time.Now().Add(time.Second)))
			saved(b)
			b.write("f", "2\n\n")
			b.goesOn()
		}, "0\n\n", "2\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, noGit)
			b.write("f", "0\n\n")
			b.prompt()
			b.edits("f", "1\n\n")
			row.do(b)
			v := b.versions("f")
			if string(v.Before.Bytes()) != row.before || string(v.After.Bytes()) != row.after || v.Before.Why != row.why {
				t.Errorf("before was %q (%s), after %q", v.Before.Bytes(), v.Before.Why, v.After.Bytes())
			}
		})
	}
}

func TestMerge3_TakesBothChangesOrNeither(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		base, ours, theirs, want string
		refused                  bool
	}{
		"apart":              {base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "a\nb\nC\n", want: "A\nb\nC\n"},
		"the same":           {base: "a\nb\n", ours: "A\nb\n", theirs: "A\nb\n", want: "A\nb\n"},
		"one line":           {base: "a\n", ours: "b\n", theirs: "c\n", refused: true},
		"beside each other":  {base: "a\nb\n", ours: "A\nb\n", theirs: "a\nB\n", refused: true},
		"at the ends":        {base: "a\n", ours: "0\na\n", theirs: "a\nz\n", want: "0\na\nz\n"},
		"no final newline":   {base: "a\nb\nc", ours: "A\nb\nc", theirs: "a\nb\nc\n", want: "A\nb\nc\n"},
		"CRLF":               {base: "a\r\nb\r\nc\r\n", ours: "a\r\nb\r\nC\r\n", theirs: "b\r\nc\r\n", want: "b\r\nC\r\n"},
		"equal lines":        {base: "x\nx\nx\n", ours: "x\nx\n", theirs: "x\nx\nx\nx\n", refused: true},
		"lines that moved":   {base: "a\nb\nc\nd\n", ours: "b\nc\nd\na\n", theirs: "a\nb\nc\nd\n", want: "b\nc\nd\na\n"},
		"nothing to a text":  {ours: "a\n", want: "a\n"},
		"a text to nothing":  {base: "a\nb\n", ours: "", theirs: "a\nb\n", want: ""},
		"nothing from parts": {base: "a\nb\nc\n", ours: "a\nc\n", theirs: "a\nb\n", refused: true},
	} {
		got, ok := merge3([]byte(row.base), []byte(row.ours), []byte(row.theirs))
		if string(got) != row.want || ok == row.refused {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

// Git shows what another program of the user's wrote after the client's last sign.
func TestTurn_KeepsWhatAnotherProgramWroteAfterTheClientsLastSign(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		do   func(b *bench)
		want string
	}{
		"and the user asks":       {func(b *bench) {}, "one\n"},
		"and is prompted again":   {func(b *bench) { b.goesOn(); b.prompt() }, "one\n"},
		"and the client goes on":  {func(b *bench) { b.goesOn() }, "one\nmore\n"}, // it may be a command's
		"and announces something": {func(b *bench) { b.announce("g") }, "one\nmore\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, withGit)
			b.repository("f")
			b.prompt()
			b.edits("f", "one\n")
			b.write("f", "one\nmore\n")
			b.tick()
			row.do(b)
			b.list()
			b.until(func(done func()) {
				b.File(1, b.path("f"), func(v Versions, err error) {
					if got := string(v.After.Bytes()); got != row.want || err != nil {
						t.Errorf("the client left %q, %v", got, err)
					}
					done()
				})
			})
		})
	}
}
