// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// record has the keeper log into what it returns the text of.
func (b *bench) record() (logged func() string) {
	b.Helper()
	var mu sync.Mutex
	var log bytes.Buffer
	b.tell(func() {
		b.cfg.Log = slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return log.Write(p)
		}), nil))
	})
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return log.String()
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// tell runs f on the keeper's goroutine, and waits for it.
func (b *bench) tell(f func()) {
	b.Helper()
	b.until(func(done func()) { b.request(func() { f(); done() }) })
}

// TestTask_ThatPanicsIsAnswered has each kind of task fail once: who waits for it is answered, it is
// logged once, and the next one of the kind does what it should.
func TestTask_ThatPanicsIsAnswered(t *testing.T) {
	t.Parallel()
	f := func(b *bench) Put {
		return Put{Path: b.path("f"), Expect: Expectation{File, hashOf("edit\n")}, Kind: File, Content: []byte(three)}
	}
	for name, row := range map[string]struct {
		fail func(w *work, once func())
		with func(b *bench) // what happens while it fails
		then func(b *bench)
	}{
		"a picture": {
			func(w *work, once func()) {
				w.take = func(r *reader, folder string) (*picture, error) { once(); return take(r, folder) }
			},
			func(b *bench) { b.prompt(); b.edits("f", "edit\n"); b.expect("edit modified f +1 -3") },
			func(b *bench) { b.shell(func() { b.write("g", "x\n") }); b.expect("shell modified g +1 -3") },
		},
		"a look": {
			func(w *work, once func()) {
				w.look = func(p *picture, r *reader, known map[string]knownFile) ([]change, error) {
					once()
					return p.look(r, known)
				}
			},
			func(b *bench) { b.prompt(); b.edits("f", "edit\n"); b.expect("edit modified f +1 -3") },
			func(b *bench) { b.write("g", "x\n"); b.expect("edit modified f +1 -3", "shell modified g +1 -3") },
		},
		"a count": {
			func(w *work, once func()) {
				w.count = func(before, after []byte) (int, int) { once(); return countLines(before, after) }
			},
			func(b *bench) {
				b.prompt()
				b.edits("f", "edit\n")
				if all := b.list(); len(all) != 1 || all[0].Files != 1 || all[0].Added != 0 {
					b.Error(all)
				}
			},
			func(b *bench) { b.expect("edit modified f +1 -3") },
		},
		"a put": {
			func(w *work, once func()) {
				w.write = func(w *writing, files []Put) { once(); w.run(files) }
			},
			func(b *bench) {
				b.prompt()
				b.edits("f", "edit\n")
				if errs := b.put(f(b)); errs[0] != ErrUnknown {
					b.Error(errs)
				}
			},
			func(b *bench) {
				if errs := b.put(f(b)); errs[0] != nil || b.content("f") != three {
					b.Error(errs)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := keep(t, withGit)
			b.repository("f", "g")
			logged := b.record()
			var first sync.Once
			b.tell(func() { row.fail(&b.book.work, func() { first.Do(func() { panic("x") }) }) })
			row.with(b)
			if text := logged(); strings.Count(text, "level=") != 1 || !strings.Contains(text, "level=ERROR") {
				t.Errorf("the log has %q", text)
			}
			row.then(b)
			b.goesOn() // nothing is left to be waited for
			b.tell(func() {
				if s := b.book; s.looks.running && len(s.looks.waiting) > 1 || len(s.errands.waiting) > 0 {
					t.Error("tasks wait")
				}
			})
		})
	}
}

// TestQuestion_ThatPanicsAfterATaskIsAnswered has the answer fail that git was asked for.
func TestQuestion_ThatPanicsAfterATaskIsAnswered(t *testing.T) {
	t.Parallel()
	b := keep(t, withGit)
	b.repository("f")
	b.prompt()
	b.edits("f", "edit\n")
	b.until(func(done func()) {
		b.request(func() {
			b.book.list(func([]Summary) { panic("x") }, done)
		})
	})
	b.expect("edit modified f +1 -3")
}
