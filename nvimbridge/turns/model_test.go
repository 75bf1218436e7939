// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// The model: clients, commands of theirs, and a user work on a few files in any order, and the user takes
// back now and then. Each line is written once and says by its first letter who wrote it, so that
// at any time it is known whose doing a difference is. What must hold, see world.check: nothing that can be taken
// back would remove a line that the user wrote, or bring back one that the user removed.

// step is what happens next: an act, and what it chooses by.
type step struct{ act, who, file, how int }

// world is what the model knows.
type world struct {
	*bench
	git     bool
	late    bool // the editor may tell late what was saved
	serial  int
	user    map[string]bool // lines that the user wrote
	gone    map[string]bool // lines that the user removed
	again   map[string]bool // lines that came back once, of which nothing tells whose they are
	seen    map[string]bool // lines that were there once
	windows map[spot]window
	clean   map[spot]string // what was there before, where nobody but the client wrote
	working map[int]bool    // clients that were prompted
	unsaid  []string        // files that the user saved, of which the keeper was not told yet
	taken   bool            // the keeper may have looked since
	olds    map[string][]string
	story   []string
}

type spot struct {
	client int
	file   string
}

// window is from when a client announces a file to when what it wrote is taken.
type window int

const (
	announced window = iota + 1
	written
)

const modelClients = 2

var modelFiles = []string{"a", "b", "new"}

type act struct {
	weight int
	name   string
	do     func(w *world, s step) error
}

// acts are all that may happen. git: commands are seen; else the user's other programs count.
func acts(git bool) (all []act) {
	for _, a := range []act{
		{2, "prompt", (*world).promptStep},
		{6, "announce", (*world).announceStep},
		{6, "write", (*world).writeStep},
		{5, "go on", (*world).goOnStep},
		{2, "notice", (*world).noticeStep},
		{3, "command", (*world).commandStep},
		{5, "save", (*world).saveStep},
		{2, "overwrite", (*world).overwriteStep},
		{6, "tell", (*world).tellStep},
		{2, "list", (*world).listStep},
		{1, "show", (*world).showStep},
		{3, "revert", (*world).revertStep},
		{1, "revert turn", (*world).revertTurnStep},
		{1, "leave", (*world).leaveStep},
		{1, "time", (*world).timeStep},
		{3, "other program", (*world).silentStep},
	} {
		if a.name != "other program" || !git {
			all = append(all, slices.Repeat([]act{a}, a.weight)...)
		}
	}
	return all
}

// play plays steps in a new world. It returns what is wrong, if anything is.
func play(t *testing.T, git, late bool, steps []step) (story []string, wrong error) {
	w := &world{bench: keep(t, Options{Git: git}), git: git, late: late, user: map[string]bool{}, gone: map[string]bool{}, again: map[string]bool{}, seen: map[string]bool{},
		windows: map[spot]window{}, clean: map[spot]string{}, working: map[int]bool{}, olds: map[string][]string{}}
	defer w.close()
	w.tell(func() { w.book.work.take, w.book.work.look, w.book.lag = takeAll, lookAtAll, modelLag })
	for _, name := range modelFiles[:2] {
		var lines []string
		for range 7 {
			lines = append(lines, w.line("o"))
		}
		w.lay(name, lines)
		w.see(lines)
	}
	all := acts(git)
	for _, s := range steps {
		a := all[s.act%len(all)]
		if err := a.do(w, s); err != nil {
			return w.story, fmt.Errorf("%s: %w", a.name, err)
		}
		w.taken = len(w.unsaid) > 0 && (w.taken || !strings.Contains(a.name, "write") && a.name != "save" && a.name != "command")
		if len(w.unsaid) == 0 {
			if err := w.check(); err != nil {
				return w.story, err
			}
		}
	}
	w.sayAll()
	return w.story, w.check()
}

// takeAll is take of a folder, in place of a work tree.
func takeAll(r *reader, folder string) (*picture, error) {
	p := &picture{loose: map[string]State{}, git: git{folder: folder}, tracked: true, others: true, began: time.Now()}
	for _, path := range below(folder) {
		p.note(r, strings.TrimPrefix(path, folder+separator))
	}
	p.taken = time.Now()
	return p, r.ctx.Err()
}

