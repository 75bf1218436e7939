// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testTime is some time.
var testTime = time.Unix(1_000_000_000, 0)

// patience is far more than anything here takes.
const patience = 3 * time.Minute

// bench is a keeper with a loop, and a folder with the files of a test.
type bench struct {
	testing.TB
	*Keeper
	dir    string
	mu     sync.Mutex
	queue  []func()
	wake   chan struct{}
	told   []string // what Changed heard
	news   News     // the last
	closed bool
}

// keep starts a keeper in a folder of its own; git, if its options say so, has no
// repository yet. However slow it is, answers wait for it.
func keep(t testing.TB, o Options) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{TB: t, dir: dir, wake: make(chan struct{}, 1)}
	b.Keeper = New(Config{Post: b.post, Changed: func(n News) {
		b.told = append(b.told, fmt.Sprintf("turn %d, %d files", n.Turn, n.Files))
		b.news = n
	}})
	b.book.wait = patience
	var wg sync.WaitGroup
	quit := make(chan struct{})
	wg.Go(func() { b.loop(quit) })
	t.Cleanup(func() {
		b.close()
		close(quit)
		wg.Wait()
	})
	b.on(func() { b.Folders([]string{dir}); b.Review(o) })
	return b
}

func (b *bench) close() {
	if b.closed {
		return
	}
	b.closed = true
	if b.Close() == nil {
		return
	}
	ended := make(chan struct{}) // it may be slow, and must end
	go func() { b.wg.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(patience):
		b.Error("the keeper does not end")
	}
}

func (b *bench) post(f func()) bool {
	b.mu.Lock()
	b.queue = append(b.queue, f)
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return true
}

func (b *bench) loop(quit chan struct{}) {
	for {
		select {
		case <-b.wake:
		case <-quit:
			return
		}
		b.mu.Lock()
		queue := b.queue
		b.queue = nil
		b.mu.Unlock()
		for _, f := range queue {
			f()
		}
	}
}

// on runs f on the loop.
func (b *bench) on(f func()) { b.until(func(done func()) { f(); done() }) }

// until runs f on the loop and waits until it calls done.
func (b *bench) until(f func(done func())) {
	b.Helper()
	done := make(chan struct{})
	b.post(func() { f(func() { close(done) }) })
	select {
	case <-done:
	case <-time.After(patience):
		b.Fatal("no answer")
	}
}

// prompt, announce and goesOn are what client 1 does.
func (b *bench) prompt()              { b.on(func() { b.Began(1, "Claude") }) }
func (b *bench) announce(name string) { b.announceAs(1, name) }
func (b *bench) goesOn()              { b.goesOnAs(1) }

func (b *bench) announceAs(client uint64, name string) {
	b.Helper()
	b.until(func(done func()) { b.Announced(client, "Claude", "file://"+b.path(name), done) })
}

func (b *bench) goesOnAs(client uint64) {
	b.Helper()
	b.until(func(done func()) { b.Sampled(client, done) })
}

// edits has the client announce a file, write it and go on.
func (b *bench) edits(name, content string) {
	b.Helper()
	b.announce(name)
	b.write(name, content)
	b.goesOn()
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) write(name, content string) {
	b.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.must(os.WriteFile(b.path(name), []byte(content), 0o644))
}

func (b *bench) remove(name string) {
	b.Helper()
	b.must(os.RemoveAll(b.path(name)))
}

func (b *bench) content(name string) string {
	b.Helper()
	content, err := os.ReadFile(b.path(name))
	b.must(err)
	return string(content)
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) list() (all []Summary) {
	b.Helper()
	b.until(func(done func()) { b.List(func(s []Summary) { all = s; done() }) })
	return all
}

// turn is a turn as its detail says: the last one for 0.
func (b *bench) turn(id int64) (d Detail) {
	b.Helper()
	if id == 0 {
		all := b.list()
		if len(all) == 0 {
			return Detail{}
		}
		id = all[0].Turn
	}
	b.until(func(done func()) {
		b.Turn(id, false, func(got Detail, err error) {
			if err != nil {
				b.Error(err)
			}
			d = got
			done()
		})
	})
	return d
}

