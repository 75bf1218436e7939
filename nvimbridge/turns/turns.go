// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package turns remembers what clients change in files, from prompt to prompt, so that
// the user can look at it and take it back. A turn is what one client does between two
// prompts: of a file that the client says it is about to write, the bytes before are
// taken from disk; what shell commands change is found out with git, which is asked and
// never told anything.
//
// A Keeper's methods run on the loop goroutine and never wait. All it remembers belongs
// to a goroutine of its own, which reads single files; what may take longer, git and
// comparing and writing many files, is done by a second one, a task after the other.
// The bytes of files are in memory only, and nothing of them is logged; git gets a folder of
// its own, which holds none of them and is removed after each look.
package turns

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	// MaxTurns is how many turns are remembered; the oldest is forgotten.
	MaxTurns = 50
	// maxKept is how many bytes of files are kept, over all turns. The oldest turn's go
	// first.
	maxKept = 64 << 20
	// maxFiles is how many files of a turn are known.
	maxFiles = 4096
	// maxRequests is how many requests may wait for the keeper's goroutine. What comes
	// beyond it is not known.
	maxRequests = 1024
	// changedEvery is the least time between two calls of Config.Changed.
	changedEvery = 200 * time.Millisecond
	// lookWait is how long an answer waits for git; then it says what is known.
	lookWait = 2 * time.Second
	// closeWait bounds how long Close waits for what is being read or written.
	closeWait = time.Second
)

// What a request may be answered with.
var (
	ErrBusy   = errors.New("too much waits to be done")
	ErrNoTurn = errors.New("that turn is not remembered")
	ErrNoFile = errors.New("that turn did not change the file")
	// ErrUnknown is also for a put that may have been written.
	ErrUnknown = errors.New("something failed, and what came of it is not known; look again")
	errClosed  = errors.New("the keeper of turns is closed")
)

// Config is what a Keeper needs.
type Config struct {
	// Post runs a function on the loop goroutine, in order, and reports false if the loop
	// has stopped.
	Post func(func()) bool
	// Changed, if set, hears on the loop goroutine that what clients changed is not what it
	// was.
	Changed func(News)
	// Log gets no content of files. Nil discards.
	Log *slog.Logger
}

// Options say what is kept.
type Options struct {
	// Git is whether git is asked what shell commands changed.
	Git bool
	// Secret are patterns, as path.Match has them, for the lower-case base names of files of
	// which nothing but the name is kept.
	Secret []string
}

// Keeper is the memory of turns of one editor. Until Review it keeps nothing.
type Keeper struct {
	cfg      Config
	ctx      context.Context
	cancel   context.CancelFunc
	requests chan func()
	results  chan func()
	stalled  chan struct{} // the loop goroutine waits for room among the requests
	wg       sync.WaitGroup
	book     *book // of the keeper's goroutine

	// These belong to the loop goroutine.
	open    bool // Review was called
	folders []string
	pending pending
}

// New makes a Keeper, which uses nothing until Review.
func New(cfg Config) *Keeper {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Changed == nil {
		cfg.Changed = func(News) {}
	}
	k := &Keeper{cfg: cfg, requests: make(chan func(), maxRequests), results: make(chan func()), stalled: make(chan struct{}, 1)}
	k.ctx, k.cancel = context.WithCancel(context.Background())
	k.book = newBook(k)
	return k
}

// Review begins to keep, or changes what is kept.
func (k *Keeper) Review(o Options) {
	if !k.open {
		k.open = true
		k.book.folders = k.folders // before the goroutine begins
		k.wg.Go(k.run)
	}
	k.must(func(p *pending) { p.options = &o })
}

// Folders says which folders the editor works in.
func (k *Keeper) Folders(folders []string) {
	k.folders = folders
	k.must(func(p *pending) { p.folders = &folders })
}

// Began says that a client, which calls itself name, sends a prompt: its last turn ends
// and another begins.
func (k *Keeper) Began(client uint64, name string) {
	k.request(func() { k.book.begin(client, name) })
}

// Announced says that a client is about to write the file of a URI. done is called once,
// on the loop goroutine, when the client may: its bytes are known.
func (k *Keeper) Announced(client uint64, name, uri string, done func()) {
	if !k.request(func() { k.book.announce(client, name, uri); k.cfg.Post(done) }) {
		done()
	}
}

