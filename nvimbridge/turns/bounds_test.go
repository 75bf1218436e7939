// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func TestFile_OverTheBoundIsKnownByHashAndSize(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	large, most := strings.Repeat("x", MaxFile+1), strings.Repeat("x", MaxFile)
	b.write("large", large)
	b.write("most", most)
	b.prompt()
	b.edits("large", large+"y")
	b.edits("most", most+"y")
	b.expect("edit modified large +0 -0 large", "edit modified most +0 -0")
	v := b.versions("large")
	if v.Before.Hash() != hashOf(large) || v.Before.Size != MaxFile+1 || v.After.Hash() != hashOf(large+"y") || v.Before.Bytes() != nil {
		t.Errorf("the states are %+v and %+v", v.Before, v.After)
	}
	if v = b.versions("most"); string(v.Before.Bytes()) != most || v.After.Why != Large {
		t.Errorf("a file at the bound is %d bytes and %q", len(v.Before.Bytes()), v.After.Why)
	}
}

func TestShell_FileOverTheBoundIsKnownByHashAndSize(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	large := strings.Repeat("x\n", MaxFile/2+1)
	b.write("large", large)
	b.write("same", large)
	b.commit()
	b.shell(func() { b.write("large", "y"); b.must(os.Chtimes(b.path("same"), testTime, testTime)) })
	b.expect("shell modified large +0 -0 large")
	if v := b.versions("large"); v.Before.Hash() != hashOf(large) || v.Before.Size != int64(len(large)) {
		t.Errorf("it was %+v", v.Before)
	}
}

func TestTurns_OlderThanTheBoundAreForgotten(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	for i := range MaxTurns + 3 {
		b.prompt()
		b.edits("f", fmt.Sprintln(i))
	}
	all := b.list()
	if len(all) != MaxTurns || all[0].Turn != MaxTurns+3 || all[MaxTurns-1].Turn != 4 {
		t.Errorf("%d turns, %d to %d", len(all), all[len(all)-1].Turn, all[0].Turn)
	}
	b.until(func(done func()) {
		b.Turn(3, false, func(_ Detail, err error) {
			if err != ErrNoTurn {
				t.Error(err)
			}
			done()
		})
	})
}

func TestTurns_OfManyClientsDoNotOutliveTheBound(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	for client := range uint64(MaxTurns + 3) {
		b.announceAs(client, "f")
		b.write("f", fmt.Sprintln(client))
		b.goesOnAs(client)
	}
	if all := b.list(); len(all) != MaxTurns {
		t.Errorf("%d turns", len(all))
	}
}

func TestMemory_TakesTheBytesOfTheOldestTurn(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	content := func(i int) string { return fmt.Sprintf("%08d", i) + strings.Repeat("x", MaxFile-8) }
	const fits = maxKept / (MaxFile + entryCost)
	for i := range fits + 2 {
		b.prompt()
		b.edits(fmt.Sprint(i), content(i))
	}
	all := b.list()
	for i, why := range map[int]Why{0: Memory, 1: Memory, 2: "", fits + 1: ""} {
		d := b.turn(all[len(all)-1-i].Turn)
		if c := d.Changes[0]; c.After.Why != why || c.After.Hash() != hashOf(content(i)) {
			t.Errorf("turn %d: %q", i, c.After.Why)
		}
	}
	b.until(func(done func()) {
		b.request(func() {
			if used := b.book.shelf.used; used > maxKept {
				t.Errorf("%d bytes are kept", used)
			}
			done()
		})
	})
}

func TestMemory_OfOneTurnIsBoundedAndCountsEqualBytesOnce(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	same := strings.Repeat("s", MaxFile)
	b.prompt()
	for i := range maxKept/MaxFile + 4 {
		b.edits(fmt.Sprintf("a%02d", i), same)
	}
	for i := range maxKept / MaxFile {
		b.edits(fmt.Sprintf("b%02d", i), strings.Repeat(string(rune('A'+i)), MaxFile))
	}
	const fits = maxKept/(MaxFile+entryCost) - 1
	for _, c := range b.turn(0).Changes {
		if last := filepath.Base(c.Path) >= fmt.Sprintf("b%02d", fits); (c.After.Why == Memory) != last {
			t.Errorf("%s: %q", c.Path, c.After.Why)
		}
	}
	b.on(func() { b.Began(1, ""); b.Forget(nil) })
	for range MaxTurns {
		b.edits("f", fmt.Sprint(b.list()[0].Turn))
		b.prompt()
	}
	b.until(func(done func()) {
		b.request(func() {
			if s := b.book.shelf; s.used > 2*MaxTurns*(8+entryCost) || len(s.texts) > 2*MaxTurns {
				t.Errorf("%d bytes of %d texts are kept of a turn that is forgotten", s.used, len(s.texts))
			}
			done()
		})
	})
}

func TestTurn_KnowsSoManyFiles(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.prompt()
	const some = maxRequests / 2 // the queue is bounded, too
	for first := 0; first < maxFiles; first += some {
		b.on(func() {
			for i := range some {
				b.request(func() { b.book.announce(1, "", b.path(fmt.Sprint(first+i))) })
			}
		})
		b.tell(func() {})
	}
	b.edits("one more", "a")
	if d := b.turn(0); !d.More || len(d.Changes) != 0 {
		t.Errorf("%d files, more: %v", len(d.Changes), d.More)
	}
}

