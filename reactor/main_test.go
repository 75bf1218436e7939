// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long a test waits for anything.
const patience = time.Minute

// childEnv names what the test binary does instead of testing.
const childEnv = "REACTOR_TEST_CHILD"

// children are the programs that tests start.
var children = map[string]func(){
	"wait": func() { _, _ = io.Copy(io.Discard, os.Stdin) },
}

func TestMain(m *testing.M) {
	if name := os.Getenv(childEnv); name != "" {
		children[name]()
		return
	}
	goleak.VerifyTestMain(m)
}

// implementations are the loops over sockets that this system can run.
var implementations = map[string]func(Options) (Loop, error){
	"netconn": NewNetConn,
}

// eachLoop runs a test against every implementation.
func eachLoop(t *testing.T, f func(t *testing.T, newLoop func(Options) (Loop, error))) {
	t.Parallel()
	for name, newLoop := range implementations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, newLoop)
		})
	}
}

// syncBuffer is a log that may be read while it is written.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// start runs the loop until the test's end and returns its log.
func start(t testing.TB, newLoop func(Options) (Loop, error)) (Loop, *syncBuffer) {
	t.Helper()
	log := &syncBuffer{}
	l, err := newLoop(Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- l.Run() }()
	t.Cleanup(func() {
		l.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l, log
}

// on runs f on the loop goroutine and waits for it.
func on(t testing.TB, l Loop, f func()) {
	t.Helper()
	done := make(chan struct{})
	l.Post(func() { defer close(done); f() })
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the loop is stuck")
	}
}

// eventually polls cond on the loop goroutine.
func eventually(t testing.TB, l Loop, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for met := false; !met; {
		on(t, l, func() { met = cond() })
		if !met && time.Now().After(deadline) {
			t.Fatal("timed out waiting for ", what)
		}
		<-time.After(100 * time.Microsecond)
	}
}

// listen listens on any port and returns it.
func listen(t testing.TB, l Loop, accept func(Conn) Events) (port int) {
	t.Helper()
	on(t, l, func() {
		ln, err := l.Listen(PortRange{}, accept)
		if err != nil {
			t.Error(err)
			return
		}
		port = ln.Port()
	})
	return port
}

// peerBuffer keeps the system from growing a peer's buffer until it holds
// everything that a test wants to leave with the loop.
const peerBuffer = 256 << 10

func dial(t testing.TB, port int) *net.TCPConn {
	t.Helper()
	c, err := connect(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func connect(port int) (*net.TCPConn, error) {
	c, err := net.DialTCP("tcp4", nil, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	_ = c.SetReadBuffer(peerBuffer)
	return c, nil
}

// child starts a process that lives until kill.
func child(t testing.TB) (pid int, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=wait")
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	return cmd.Process.Pid, kill
}

// echoer writes back what it receives and closes at the end.
type echoer struct{ c Conn }

func newEchoer(c Conn) Events { return &echoer{c} }

func (e *echoer) Data(p []byte) { e.c.Write([][]byte{bytes.Clone(p)}, nil) }
func (e *echoer) EOF()          { e.c.Close() }
func (e *echoer) Closed(error)  {}

// mute is an Events that ignores everything.
type mute struct{}

func (mute) Data([]byte)  {}
func (mute) EOF()         {}
func (mute) Closed(error) {}

// echoes reports whether the connection answers.
func echoes(c net.Conn) bool {
	b := make([]byte, 4)
	_, werr := c.Write([]byte("ping"))
	_, rerr := io.ReadFull(c, b)
	return werr == nil && rerr == nil && string(b) == "ping"
}
