// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

// Package soak lets fifty clients do at random what clients do, well and badly, and then
// looks for what they left behind in the daemon. SOAKTIME is for how many seconds, 60 by
// default; SOAKSEED repeats the choices of a run that failed.
package soak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"claudecoded/session"
	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

const (
	clients = 50
	// interval is that of the keepalive: a client on a machine that is busy must get its
	// turn within two.
	interval = 15 * time.Second
	// broadcastEvery is the time between two broadcasts to all clients.
	broadcastEvery = 50 * time.Millisecond
	// maxKept is how much more may live on the heap afterwards, in bytes.
	maxKept = 512 << 10
)

// setting is a number from the environment.
func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func TestSoak_LeavesNothingBehind(t *testing.T) {
	lasting := time.Duration(setting(t, "SOAKTIME", 60)) * time.Second
	seed := setting(t, "SOAKSEED", rand.Uint64())
	t.Logf("SOAKSEED=%d", seed)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "file"), []byte("text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := rig.Start(t, rig.Config{Folder: folder, Session: session.Config{
		PingInterval: interval, MaxClients: 2 * clients,
	}})
	w := &world{d: d, folder: folder, acts: map[string]int{}, ended: make(chan struct{})}
	w.learn(t)
	// One round of everything, so that what is made once is there before it is counted.
	w.run(t, seed, time.Second)
	before := w.settle(t)
	w.run(t, seed+1, lasting)
	after := w.settle(t)

	t.Logf("%d messages answered, %d broadcasts, %v", w.answered.Load(), w.broadcasts.Load(), w.acts)
	if after.goroutines > before.goroutines || after.files > before.files || after.heap > before.heap+maxKept {
		t.Errorf("before: %+v, after: %+v", before, after)
	}
	t.Logf("before: %+v, after: %+v", before, after)
}

// world is what the clients share.
type world struct {
	d      *rig.Daemon
	folder string
	known  map[string]string // results that are asked for once, by request
	tally
	mu       sync.Mutex
	acts     map[string]int
	ended    chan struct{} // closed at the first fault
	fault    sync.Once
	flooding sync.Mutex // held by the one client that does
	mute     sync.Mutex // and here
}

// run lets the clients loose for a while. The first fault ends it.
func (w *world) run(t *testing.T, seed uint64, lasting time.Duration) {
	t.Helper()
	until := time.Now().Add(lasting)
	var all sync.WaitGroup
	for number := range uint64(clients) {
		all.Go(func() {
			c := &client{w: w, r: rand.New(rand.NewPCG(seed, number)), until: until}
			if err := c.live(); err != nil {
				w.fault.Do(func() {
					close(w.ended)
					t.Errorf("client %d of seed %d: %v", number, seed, err)
				})
			}
		})
	}
	stop := make(chan struct{})
	var broadcaster sync.WaitGroup
	broadcaster.Go(func() { w.broadcast(rand.New(rand.NewPCG(seed, clients)), stop) })
	all.Wait()
	close(stop)
	broadcaster.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// broadcast sends every client something now and then.
func (w *world) broadcast(r *rand.Rand, stop chan struct{}) {
	ticker := time.NewTicker(broadcastEvery)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		n := r.IntN(500)
		if r.IntN(20) == 0 {
			n = r.IntN(64 << 10)
		}
		params := fmt.Sprintf(`{"n":%d,"pad":"%s"}`, n, rig.Repeated(n))
		w.d.Loop.Post(func() {
			if w.d.Protocol.BroadcastNotification("at_mentioned", []byte(params), func(int) { w.reported.Add(1) }) {
				w.broadcasts.Add(1)
			}
		})
	}
}

// remains is what a process holds.
type remains struct{ goroutines, files, heap int }

// settle waits until everybody has gone, checks that each went once, and counts what is
// left.
func (w *world) settle(t *testing.T) (r remains) {
	t.Helper()
	d := w.d
	var created uint64
	nvimtest.Eventually(t, "nobody is connected and nothing is pending", func() (quiet bool) {
		d.Do(t, func() {
			quiet = len(d.Server.Clients()) == 0 && d.Editor.Open() == 0
			created = d.Server.ClientsCreated()
		})
		return quiet && w.reported.Load() == w.broadcasts.Load()
	})
	for id := uint64(1); id <= created; id++ {
		if ways := d.Departures(id); ways != nil && len(ways) != 1 {
			t.Errorf("client %d left as %v", id, ways)
		}
	}
	if lines := d.Lines("level=ERROR"); len(lines) > 0 {
		t.Errorf("the log says %q", lines)
	}
	d.Forget()
	nvimtest.Eventually(t, "the sockets are closed", func() bool {
		before := r
		r = count(t)
		return r.goroutines == before.goroutines && r.files == before.files
	})
	return r
}

func count(t *testing.T) remains {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first one took out of pools
	runtime.ReadMemStats(&m)
	return remains{runtime.NumGoroutine(), len(files), int(m.HeapAlloc)}
}

// learn asks once for the results that the clients compare with.
func (w *world) learn(t *testing.T) {
	t.Helper()
	c := w.d.Open(t)
	w.known = map[string]string{}
	for _, q := range []string{
		`"method":"tools/list"`,
		`"method":"initialize","params":{"protocolVersion":"2025-06-18"}`,
		`"method":"tools/call","params":{"name":"getWorkspaceFolders","arguments":{}}`,
		`"method":"tools/call","params":{"name":"getDiagnostics","arguments":{}}`,
	} {
		const id = `{"jsonrpc":"2.0","id":0,`
		c.Send(wire.Frame(wire.Text, id+q+"}"))
		_, payload := c.ReadFrame()
		if got := string(payload); len(got) < len(id)+10 || got[:len(id)] != id {
			t.Fatalf("%s is answered %.200q", q, got)
		}
		w.known[q] = string(payload)[len(id):]
	}
	c.Leave()
}
