// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"claudecoded/cmd/seam"
	"claudecoded/mcp"
	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/turns"
	"claudecoded/reactor"
	"claudecoded/session"
)

// farewell bounds how long a daemon outlives its editor: Neovim waits for its jobs when
// it quits.
const farewell = 10 * time.Millisecond

// lastWords is how long after its parent's end, or a signal, the daemon still reads what
// its editor said.
const lastWords = 20 * time.Millisecond

// editor is what the daemon tells its editor.
type editor interface {
	Ready(nvimbridge.Listening)
	Failed(message, reason string)
	ClientOpened(client uint64)
	ClientReady(client uint64)
	ClientClosed(client uint64, code int, reason string)
	Written(id int64, n int)
	Locked(path, problem string)
	Log(level, message string)
	TurnsChanged(turns.News)
}

// daemon holds one editor and its server together; with the types of seams.go the only
// place that knows both sides of a seam. Once the loop runs, what is not set before
// belongs to the loop goroutine.
type daemon struct {
	log      *logging
	loop     reactor.Loop
	tidier   *tidier
	audit    *auditing
	turns    *turns.Keeper
	protocol *mcp.Server
	leftOut  map[string]string // the tools that are not offered, and why
	editor   editor
	// adjust, if set, changes what the editor asks for; started, if set, hears what
	// came of it; toolTimeout, if not 0, limits tools that have no limit.
	adjust      func(*nvimbridge.StartOptions)
	started     func(nvimbridge.Listening, error)
	toolTimeout time.Duration
	maxHTTP     int // connections of HTTP clients; 0 is the server's default
	// registry is where the editor is listed; "" for one that is not.
	registry string
	began    time.Time

	server  *session.Server // nil while nothing listens
	port    int
	files   sync.WaitGroup // goroutines that touch the disk
	lock    *keptLock      // nil without a lock file
	listed  *keptLock      // the one in the registry, or nil
	folders []string       // that came while the lock files were written, else nil
	wanted  lockWish
	leaving bool
	failure error // why the daemon left, if something failed
}

// newDaemon makes a daemon without an editor.
func newDaemon(log *logging) (*daemon, error) {
	loop, err := reactor.New(reactor.Options{Logger: log.Logger})
	if err != nil {
		return nil, fmt.Errorf("making the event loop: %w", err)
	}
	d := &daemon{log: log, loop: loop, tidier: newTidier(loop), began: loop.Now()}
	d.audit = &auditing{log: log.Logger, tell: func(message string) {
		loop.Post(func() { d.editor.Log("warn", message) })
	}}
	d.turns = turns.New(turns.Config{Post: loop.Post, Log: log.Logger, Changed: func(n turns.News) {
		d.editor.TurnsChanged(n)
	}})
	return d, nil
}

func (d *daemon) bridgeConfig() nvimbridge.Config {
	return nvimbridge.Config{Post: d.loop.Post, Log: d.log.Logger, Version: programVersion()}
}

// bind gives the daemon its editor: runs executes tools, told hears what happens.
func (d *daemon) bind(runs mcp.Editor, told editor) {
	d.editor = told
	asker, _ := runs.(mcp.Asker) // a stand-in has no user
	d.protocol = mcp.New(mcp.Config{
		Sink:    sink{d},
		Editor:  runs,
		Clock:   seam.Clock{Loop: d.loop},
		Post:    d.loop.Post,
		Ready:   told.ClientReady,
		Asker:   asker,
		Auditor: d.audit,
		Turns:   d.turns,
		Log:     d.log.Logger,
		Version: programVersion(),
	})
}

// run serves until the daemon leaves, by itself or at a signal, and removes the lock
// file. It returns why, if something failed.
func (d *daemon) run() error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt, syscall.SIGHUP)
	defer signal.Stop(signals)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case s := <-signals:
			// An editor that ends signals its jobs, and may have spoken just before.
			d.loop.Post(func() { d.loop.AfterFunc(lastWords, func() { d.leave(s.String()) }) })
		case <-ended:
		}
	}()
	err := d.loop.Run()
	d.audit.close()
	d.files.Wait()
	// The editor waits for this process, and clients look at the locks.
	err = errors.Join(d.failure, err, d.lock.remove(), d.listed.remove())
	if slow := d.turns.Close(); slow != nil {
		d.log.Debug("left without an end", "error", slow)
	}
	return err
}

// leave answers what is pending, says goodbye to every client and ends the loop.
func (d *daemon) leave(reason string) {
	if d.leaving {
		return
	}
	d.leaving = true
	d.log.Info("leaving", "reason", reason)
	if d.protocol != nil {
		d.protocol.Stop()
	}
	if d.server == nil {
		d.loop.Stop()
		return
	}
	d.server.Stop(d.loop.Stop)
}

// fail is leave for a daemon that cannot go on.
func (d *daemon) fail(err error) {
	if !d.leaving {
		d.failure = err
		d.leave("failed")
	}
}

// abandon is leave for a daemon whose editor is gone, or waits for it to go.
func (d *daemon) abandon(reason string) {
	d.leave(reason)
	d.loop.AfterFunc(farewell, d.loop.Stop)
}

// watchParent abandons the daemon once the process that started it has ended. The end
// of stdin may never tell: somebody else can hold the other end of the pipe.
func (d *daemon) watchParent() {
	gone := func() {
		// What it said last is in the pipe, and the end of that usually comes.
		d.loop.AfterFunc(lastWords, func() { d.abandon("the parent process ended") })
	}
	if _, err := d.loop.WatchExit(parent, gone); err != nil {
		d.log.Debug("cannot watch the parent process", "pid", parent, "error", err)
	}
	// It may have ended before it was watched.
	if os.Getppid() != parent {
		d.loop.Post(gone)
	}
}
