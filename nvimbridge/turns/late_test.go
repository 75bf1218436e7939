// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import "testing"

// TestSaved_ToldLateIsStillTheUsers has the keeper look, or a client give a sign, between when the user saved
// a file and when the editor tells it.
func TestSaved_ToldLateIsStillTheUsers(t *testing.T) {
	t.Parallel()
	const start, mine = "1\n2\n3\n4\n5\n", "1\nmine\n3\n4\n5\n"
	for name, row := range map[string]struct {
		git    bool
		do     func(b *bench, saved func())
		before string // of turn 1; "" if it did not change the file
		why    Why
	}{
		"taken when the client went on": {false, func(b *bench, saved func()) {
			b.announce("f")
			b.write("f", mine)
			b.goesOn()
			saved()
		}, "", Mixed},
		"taken when the turn ended": {false, func(b *bench, saved func()) {
			b.announce("f")
			b.write("f", mine)
			b.prompt()
			saved()
		}, "", Mixed},
		"taken with an edit": {false, func(b *bench, saved func()) {
			b.edits("f", "1\n2\n3\n4\nfive\n")
			b.announce("f")
			b.write("f", "1\nmine\n3\n4\nfive\n")
			b.announce("f")
			b.write("f", "1\nmine\nthree\n4\nfive\n")
			b.goesOn()
			saved()
		}, "", Mixed},
		"taken before an edit": {false, func(b *bench, saved func()) {
			b.edits("f", "1\n2\n3\n4\nfive\n")
			b.announce("f")
			b.write("f", "1\nmine\n3\n4\nfive\n")
			b.announce("f")
			saved()
			b.edits("f", "1\nmine\nthree\n4\nfive\n")
		}, mine, ""},
		"found when the client left": {true, func(b *bench, saved func()) {
			b.goesOn()
			b.on(func() { b.Left(1) })
			b.write("f", mine)
			saved()
		}, "", ""},
		"saved before it was announced": {true, func(b *bench, saved func()) {
			b.write("f", mine)
			b.announce("f")
			saved()
			b.write("f", "1\nmine\n3\n4\nfive\n")
			b.goesOn()
			b.list()
		}, mine, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, Options{Git: row.git})
			b.repository()
			b.write("f", start)
			b.commit()
			b.prompt()
			b.goesOn()
			row.do(b, func() { b.on(func() { b.Saved(b.path("f")) }); b.tell(func() {}) })
			if !row.git || row.why == "" && row.before == "" {
				b.list()
			}
			var v Versions
			var found error
			b.until(func(done func()) {
				b.File(1, b.path("f"), func(got Versions, err error) { v, found = got, err; done() })
			})
			if row.before == "" && row.why == "" {
				if found == nil && !v.Before.same(v.After) {
					t.Errorf("it is the client's: %q to %q", v.Before.Bytes(), v.After.Bytes())
				}
				return
			}
			if found != nil || string(v.Before.Bytes()) != row.before || v.Before.Why != row.why {
				t.Errorf("before was %q (%s), after %q, %v", v.Before.Bytes(), v.Before.Why, v.After.Bytes(), found)
			}
		})
	}
}

// A client's command changes what the user saved after another client changed it, and before
// the turn of the first began.
func TestShell_BeginsWithWhatTheUserWroteAfterAnotherClient(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.edits("f", "1\n2\n3\n")
	b.write("f", "1\nmine\n3\n")
	b.on(func() { b.Saved(b.path("f")); b.Began(2, "two") })
	b.goesOnAs(2)
	b.write("f", "1\nmine\nthree\n")
	d := b.turn(b.list()[0].Turn)
	if len(d.Changes) != 1 || string(d.Changes[0].Before.Bytes()) != "1\nmine\n3\n" {
		t.Errorf("%+v, %q", d, d.Changes[0].Before.Bytes())
	}
}

// A turn of which all turns out to be the user's is not remembered.
func TestSaved_ToldLateLeavesNoTurnWithoutChanges(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.shell(func() { b.write("f", "mine\n") })
	b.list()
	b.on(func() { b.Left(1) })
	eventually(t, "all that it changed is known", func() (closed bool) {
		b.tell(func() { closed = !b.book.turns[0].closed.IsZero() })
		return closed
	})
	b.tell(func() { b.book.lag = patience })
	b.on(func() { b.Saved(b.path("f")) })
	if all := b.list(); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}
