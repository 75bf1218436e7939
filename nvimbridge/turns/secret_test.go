// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"strings"
	"testing"
)

var hiding = Options{Git: true, Secret: []string{".env*", "*.key", "id_*"}}

func TestSecret_IsKnownByNameOnly(t *testing.T) {
	t.Parallel()
	b := keep(t, hiding)
	b.repository("f", ".env", "A.KEY", "d/id_rsa")
	b.prompt()
	b.goesOn()
	b.edits(".env", "SECRET\n")
	b.edits(".env.new", "SECRET\n")
	b.write("A.KEY", "SECRET\n")
	b.remove("d/id_rsa")
	b.announce("f")
	b.goesOn()
	b.expect("edit modified .env +0 -0 secret", "edit created .env.new +0 -0", "shell modified A.KEY +0 -0 secret", "shell deleted d/id_rsa +0 -0 secret")
	for _, c := range b.turn(0).Changes {
		for _, s := range []State{c.Before, c.After, b.versionsAt(c.Path).Now} {
			if s.Bytes() != nil || s.Hash() != "" {
				t.Errorf("%s: %+v", c.Path, s)
			}
		}
	}
	b.nowhere("SECRET", three)
	if errs := b.put(Put{Path: b.path(".env"), Expect: Expectation{Kind: File}, Kind: File, Content: []byte("x")}); errs[0] != ErrChanged {
		t.Error(errs)
	}
}

// versionsAt is versions for a path.
func (b *bench) versionsAt(path string) Versions {
	b.Helper()
	return b.versions(strings.TrimPrefix(path, b.dir+"/"))
}

// nowhere checks that the keeper remembers none of some texts.
func (b *bench) nowhere(texts ...string) {
	b.Helper()
	b.until(func(done func()) {
		b.request(func() {
			look := func(where string, s State) {
				for _, secret := range texts {
					if strings.Contains(string(s.Bytes()), secret) || s.Hash() == hashOf(secret) {
						b.Errorf("%s is remembered: %+v", where, s)
					}
				}
			}
			for _, t := range b.book.turns {
				for path, f := range t.files {
					if f.path == b.path("f") {
						continue
					}
					for _, s := range f.states() {
						look(path, *s)
					}
				}
				for _, one := range t.trees {
					if one.picture == nil {
						continue
					}
					for path, s := range one.picture.loose {
						look(path, s)
					}
				}
			}
			for _, s := range b.book.shelf.texts {
				if strings.Contains(string(s.bytes), "SECRET") {
					b.Errorf("it is on the shelf, %d times", s.refs)
				}
			}
			done()
		})
	})
}

func TestSecret_MayBecomeOneLater(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.write("loose.key", "SECRET\n")
	b.write("mine", "SECRET\n")
	b.prompt()
	b.goesOn()
	b.edits("a.key", "SECRET\n")
	b.edits("b", "SECRET\n")
	b.on(func() { b.Forget([]string{b.path("b"), b.path("mine"), "relative"}) })
	b.on(func() { b.Review(hiding) })
	b.expect("edit created a.key +0 -0", "edit created b +0 -0")
	b.nowhere("SECRET")
	b.edits("b", "SECRET 2\n")
	b.write("mine", "SECRET 3\n")
	b.expect("edit created a.key +0 -0", "edit created b +0 -0", "shell modified mine +0 -0 secret")
	b.nowhere("SECRET")
	b.prompt()
	b.edits("b", "SECRET 4\n")
	b.expect("edit modified b +0 -0 secret")
	b.nowhere("SECRET")
}

func TestState_ThatBecameASecretIsTheSame(t *testing.T) {
	t.Parallel()
	one, two := stateOf(File, 0o600, []byte("one")), stateOf(File, 0o600, []byte("two"))
	for _, s := range []State{one, one.without(Secret)} {
		for _, o := range []State{one, one.without(Secret), two, two.without(Secret)} {
			want := o.sum == one.sum || o.sum == one.without(Secret).sum
			if s.same(o) != want || o.same(s) != want {
				t.Errorf("%+v and %+v: want %v", s, o, want)
			}
		}
	}
}

func TestSecret_ThatIsForgottenWhileItIsReadIsNotKept(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.write("mine", "SECRET\n")
	b.on(func() {
		b.Began(1, "")
		b.Forget([]string{b.path("mine")})
	})
	b.goesOn()
	b.nowhere("SECRET")
	b.list()
	b.nowhere("SECRET")
}

func TestPatterns_ThatCannotBeReadHideAll(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		path string
		want bool
	}{
		"[a":  {"/b", true},
		"*":   {"/b", true},
		"":    {"/b", false},
		"a":   {"/x/A", true},
		"x":   {"/x/a", false},
		".e*": {"/.Env", true},
	} {
		if got := (patterns{name}).match(row.path); got != row.want {
			t.Errorf("%q matches %q: %v", name, row.path, got)
		}
	}
}