// Sampled says that a client is about to go on, after it wrote what it announced. done is
// called once, on the loop goroutine, when it may: what it wrote is known, and what git
// knew when the turn began.
func (k *Keeper) Sampled(client uint64, done func()) {
	if !k.request(func() { k.book.sampleOf(client, func() { k.cfg.Post(done) }) }) {
		done()
	}
}

// Left says that a client is gone, which ends its turn.
func (k *Keeper) Left(client uint64) {
	k.must(func(p *pending) { note(p, p.left, client) })
}

// Saved says that the user saved a file from the editor.
func (k *Keeper) Saved(path string) {
	k.must(func(p *pending) { note(p, p.saved, path) })
}

// Forget drops what is kept of files, in all turns, and keeps nothing of them from now on.
func (k *Keeper) Forget(paths []string) {
	k.must(func(p *pending) {
		for _, path := range paths {
			note(p, p.forgotten, path)
		}
	})
}

// List tells the turns, newest first, on the loop goroutine.
func (k *Keeper) List(answer func([]Summary)) {
	told := func(s []Summary) { k.cfg.Post(func() { answer(s) }) }
	if !k.question(func(refused func()) { k.book.list(told, refused) }, func() { answer(nil) }) {
		answer(nil)
	}
}

// Turn tells the files of a turn, on the loop goroutine. shown says that the user is shown
// them.
func (k *Keeper) Turn(id int64, shown bool, answer func(Detail, error)) {
	told := func(d Detail, err error) { k.cfg.Post(func() { answer(d, err) }) }
	if !k.question(func(refused func()) { k.book.detail(id, shown, told, refused) }, func() { answer(Detail{}, ErrUnknown) }) {
		answer(Detail{}, k.refusal(ErrNoTurn))
	}
}

// File tells the bytes of one file of a turn, on the loop goroutine.
func (k *Keeper) File(id int64, path string, answer func(Versions, error)) {
	told := func(v Versions, err error) { k.cfg.Post(func() { answer(v, err) }) }
	if !k.question(func(func()) { told(k.book.versions(id, path)) }, func() { answer(Versions{}, ErrUnknown) }) {
		answer(Versions{}, k.refusal(ErrNoTurn))
	}
}

// Put writes files as the user asked, if each is as expected, and otherwise none. answer
// gets, on the loop goroutine, an error or nil for each.
func (k *Keeper) Put(files []Put, answer func([]error)) {
	told := func(errs []error) { k.cfg.Post(func() { answer(errs) }) }
	if err := tooMuch(files); err != nil {
		answer(each(len(files), err))
		return
	}
	if !k.question(func(func()) { k.book.put(files, told) }, func() { answer(each(len(files), ErrUnknown)) }) {
		answer(each(len(files), k.refusal(ErrBusy)))
	}
}

// refusal is why a request was not taken.
func (k *Keeper) refusal(closed error) error {
	if k.open {
		return ErrBusy
	}
	return closed
}

func (k *Keeper) run() {
	b := k.book
	for {
		select {
		case <-k.ctx.Done():
			return
		case f := <-k.requests:
			k.contain(f)
		case f := <-k.results:
			k.contain(f)
		case <-k.stalled:
			k.cfg.Post(k.resume)
		case <-b.changed.due():
			b.changed.tell(b)
		case <-b.writes.due():
			k.contain(func() { b.writes.look(b) })
		}
	}
}

// contain keeps a panic from ending the program: nobody works worse without turns.
func (k *Keeper) contain(f func()) {
	defer func() {
		if r := recover(); r != nil {
			k.cfg.Log.Error("the keeper of turns panicked", "panic", fmt.Sprintf("%T", r)) // a text could quote content
		}
	}()
	f()
}

// deliver has f run on the keeper's goroutine, unless that has ended. On any other.
func (k *Keeper) deliver(f func()) {
	select {
	case k.results <- f:
	case <-k.ctx.Done():
	}
}

// Close ends the keeper's goroutines and what they run, and waits for them. It is called
// once, from any goroutine, when the loop calls nothing more.
func (k *Keeper) Close() error {
	k.cancel()
	done := make(chan struct{})
	go func() { k.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-time.After(closeWait):
		return errClosed
	}
}
