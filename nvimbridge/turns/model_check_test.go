// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// modelStories is how many stories are played of each sort.
const modelStories = 40

// modelLag is saveLag, of a machine that is as busy as any.
const modelLag = time.Hour

// looked waits until git was asked all that it is to be asked: answers wait for that, too.
func (w *world) looked() {
	eventually(w, "git answered", func() (idle bool) {
		w.tell(func() { idle = !w.book.looks.running && len(w.book.looks.waiting) == 0 })
		return idle
	})
}

// check looks at what each turn says that it changed.
func (w *world) check() (wrong error) {
	w.looked()
	w.tell(func() {
		for _, t := range w.book.turns {
			for _, f := range t.changes() {
				if err := w.checkFile(t, f); err != nil && wrong == nil {
					wrong = err
				}
			}
		}
	})
	return wrong
}

func (w *world) checkFile(t *turn, f *file) error {
	if f.before.Why != "" {
		return nil
	}
	name := strings.TrimPrefix(f.path, w.dir+separator)
	before, after := fields(f.before), fields(f.after)
	for _, line := range after {
		if w.user[line] && !slices.Contains(before, line) && !w.again[line] {
			return fmt.Errorf("turn %d would remove the user's %s from %s: %v -> %v", t.id, line, name, before, after)
		}
	}
	for _, line := range before {
		if w.gone[line] && !slices.Contains(after, line) && !w.again[line] {
			return fmt.Errorf("turn %d would bring back %s into %s, which the user removed: %v -> %v", t.id, line, name, before, after)
		}
	}
	at := spot{int(t.client) - 1, name}
	was, known := w.clean[at]
	if !known || was == "-" || !t.ended.IsZero() || w.windows[at] != 0 {
		return nil
	}
	if got := strings.Join(before, "\n"); got != was {
		return fmt.Errorf("turn %d began with %s as %q, not %q", t.id, name, was, got)
	}
	return nil
}

func fields(s State) []string { return strings.Fields(string(s.Bytes())) }

// changesOf are those of a turn: none if it turned out since that its client changed nothing.
func (w *world) changesOf(id int64) (changes []Change) {
	w.until(func(done func()) { w.Turn(id, false, func(d Detail, _ error) { changes = d.Changes; done() }) })
	return changes
}

// revertStep has the user take back a file of a turn, or some hunks of it.
func (w *world) revertStep(s step) error {
	w.sayAll()
	all := w.list()
	for c := range modelClients {
		w.took(c)
	}
	if len(all) == 0 {
		return nil
	}
	id := all[s.who%len(all)].Turn
	changes := w.changesOf(id)
	if len(changes) == 0 {
		return nil
	}
	c := changes[s.file%len(changes)]
	chosen := func(hunk int) bool { return s.how%3 == 0 || s.how>>(2+hunk%12)&1 == 1 }
	p, ok := w.plan(id, c, chosen)
	if !ok {
		return nil
	}
	name := strings.TrimPrefix(c.Path, w.dir+separator)
	was := w.lines(name)
	if s.how%5 == 0 {
		_ = w.save(step{file: slices.Index(modelFiles, name), how: s.how / 5}, w.lines(name))
	}
	if slices.Equal(was, w.lines(name)) {
		return w.takeBack(id, p)
	}
	if errs := w.bench.put(p); errs[0] != ErrChanged { // the user was faster
		return fmt.Errorf("written over what the user wrote: %v", errs)
	}
	return nil
}

func (w *world) revertTurnStep(s step) error {
	w.sayAll()
	all := w.list()
	for c := range modelClients {
		w.took(c)
	}
	if len(all) == 0 {
		return nil
	}
	id := all[s.who%len(all)].Turn
	var puts []Put
	for _, c := range w.changesOf(id) {
		if p, ok := w.plan(id, c, func(int) bool { return true }); ok && c.Source != Later {
			puts = append(puts, p)
		}
	}
	return w.takeBack(id, puts...)
}

// takeBack writes files, and checks what is lost by that.
func (w *world) takeBack(id int64, puts ...Put) error {
	was := map[string][]string{}
	for _, p := range puts {
		name := strings.TrimPrefix(p.Path, w.dir+separator)
		was[name] = w.lines(name)
	}
	for i, err := range w.bench.put(puts...) {
		if err != nil {
			return fmt.Errorf("%s: %w", puts[i].Path, err)
		}
	}
	for name, before := range was {
		after := w.lines(name)
		w.say("turn %d is taken back in %s: %v -> %v", id, name, before, after)
		for _, line := range before {
			if w.user[line] && !w.again[line] && !slices.Contains(after, line) {
				return fmt.Errorf("%s, which the user wrote, is gone from %s", line, name)
			}
		}
		for _, line := range after {
			if w.gone[line] && !w.again[line] && !slices.Contains(before, line) {
				return fmt.Errorf("%s, which the user removed, is in %s again", line, name)
			}
		}
		w.users(name, before, after)
	}
	return nil
}

// plan is what taking back a change does, as the editor plans it: the hunks that are chosen are
// merged with what was done since, and nothing is written if that is in their way.
func (w *world) plan(id int64, c Change, chosen func(hunk int) bool) (p Put, ok bool) {
	var v Versions
	w.until(func(done func()) { w.File(id, c.Path, func(got Versions, _ error) { v = got; done() }) })
	before, after, now := v.Before, v.After, v.Now
	p = Put{Path: c.Path, Expect: Expectation{now.Kind, now.Hash()}, Kind: before.Kind, Content: before.Bytes(), Mode: before.Mode}
	switch {
	case before.Why != "" || before.same(now):
		return p, false
	case before.Kind != File || after.Kind != File || now.Kind != File:
		return p, after.same(now)
	}
	text, good := merge3(after.Bytes(), now.Bytes(), someBack(after.Bytes(), before.Bytes(), chosen))
	p.Content = text
	return p, good && !bytes.Equal(text, now.Bytes())
}

// someBack is a text with those of its differences from another one that are chosen.
func someBack(after, before []byte, chosen func(hunk int) bool) (text []byte) {
	old, other := linesOf(after), linesOf(before)
	in := append(pairs(old, other), len(other))
	at, atOther, hunk := 0, 0, 0
	for i, j := range in {
		if j < 0 {
			continue
		}
		if i > at || j > atOther {
			if chosen(hunk) {
				text = append(text, bytes.Join(other[atOther:j], nil)...)
			} else {
				text = append(text, bytes.Join(old[at:i], nil)...)
			}
			hunk++
		}
		if i < len(old) {
			text = append(text, old[i]...)
		}
		at, atOther = i+1, j+1
	}
	return text
}