func TestRequests_BeyondTheBoundAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	stuck := make(chan struct{})
	b.on(func() { b.request(func() { <-stuck }) })
	b.on(func() {
		for range maxRequests + 1 {
			b.Saved("/f")
		}
		answers := 0
		b.Announced(1, "", "file:///f", func() { answers++ })
		b.Sampled(1, func() { answers++ })
		b.List(func([]Summary) { answers++ })
		b.Turn(1, false, func(_ Detail, err error) { answers += busy(err) })
		b.File(1, "/f", func(_ Versions, err error) { answers += busy(err) })
		b.Put([]Put{{}}, func(errs []error) { answers += busy(errs[0]) })
		if answers != 6 {
			t.Errorf("%d answers", answers)
		}
	})
	close(stuck)
}

func busy(err error) int {
	if err == ErrBusy {
		return 1
	}
	return 0
}

func TestTasks_AreBounded(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	stuck := make(chan struct{})
	b.until(func(done func()) {
		b.request(func() {
			s := &b.book.errands
			for range maxTasks + 1 {
				s.add(b.book, task{func() error { <-stuck; return nil }, func(error) {}})
			}
			var told error
			s.add(b.book, task{func() error { t.Error("a task too many ran"); return nil }, func(err error) { told = err }})
			if told != ErrBusy {
				t.Errorf("of a task too many it is told: %v", told)
			}
			done()
		})
	})
	if errs := b.put(Put{Path: b.path("f"), Expect: Expectation{Kind: Absent}, Kind: File}); errs[0] != ErrBusy {
		t.Error(errs)
	}
	close(stuck)
}

func TestAnswers_DoNotWaitForGitForLong(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.prompt()
	b.edits("f", "x\n")
	stuck := make(chan struct{})
	b.tell(func() {
		b.book.wait = lookWait
		b.book.looks.add(b.book, task{func() error { <-stuck; return nil }, func(error) {}})
	})
	if d := b.turn(0); len(d.Changes) != 1 || d.Added != 1 {
		t.Errorf("%+v", d)
	}
	close(stuck)
}

func TestPicture_LeavesOutWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	for i := range maxLoose + 1 {
		b.write(fmt.Sprintf("u/%d", i), "a")
	}
	for i := range maxPicture/MaxFile + 1 {
		b.write(fmt.Sprintf("large%d", i), strings.Repeat(fmt.Sprint(i), MaxFile))
	}
	p, err := take(b.reader(maxPicture), b.dir)
	if err != nil || p.others || !p.tracked || len(p.loose) != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	b.remove("u")
	if p, err = take(b.reader(maxPicture), b.dir); err != nil || !p.others {
		t.Fatal(err)
	}
	kept := 0
	for _, s := range p.loose {
		kept += len(s.Bytes())
	}
	if kept != maxPicture || len(p.loose) != maxPicture/MaxFile+1 {
		t.Errorf("%d bytes of %d files", kept, len(p.loose))
	}
}

func TestGit_SaysOnlySoMuch(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.repository("f")
	if out, err := (git{folder: b.dir}).output(b.Context(), nil, 4, "rev-parse", "HEAD"); err != errGitOutput || len(out) > 4 {
		t.Errorf("%q, %v", out, err)
	}
}

func TestForget_OfTooManyFilesKeepsNothingOfAny(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "SECRET\n")
	b.prompt()
	b.edits("g", "SECRET\n")
	paths := make([]string, maxForgotten)
	for i := range paths {
		paths[i] = fmt.Sprint("/", i)
	}
	b.on(func() { b.Forget(paths) })
	b.edits("f", "b\n")
	b.expect("edit modified f +0 -0 secret", "edit created g +1 -0")
}

func TestKeeper_OutlivesAPanic(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.on(func() {
		b.request(func() { panic("x") })
		b.request(func() { b.book.errands.add(b.book, task{func() error { panic("x") }, func(error) { panic("x") }}) })
	})
	b.prompt()
	b.edits("f", "a\n")
	b.expect("edit created f +1 -0")
}

// TestMemory_CountsWhatIsKnownOfFilesBesideTheirBytes has turns with so many files that nothing but their
// names takes too much.
func TestMemory_CountsWhatIsKnownOfFilesBesideTheirBytes(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	const fits = maxKept / (maxFiles * entryCost)
	for range fits + 3 {
		b.prompt()
		b.tell(func() {
			turn := b.book.turns[len(b.book.turns)-1]
			for i := range maxFiles {
				f := b.book.add(turn, b.path(fmt.Sprint(i)))
				f.before = b.book.keep(turn, f.path, State{Kind: File, Why: Large})
				b.book.left(turn, f, absent)
			}
		})
	}
	all := b.list()
	if len(all) != fits || all[0].Files != maxFiles || all[0].Turn != fits+3 {
		t.Errorf("%d turns, and not %d; %+v", len(all), fits, all[0])
	}
	b.on(func() { b.Left(1) })
	b.tell(func() {
		for _, one := range b.book.turns {
			b.book.drop(one)
		}
		if used := b.book.shelf.used; used != 0 {
			t.Errorf("%d bytes are in use of nothing", used)
		}
	})
}

func TestMemory_HoldsNothingOfTurnsThatAreForgotten(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f", "g")
	b.write("loose", "x\n")
	b.shell(func() { b.write("f", "x\n"); b.edits("g", "x\n") })
	b.list()
	b.on(func() { b.Left(1) })
	eventually(t, "all that it changed is known", func() (closed bool) {
		b.tell(func() { closed = !b.book.turns[0].closed.IsZero() })
		return closed
	})
	b.tell(func() {
		b.book.drop(b.book.turns[0])
		if s := b.book.shelf; s.used != 0 || len(s.texts) != 0 {
			t.Errorf("%d bytes of %d texts", s.used, len(s.texts))
		}
	})
}
