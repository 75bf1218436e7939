// Copyright (c) 2026 the claudecoded authors. MIT license.

package lockfile

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// rewriteDelay is how long a removed lock stays away: the one who removed it,
	// a client that thinks the editor is dead, should see it gone.
	rewriteDelay = 100 * time.Millisecond
	// retryDelay is the pause after a lock could not be written, and between
	// looks where the system cannot watch the folder.
	retryDelay = 500 * time.Millisecond
	// closeDelay is how long a watch that ended is kept open: a process that ends
	// meanwhile need not wait for its close.
	closeDelay = 100 * time.Millisecond
)

// Watcher keeps a lock file in place: one that somebody removes is written again
// within a second. Its methods may be called from any goroutine.
type Watcher struct {
	updates chan []string
	quit    chan struct{}
	stop    sync.Once
	ended   chan struct{}

	// The rest belongs to the watcher's goroutine.
	dir    string
	path   string
	lock   Lock
	put    func(dir string, l Lock) (string, error) // Write
	log    *slog.Logger
	events *fsnotify.Watcher // nil where the system has none left
	failed bool              // and logged
	timer  *time.Timer
}

// Watch keeps the lock that Write wrote at path. log may be nil.
func Watch(path string, l Lock, log *slog.Logger) *Watcher {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	w := &Watcher{
		updates: make(chan []string, 1),
		quit:    make(chan struct{}),
		ended:   make(chan struct{}),
		dir:     filepath.Dir(path),
		path:    path,
		lock:    l,
		put:     Write,
		log:     log,
		timer:   time.NewTimer(0), // it may be gone already
	}
	var err error
	if w.events, err = fsnotify.NewWatcher(); err != nil {
		log.Warn("cannot watch the lock file; looking at it now and then", "err", err)
	}
	go w.run()
	return w
}

// Update writes the lock with other folders. It does not wait; of several in a
// row the last counts.
func (w *Watcher) Update(folders []string) {
	folders = slices.Clone(folders)
	for {
		select {
		case w.updates <- folders:
			return
		default:
		}
		select {
		case <-w.updates:
		default:
		}
	}
}

// Stop ends the watch and waits for a write in progress. The file stays.
func (w *Watcher) Stop() {
	w.stop.Do(func() { close(w.quit) })
	<-w.ended
}

func (w *Watcher) run() {
	defer close(w.ended)
	defer w.timer.Stop()
	var changed chan fsnotify.Event
	var lost chan error
	if w.events != nil {
		defer w.release()
		changed, lost = w.events.Events, w.events.Errors
	}
	for {
		select {
		case <-w.quit:
			return
		case w.lock.WorkspaceFolders = <-w.updates:
			w.write()
		case e := <-changed:
			if e.Has(fsnotify.Remove|fsnotify.Rename) && (e.Name == w.path || e.Name == w.dir) {
				w.timer.Reset(rewriteDelay)
			}
		case <-lost: // events were dropped
			w.timer.Reset(rewriteDelay)
		case <-w.timer.C:
			w.check()
		}
	}
}

// release ends the watch. The kernel takes about 10 ms to close one that still watches
// something, and the end of a process waits for that as a Close does.
func (w *Watcher) release() {
	_ = w.events.Remove(w.dir)
	time.AfterFunc(closeDelay, func() { _ = w.events.Close() })
}

// check writes the lock if it is gone or could not be written, and looks again
// later unless the system will say when to.
func (w *Watcher) check() {
	if _, err := os.Lstat(w.path); err != nil || w.failed {
		w.write()
		return
	}
	w.look()
}

func (w *Watcher) write() {
	_, err := w.put(w.dir, w.lock)
	if err != nil && !w.failed {
		w.log.Warn("cannot write the lock file; trying on", "err", err)
	}
	w.failed = err != nil
	w.look()
}

// look watches the folder, a new one as well as the one that was watched. If that or
// the last write failed, check comes again.
func (w *Watcher) look() {
	watched := w.events != nil && w.events.Add(w.dir) == nil
	if !watched || w.failed {
		w.timer.Reset(retryDelay)
	}
}
