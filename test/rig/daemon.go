// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package rig runs the daemon inside a test: the real loop, the real server and the real
// protocol on a real port, with the stand-in for an editor. Only the process around
// them, which the program's cmd is, is missing.
package rig

import (
	"cmp"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"claudecoded/cmd/seam"
	"claudecoded/mcp"
	"claudecoded/nvimbridge/memory"
	"claudecoded/reactor"
	"claudecoded/session"
	"claudecoded/test/wire"
)

// Token is what clients of a Daemon present.
const Token = "token-of-the-rig-0123456789"

// quiet is a ping interval longer than any test, for tests that compare every byte.
const quiet = time.Hour

// Config is what a Daemon can be told. The zero value is usable.
type Config struct {
	Session session.Config // its Token and Log are the rig's; without an interval it does not ping
	Folder  string         // of the editor; the temporary one by default
}

// Daemon is a running daemon. Loop, Server, Protocol and Editor belong to its loop, see Do;
// the rest may be used by any goroutine.
type Daemon struct {
	Loop     reactor.Loop
	Server   *session.Server
	Protocol *mcp.Server
	Editor   *Editor
	Port     int
	*Record

	ended chan error
}

// New starts a daemon, which Stop ends.
func New(cfg Config) (*Daemon, error) {
	d := &Daemon{Record: newRecord(), ended: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(d.Record, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if d.Loop, err = reactor.New(reactor.Options{Logger: log}); err != nil {
		return nil, err
	}
	if cfg.Folder == "" {
		cfg.Folder = os.TempDir()
	}
	cfg.Session.Token, cfg.Session.Log = Token, log
	cfg.Session.PingInterval = cmp.Or(cfg.Session.PingInterval, quiet)
	if cfg.Session.HTTP == nil {
		cfg.Session.HTTP = seam.Web(func(r mcp.HTTPRequest, w mcp.HTTPWriter) { d.Protocol.ServeHTTP(r, w) })
	}
	d.Server = session.New(d.Loop, cfg.Session)
	d.Editor = &Editor{Editor: memory.New(memory.Config{
		Post:   d.Loop.Post,
		Finish: func(token uint64, o mcp.Outcome) { d.Protocol.Finish(token, o) },
		Folder: cfg.Folder,
	}), d: d, open: map[uint64]bool{}}
	d.Protocol = mcp.New(mcp.Config{Sink: d.Server, Editor: d.Editor, Clock: seam.Clock{Loop: d.Loop}, Post: d.Loop.Post, Log: log, Version: "1"})
	if left := d.Protocol.SetCatalogue(d.Editor.Catalogue()); len(left) > 0 {
		return nil, left[0].Err
	}
	if d.Port, err = d.Server.Listen(reactor.PortRange{}, clients{d}); err != nil {
		return nil, err
	}
	go func() { d.ended <- d.Loop.Run() }()
	return d, nil
}

// Start is New for a test, whose end is the daemon's.
func Start(t testing.TB, cfg Config) *Daemon {
	t.Helper()
	d, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(nil); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the daemon's log:\n%s", d.tail())
		}
	})
	return d
}

// Open is a client that is connected.
func (d *Daemon) Open(t testing.TB) *wire.Conn {
	t.Helper()
	return wire.Open(t, d.Port, Token)
}

var errStuck = errors.New("rig: the loop is stuck")

// Do runs f on the loop and waits for it.
func (d *Daemon) Do(t testing.TB, f func()) {
	t.Helper()
	ran := make(chan struct{})
	d.Loop.Post(func() { defer close(ran); f() })
	select {
	case <-ran:
	case <-time.After(wire.Patience):
		t.Fatal(errStuck)
	}
}

// Leave ends the daemon as the program does; done, if not nil, runs when the last socket
// is closed. On the loop.
func (d *Daemon) Leave(done func()) {
	d.Protocol.Stop()
	d.Server.Stop(func() {
		if done != nil {
			done()
		}
		d.Loop.Stop()
	})
}

// Stop has the daemon leave, unless it did, and waits until its loop has ended.
func (d *Daemon) Stop(done func()) error {
	d.Loop.Post(func() { d.Leave(done) })
	select {
	case err := <-d.ended:
		d.ended <- err
		return err
	case <-time.After(wire.Patience):
		return errStuck
	}
}

// clients is who the server reports to: the protocol, and the record.
type clients struct{ d *Daemon }

func (c clients) Open(client uint64) {
	c.d.Protocol.Open(client)
	c.d.Record.opened(client)
}

func (c clients) Message(client uint64, text []byte) { c.d.Protocol.Message(client, text) }

func (c clients) Closed(client uint64, code int, reason string) {
	c.d.Protocol.Closed(client, code, reason)
	c.d.Record.left(client, Departure{code, reason})
}