// lookAtAll is picture.look without git.
func lookAtAll(p *picture, r *reader, known map[string]knownFile) ([]change, error) {
	l := looking{picture: p, reader: r, known: known, seen: map[string]bool{}}
	for path, before := range p.loose {
		l.visit(path, &before, nil)
	}
	for _, path := range below(p.git.folder) {
		l.visit(path, &absent, nil)
	}
	for path := range known {
		l.visit(path, nil, nil)
	}
	return l.finish()
}

func below(folder string) (paths []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if slices.Contains(modelFiles, e.Name()) {
			paths = append(paths, folder+separator+e.Name())
		}
	}
	return paths
}

func (w *world) say(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf(format, args...))
}

// line is a new line of somebody. They differ in length, so that no two files have the same times and size.
func (w *world) line(who string) string {
	w.serial++
	return fmt.Sprintf("%s%d%s", who, w.serial, strings.Repeat("_", w.serial%7))
}

func (w *world) lines(name string) []string {
	content, err := os.ReadFile(w.path(name))
	if err != nil {
		return nil
	}
	return strings.Fields(string(content))
}

// lay writes lines at once, or removes the file if there are none.
func (w *world) lay(name string, lines []string) {
	w.olds[name] = append(w.olds[name], strings.Join(w.lines(name), "\n"))
	if len(lines) == 0 {
		w.remove(name)
		return
	}
	w.write(".written", strings.Join(lines, "\n")+"\n")
	w.must(os.Rename(w.path(".written"), w.path(name)))
}

// changed are lines with a change of somebody: some more, others or less of them.
func (w *world) changed(lines []string, who string, how int) []string {
	lines = slices.Clone(lines)
	at := 0
	if len(lines) > 0 {
		at = how / 8 % len(lines)
	}
	switch how % 8 {
	case 0, 1:
		return slices.Insert(lines, at, w.line(who))
	case 2:
		return append(lines, w.line(who))
	case 3:
		if len(lines) > 1 {
			return slices.Delete(lines, at, at+1)
		}
	case 4:
		if how/64%4 == 0 {
			return nil
		}
	case 5:
		return append(slices.Clone(lines[:at]), w.line(who), w.line(who))
	}
	if len(lines) == 0 {
		return []string{w.line(who)}
	}
	lines[at] = w.line(who)
	return lines
}

// users notes that lines are the user's doing.
func (w *world) users(name string, before, after []string) {
	for _, line := range before {
		if !slices.Contains(after, line) {
			w.gone[line] = true
			delete(w.user, line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			w.again[line] = w.seen[line]
			w.user[line] = true
			delete(w.gone, line)
		}
	}
	w.unclean(name)
	w.see(after)
}

func (w *world) see(lines []string) {
	for _, line := range lines {
		w.seen[line] = true
	}
}

func (w *world) unclean(name string) {
	for c := range modelClients {
		w.clean[spot{c, name}] = "-"
	}
}

func (w *world) client(s step) int { return s.who % modelClients }
func (w *world) id(c int) uint64   { return uint64(c + 1) }
func (w *world) name(s step) string {
	return modelFiles[s.file%len(modelFiles)]
}

func earlier(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-modelLag)
}

// TestModel_NothingOfTheUsersCanBeTakenBack plays many stories. One that goes wrong is made as short
// as it can be told.
func TestModel_NothingOfTheUsersCanBeTakenBack(t *testing.T) {
	t.Parallel()
	const length = 40
	for name, row := range map[string]struct{ git, late bool }{
		"announced": {false, false}, "with commands": {true, false},
		"announced, told late": {false, true}, "with commands, told late": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(modelStories) {
				rng := rand.New(rand.NewPCG(seed, 1))
				steps := make([]step, length)
				for i := range steps {
					steps[i] = step{rng.IntN(1 << 16), rng.IntN(64), rng.IntN(64), rng.IntN(1 << 16)}
				}
				if story, wrong := play(t, row.git, row.late, steps); wrong != nil {
					story, wrong = shorten(t, row.git, row.late, steps, story, wrong)
					t.Fatalf("seed %d: %v\n%s", seed, wrong, strings.Join(story, "\n"))
				}
			}
		})
	}
}

// shorten leaves out steps without which it goes wrong as well.
func shorten(t *testing.T, git, late bool, steps []step, story []string, wrong error) ([]string, error) {
	for n := len(steps) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(steps); {
			fewer := slices.Delete(slices.Clone(steps), i, i+n)
			if told, err := play(t, git, late, fewer); err != nil {
				steps, wrong, story = fewer, err, told
			} else {
				i++
			}
		}
	}
	return story, wrong
}
