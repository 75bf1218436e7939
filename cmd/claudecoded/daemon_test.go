// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/mcp"
	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/memory"
	"claudecoded/nvimbridge/turns"
)

// patience is far more than anything here takes.
const patience = time.Minute

// listener is an editor that hands on what it is told, one line each.
type listener struct{ told chan string }

func (l listener) Ready(at nvimbridge.Listening) {
	l.told <- fmt.Sprintf("ready lock=%t", at.LockFile != "")
}
func (l listener) Failed(message, reason string) {
	l.told <- strings.TrimSpace("failed " + message + " " + reason)
}
func (l listener) ClientOpened(client uint64) { l.told <- fmt.Sprintf("opened %d", client) }
func (l listener) ClientReady(client uint64)  { l.told <- fmt.Sprintf("ready %d", client) }
func (l listener) ClientClosed(client uint64, code int, _ string) {
	l.told <- fmt.Sprintf("closed %d %d", client, code)
}
func (l listener) Written(id int64, n int)   { l.told <- fmt.Sprintf("written %d %d", id, n) }
func (l listener) Locked(string, string)     {}
func (l listener) Log(level, message string) { l.told <- level + " " + message }
func (l listener) TurnsChanged(turns.News)   {}

// running is a daemon whose loop runs, with the stand-in for an editor.
type running struct {
	t    *testing.T
	d    *daemon
	told chan string
	end  chan error
}

func runDaemon(t *testing.T) *running {
	t.Helper()
	log := newLogging(io.Discard)
	d, err := newDaemon(log)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, d: d, told: make(chan string, 16), end: make(chan error, 1)}
	d.bind(memory.New(memory.Config{Post: d.loop.Post, Finish: host{d}.Finish, Folder: t.TempDir()}), listener{r.told})
	go func() { r.end <- d.run() }()
	t.Cleanup(func() {
		d.loop.Post(func() { d.leave("the test ends") })
		select {
		case <-r.end:
		case <-time.After(patience):
			t.Error("the daemon does not leave")
		}
		log.close()
	})
	return r
}

// on runs f on the loop goroutine and waits for it.
func (r *running) on(f func(host)) {
	r.t.Helper()
	done := make(chan struct{})
	r.d.loop.Post(func() {
		f(host{r.d})
		close(done)
	})
	select {
	case <-done:
	case <-time.After(patience):
		r.t.Fatal("the loop does not run")
	}
}

func (r *running) start(o nvimbridge.StartOptions) {
	r.t.Helper()
	r.on(func(h host) { h.Start(o) })
}

func (r *running) expect(want ...string) {
	r.t.Helper()
	for _, line := range want {
		select {
		case got := <-r.told:
			if !strings.HasPrefix(got, line) {
				r.t.Errorf("the editor was told %q, not %q", got, line)
			}
		case <-time.After(patience):
			r.t.Fatalf("the editor was not told %q", line)
		}
	}
}

func (r *running) connect(token string) *claude.Client {
	r.t.Helper()
	client, err := claude.Dial(r.t.Context(), r.d.port, token, claude.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = client.Close() })
	return client
}

const token = "a-long-enough-token"

