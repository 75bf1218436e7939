// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"strings"
)

// What the clients of the model do.

func (w *world) promptStep(s step) error {
	c := w.client(s)
	w.say("client %d is prompted", c)
	w.on(func() { w.Began(w.id(c), "") })
	w.tell(func() {}) // it was heard
	w.working[c] = true
	w.ended(c)
	if w.git {
		w.goesOnAs(w.id(c))
	}
	for _, name := range modelFiles {
		if w.git && !w.working[1-c] && len(w.unsaid) == 0 {
			w.clean[spot{c, name}] = strings.Join(w.lines(name), "\n")
		}
	}
	return nil
}

// ended closes the windows of a client.
func (w *world) ended(c int) {
	for _, name := range modelFiles {
		delete(w.windows, spot{c, name})
		delete(w.clean, spot{c, name})
	}
}

func (w *world) announceStep(s step) error {
	c, name := w.client(s), w.name(s)
	w.say("client %d announces %s", c, name)
	w.announceAs(w.id(c), name)
	w.tell(func() { w.book.writes = writes{} }) // no look but those of the model
	at := spot{c, name}
	w.windows[at] = announced
	if _, known := w.clean[at]; !known {
		if w.clean[at] = strings.Join(w.lines(name), "\n"); w.git || w.working[1-c] { // nobody knows when the picture is taken
			w.clean[at] = "-"
		}
	}
	w.working[c] = true
	return nil
}

func (w *world) writeStep(s step) error {
	c, name := w.client(s), w.name(s)
	if w.windows[spot{c, name}] != announced {
		return nil
	}
	w.clients(c, name, s.how, "writes")
	w.windows[spot{c, name}] = written
	return nil
}

// clients has a client change a file.
func (w *world) clients(c int, name string, how int, does string) {
	if w.taken { // nobody could tell then who wrote what was there before
		w.sayAll()
	}
	lines := w.changed(w.lines(name), fmt.Sprintf("c%d.", c), how)
	w.say("client %d %s %s: %v", c, does, name, lines)
	w.lay(name, lines)
	w.see(lines)
	for o := range modelClients {
		if o != c {
			w.clean[spot{o, name}] = "-"
			if w.windows[spot{o, name}] != 0 { // which takes it for its own
				w.unclean(name)
			}
		}
	}
}

func (w *world) commandStep(s step) error {
	c, name := w.client(s), w.name(s)
	if w.working[c] {
		w.clients(c, name, s.how, "runs a command on")
		if !w.git || w.working[1-c] { // nothing tells whose command it was
			w.unclean(name)
		}
	}
	return nil
}

func (w *world) goOnStep(s step) error {
	c := w.client(s)
	if !w.working[c] {
		return nil
	}
	w.say("client %d goes on", c)
	w.goesOnAs(w.id(c))
	w.took(c)
	return nil
}

// took closes windows that were written in, if that was taken: not if it cannot be seen, nor if
// the client may be at its next prompt.
func (w *world) took(c int) {
	awaited := map[string]bool{}
	w.tell(func() {
		if t := w.book.turnOf(w.id(c)); t != nil {
			for _, f := range t.files {
				awaited[f.path] = f.awaited()
			}
		}
	})
	for _, name := range modelFiles {
		if at := (spot{c, name}); w.windows[at] == written && !awaited[w.path(name)] {
			delete(w.windows, at)
		}
	}
}

func (w *world) noticeStep(step) error {
	w.say("what is written is noticed")
	w.tell(func() { w.book.writes.look(w.book); w.book.writes.look(w.book); w.book.writes = writes{} })
	for c := range modelClients {
		w.took(c)
	}
	return nil
}