// changes describes the last turn, a line for each file.
func (b *bench) changes() string {
	b.Helper()
	var lines []string
	for _, c := range b.turn(0).Changes {
		name, _ := filepath.Rel(b.dir, c.Path)
		line := fmt.Sprintf("%s %s %s +%d -%d", c.Source, c.What, name, c.Added, c.Removed)
		if c.Binary {
			line += " binary"
		}
		if c.Before.Why != "" {
			line += " " + string(c.Before.Why)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (b *bench) expect(want ...string) {
	b.Helper()
	if got, want := b.changes(), strings.Join(want, "\n"); got != want {
		b.Fatalf("the turn changed\n%s\nwant\n%s", got, want)
	}
}

func (b *bench) versions(name string) (v Versions) {
	b.Helper()
	id := b.turn(0).Turn
	b.until(func(done func()) {
		b.File(id, b.path(name), func(got Versions, err error) {
			if err != nil {
				b.Errorf("%s: %v", name, err)
			}
			v = got
			done()
		})
	})
	return v
}

func (b *bench) put(files ...Put) (errs []error) {
	b.Helper()
	b.until(func(done func()) { b.Put(files, func(got []error) { errs = got; done() }) })
	return errs
}

// revert puts everything back that the last turn changed.
func (b *bench) revert() {
	b.Helper()
	var files []Put
	for _, c := range b.turn(0).Changes {
		files = append(files, Put{Path: c.Path, Expect: Expectation{c.After.Kind, c.After.Hash()},
			Kind: c.Before.Kind, Content: c.Before.Bytes(), Mode: c.Before.Mode})
	}
	for i, err := range b.put(files...) {
		if err != nil {
			b.Errorf("%s: %v", files[i].Path, err)
		}
	}
}

// git runs git in the folder, with an author and none of the user's configuration.
func (b *bench) git(args ...string) string {
	b.Helper()
	return b.gitIn(b.dir, args...)
}

func (b *bench) gitIn(dir string, args ...string) string {
	b.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// repository makes one of files, all of them committed.
func (b *bench) repository(files ...string) {
	b.Helper()
	b.git("init", "-q", "-b", "main")
	for _, name := range files {
		b.write(name, "one\ntwo\nthree\n")
	}
	b.commit()
}

func (b *bench) commit() {
	b.Helper()
	b.git("add", "-A")
	b.git("commit", "-q", "--allow-empty", "-m", "c")
}

// snapshot is what is below a folder: every byte, mode and time, for comparison.
func (b *bench) snapshot(dir string) string {
	b.Helper()
	var out bytes.Buffer
	b.must(filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var content []byte
		switch {
		case info.Mode().IsRegular():
			content, err = os.ReadFile(path)
		case info.Mode()&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(path)
			content = []byte(to)
		}
		fmt.Fprintf(&out, "%s %s %s %q\n", path, info.Mode(), info.ModTime(), content)
		return err
	}))
	return out.String()
}

// tick waits until what was written is for sure older than what comes.
func (b *bench) tick() {
	b.Helper()
	began := time.Now()
	eventually(b, "time passes", func() bool { return time.Since(began) > 2*clockTick })
}

// contents is snapshot without times.
func (b *bench) contents() string {
	b.Helper()
	var lines []string
	b.must(filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == ".git" && path != b.dir {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		s := read(b.Context(), path)
		lines = append(lines, fmt.Sprintf("%s %s %o %q", path, s.Kind, s.Mode, s.Bytes()))
		return err
	}))
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// eventually waits for what becomes true some time.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !cond(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("never: %s", what)
		}
	}
}

// reader reads on the test's goroutine.
func (b *bench) reader(room int64) *reader {
	return &reader{ctx: b.Context(), secret: patterns(nil).match, room: room}
}