func TestStart_ThatFailedMayBeTriedAgain(t *testing.T) {
	t.Parallel()
	r := runDaemon(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.start(nvimbridge.StartOptions{})
	r.expect("failed without a lock file a token must be given")
	r.start(nvimbridge.StartOptions{Token: "short"})
	r.expect("failed authentication token too short")
	r.start(nvimbridge.StartOptions{PortMin: 2, PortMax: 1, Token: token})
	r.expect("failed No available ports in range 2-1 port")
	r.start(nvimbridge.StartOptions{Lock: true, LockDir: filepath.Join(file, "ide")})
	r.expect("failed creating the lock file: ")
	r.start(nvimbridge.StartOptions{Token: token, LogLevel: "loud", MaxClients: -1, PingInterval: -1})
	r.expect(`warn unknown log level "loud"`, "ready lock=false")
	r.connect(token)
	r.expect("opened 1")
	r.start(nvimbridge.StartOptions{Token: token})
	r.expect("failed the server is running already")
}

func TestDaemon_TellsItsEditorWhatClientsDo(t *testing.T) {
	t.Parallel()
	r := runDaemon(t)
	broadcast := func(id int64) { r.on(func(h host) { h.Broadcast(id, "m", []byte("{}")) }) }
	broadcast(1)
	r.expect("written 1 0")
	r.start(nvimbridge.StartOptions{Token: token, ClientsCreated: 6})
	r.expect("ready")
	broadcast(2)
	r.expect("written 2 0")
	client := r.connect(token)
	r.expect("opened 7")
	broadcast(3)
	r.expect("written 3 1")
	r.on(func(h host) {
		got := h.Status()
		got.UptimeMS = 0
		if len(got.Clients) == 1 && got.LastUpgrade != nil {
			got.Clients[0].ConnectedMS, got.Clients[0].PongMS, got.LastUpgrade.AgoMS = 0, 0, 0
		}
		want := nvimbridge.Status{
			Running: true, Port: r.d.port, ClientCount: 1, Clients: []nvimbridge.ClientStatus{{ID: 7, State: "connected"}},
			LastUpgrade: &nvimbridge.UpgradeStatus{Client: 7, Accepted: true}, Called: map[string]int{},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	r.expect("closed 7 ")
}

func TestDaemon_ReportsAToolThatClientsWouldChokeOn(t *testing.T) {
	t.Parallel()
	r := runDaemon(t)
	r.on(func(h host) { h.Catalogue([]mcp.Tool{{Name: "no spaces allowed"}}) })
	r.expect(`warn the tool "no spaces allowed" was left out`)
}

func TestDaemon_KeepsTheLockFileAndItsFoldersUntilItLeaves(t *testing.T) {
	t.Parallel()
	r := runDaemon(t)
	dir, folder := filepath.Join(t.TempDir(), "ide"), t.TempDir()
	r.start(nvimbridge.StartOptions{Lock: true, LockDir: dir, WorkspaceFolders: []string{t.TempDir()}})
	r.expect("ready lock=true")
	lock, err := claude.Find(dir, "")
	if err != nil || lock.PID != os.Getpid() {
		t.Fatalf("lock %v, %v", lock, err)
	}
	r.on(func(h host) { h.WorkspaceFolders([]string{folder}) })
	updated := eventually(patience, func() bool {
		lock, err := claude.Find(dir, folder)
		return err == nil && len(lock.WorkspaceFolders) == 1
	})
	if !updated {
		t.Error("the folders stay as they were")
	}
	r.on(func(h host) { h.Stop() })
	if err := <-r.end; err != nil {
		t.Error(err)
	}
	r.end <- nil
	if _, err := os.Stat(lock.Path); !os.IsNotExist(err) {
		t.Errorf("the lock file is still there: %v", err)
	}
}

func TestDaemon_FailsOnTheCommandLineIfItsEditorEndsTooEarly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		started func(nvimbridge.Listening, error)
		fails   bool
	}{
		"serve": {func(nvimbridge.Listening, error) {}, true},
		"embed": {nil, false},
	} {
		r := runDaemon(t)
		r.on(func(h host) {
			h.d.started = test.started
			h.Gone(io.EOF)
		})
		err := <-r.end
		if (err != nil) != test.fails {
			t.Errorf("%s: %v", name, err)
		}
		r.end <- nil
	}
}

func TestDaemon_DoesNotWaitForAClientThatDoesNotReadOnceItsEditorIsGone(t *testing.T) {
	t.Parallel()
	r := runDaemon(t)
	r.start(nvimbridge.StartOptions{Token: token})
	r.expect("ready")
	conn, err := claude.DialConn(t.Context(), r.d.port, token)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	backlog := func() (queued int) {
		r.on(func(h host) { queued = h.d.server.Clients()[0].Queued })
		return queued
	}
	for backlog() == 0 {
		for range 100 {
			if err := conn.WriteMessage([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Timers of one loop fire in the order in which they are due, however late. A server that
	// waits for its clients' last frames takes longer than this one.
	waits := make(chan bool, 1)
	r.on(func(h host) {
		h.Gone(io.EOF)
		h.d.loop.AfterFunc(20*farewell, func() { waits <- h.d.loop.Post(func() {}) })
	})
	if err := <-r.end; err != nil {
		t.Error(err)
	}
	r.end <- nil
	select {
	case stays := <-waits:
		if stays {
			t.Error("the loop goes on")
		}
	default: // it ended before
	}
}

func TestLimit_SparesToolsThatSetTheirOwnAndThoseOfTheIDE(t *testing.T) {
	t.Parallel()
	tools := []mcp.Tool{{}, {Timeout: time.Second}, {Timeout: -1}, {IDE: true}}
	limit(tools, time.Minute)
	var got []time.Duration
	for _, tool := range tools {
		got = append(got, tool.Timeout)
	}
	if diff := cmp.Diff([]time.Duration{time.Minute, time.Second, -1, 0}, got); diff != "" {
		t.Error(diff)
	}
}
