// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"slices"
	"testing"
	"time"
)

// tells waits until the user's editor was told of files, without asking for them.
func (b *bench) tells(what string) {
	b.Helper()
	eventually(b, "told of "+what, func() (told bool) {
		b.on(func() { told = slices.Contains(b.told, what) })
		return told
	})
}

// A client that has no diagnostics of a file does not go on with getDiagnostics.
func TestWritten_IsNoticedOfAClientThatSaysNoMore(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		client, user  func(b *bench)
		want, content string
	}{
		"modified": {
			func(b *bench) { b.write("f", "one\nTWO\nthree\n") },
			func(b *bench) { b.write("f", "one\nTWO\nthree\nmine\n") },
			"edit modified f +1 -1", "one\ntwo\nthree\nmine\n",
		},
		"created": {
			func(b *bench) { b.write("new", "one\n") },
			func(b *bench) { b.write("new", "one\nmine\n") },
			"edit created new +1 -0", "",
		},
	} {
		for _, saved := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := keep(t, noGit)
				b.write("f", "one\ntwo\nthree\n")
				b.prompt()
				file := "f"
				if row.content == "" {
					file = "new"
				}
				b.announce(file)
				row.client(b)
				b.tells("turn 1, 1 files")
				row.user(b)
				if saved {
					b.on(func() { b.Saved(b.path(file)) })
				}
				b.expect(row.want)
				v := b.versions(file)
				if string(v.After.Bytes()) == string(v.Now.Bytes()) {
					t.Errorf("what the user wrote is the client's: %q", v.After.Bytes())
				}
			})
		}
	}
}

func TestWritten_IsTakenToItsEnd(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "one\n")
	b.prompt()
	b.announce("f")
	look := func() (sampled bool) {
		done := make(chan struct{})
		b.request(func() {
			b.book.writes = writes{} // no look but this one
			turn := b.book.turns[0]
			b.book.lookWritten(turn, turn.files[b.path("f")])
			sampled = turn.files[b.path("f")].sampled()
			close(done)
		})
		<-done
		return sampled
	}
	text := ""
	for range 5 {
		text += "more and more\n"
		b.write("f", text)
		if look() {
			t.Fatalf("taken after %q", text)
		}
	}
	if !look() {
		t.Error("not taken at its end")
	}
	if got := string(b.versions("f").After.Bytes()); got != text {
		t.Errorf("the client left %q", got)
	}
}

func TestWrites_AreNotLookedForForEver(t *testing.T) {
	t.Parallel()
	b := keep(t, noGit)
	b.write("f", "one\n")
	b.prompt()
	b.announce("f")
	b.tell(func() {
		if left := time.Until(b.book.writes.until); b.book.writes.timer == nil || left > writeWait || left < writeWait-patience {
			t.Errorf("it is looked for until %v from now", left)
		}
		b.book.writes.until = time.Time{}
	})
	eventually(t, "no timer is left", func() (idle bool) {
		done := make(chan struct{})
		b.request(func() { idle = b.book.writes.timer == nil; close(done) })
		<-done
		return idle
	})
}

func TestLook_ThatReadBeforeTheClientWroteDoesNotCount(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.prompt()
	b.goesOn()
	b.announce("f")
	read, goOn := make(chan struct{}, 1), make(chan struct{})
	b.tell(func() {
		b.book.work.look = func(p *picture, r *reader, known map[string]knownFile) ([]change, error) {
			changes, err := p.look(r, known)
			select {
			case read <- struct{}{}:
			default:
			}
			<-goOn
			return changes, err
		}
	})
	b.goesOn()
	select {
	case <-read:
	case <-time.After(patience):
		t.Fatal("git is not asked")
	}
	b.edits("f", "two\n")
	close(goOn)
	b.expect("edit modified f +0 -2")
}

// What comes after the user looked, without a sign of the client, may be anybody's.
func TestLater_IsWhatTheClientGaveNoSignOf(t *testing.T) {
	t.Parallel()
	b := keep(t, Options{Git: true})
	b.repository("f", "g", "h")
	b.prompt()
	b.edits("f", "one\n")
	b.write("g", "by a command\n")
	b.look()
	b.write("h", "by somebody\n")
	b.write("new", "by somebody\n")
	b.write("f", "one\nand more\n")
	b.expect("edit modified f +0 -2\nshell modified g +1 -3\nlater modified h +1 -3\nlater created new +1 -0")
	if got := string(b.versions("f").After.Bytes()); got != "one\n" {
		t.Errorf("the client left %q", got)
	}
	b.goesOn()
	b.goesOn() // not the next prompt's
	b.write("again", "by a command\n")
	b.expect("shell created again +1 -0\nboth modified f +1 -2\nshell modified g +1 -3\nlater modified h +1 -3\nlater created new +1 -0")
}

// look shows the user the turn.
func (b *bench) look() {
	b.Helper()
	b.until(func(done func()) { b.Turn(1, true, func(Detail, error) { done() }) })
}

// Before a prompt a client asks for diagnostics as it does before it goes on.
func TestLater_IsWhatCameBeforeTheNextPrompt(t *testing.T) {
	t.Parallel()
	b := keep(t, Options{Git: true})
	b.repository("f", "g", "h", "idle")
	b.prompt()
	b.edits("f", "one\n")
	b.write("g", "by a command\n")
	b.announce("idle")
	b.goesOn()
	b.look()
	b.write("g", "by a command\nand the user's\n")
	b.write("mine", "the user's\n")
	b.write("idle", "the user's\n")
	b.goesOn()
	b.prompt()
	var d Detail
	eventually(t, "the turn has ended", func() bool { d = b.turn(1); return !d.Open && len(d.Changes) == 3 })
	for _, c := range d.Changes {
		if mine := c.Path == b.path("mine"); mine != (c.Source == Later) || c.Path == b.path("g") && string(c.After.Bytes()) != "by a command\n" {
			t.Errorf("%s: %s, %q", c.Path, c.Source, c.After.Bytes())
		}
	}
}

// A command that runs while the user looks is the client's once the client goes on.
func TestLater_IsNoneOfWhatTheClientGoesOnAfter(t *testing.T) {
	t.Parallel()
	b := keep(t, Options{Git: true})
	b.repository("f", "g")
	b.prompt()
	b.goesOn()
	b.write("g", "by a command\n")
	b.look()
	b.write("new", "by a command\n")
	b.goesOn()
	b.expect("shell modified g +1 -3", "later created new +1 -0")
	b.announce("f")
	b.expect("shell modified g +1 -3", "shell created new +1 -0")
}
