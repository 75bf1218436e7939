// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"slices"
	"strings"
)

// What the user of the model and the editor do.

func (w *world) saveStep(s step) error { return w.save(s, w.lines(w.name(s))) }

// overwriteStep has the user save what was made of what was there long ago.
func (w *world) overwriteStep(s step) error {
	olds := w.olds[w.name(s)]
	if len(olds) == 0 {
		return nil
	}
	return w.save(s, strings.Fields(olds[s.who%len(olds)]))
}

func (w *world) save(s step, from []string) error {
	name := w.name(s)
	lines := w.changed(from, "u", s.how)
	if len(lines) == 0 {
		return nil // an editor does not remove files
	}
	if slices.Contains(w.unsaid, name) { // an editor tells of one before it begins the next
		w.sayAll()
	}
	w.say("the user saves %s: %v", name, lines)
	was := w.lines(name)
	w.lay(name, lines)
	w.users(name, was, lines)
	if w.unsaid = append(w.unsaid, name); !w.late {
		w.sayAll()
	}
	return nil
}

func (w *world) tellStep(step) error { w.sayAll(); return nil }

// sayAll has the editor tell what was saved.
func (w *world) sayAll() {
	for _, name := range w.unsaid {
		w.say("the editor tells that %s was saved", name)
		w.on(func() { w.Saved(w.path(name)) })
	}
	w.unsaid = nil
	w.tell(func() {})
}

// silentStep has another program of the user's change a file, which nobody tells. While a
// client may be writing it, that cannot be told apart.
func (w *world) silentStep(s step) error {
	name := w.name(s)
	if w.taken {
		w.sayAll()
	}
	was := w.lines(name)
	lines := w.changed(was, "u", s.how)
	for c := range modelClients {
		if w.windows[spot{c, name}] != 0 {
			return nil
		}
	}
	w.say("the user's program writes %s: %v", name, lines)
	w.lay(name, lines)
	w.users(name, was, lines)
	return nil
}

func (w *world) listStep(step) error {
	w.say("the turns are listed")
	w.list()
	for c := range modelClients {
		w.took(c)
	}
	return nil
}

func (w *world) showStep(s step) error {
	if all := w.list(); len(all) > 0 {
		id := all[s.who%len(all)].Turn
		w.say("turn %d is shown", id)
		w.until(func(done func()) { w.Turn(id, true, func(Detail, error) { done() }) })
	}
	return w.listStep(s)
}

func (w *world) leaveStep(s step) error {
	if c := w.client(s); s.how%3 == 0 {
		w.say("client %d leaves", c)
		w.on(func() { w.Left(w.id(c)) })
		w.tell(func() {})
		w.working[c] = false
		w.ended(c)
	}
	return nil
}

// timeStep has so much time pass that the editor must have told what was saved before.
func (w *world) timeStep(step) error {
	w.sayAll()
	w.say("time passes")
	w.tell(func() {
		for _, t := range w.book.turns {
			t.closed = earlier(t.closed)
			for _, f := range t.files {
				f.guessed = earlier(f.guessed)
				f.taken = earlier(f.taken)
			}
		}
	})
	return nil
}
