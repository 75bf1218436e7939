// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactortest

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"claudecoded/reactor"
)

// patience is how long the suite waits for anything.
const patience = time.Minute

// peerBuffer keeps the system from growing a peer's buffer for ever.
const peerBuffer = 256 << 10

// helperEnv makes the test binary a process that lives until its stdin ends.
const helperEnv = "REACTORTEST_PROCESS"

// real is the Harness of a loop over sockets.
type real struct {
	t     *testing.T
	loop  reactor.Loop
	ended chan error // nil until Start
	polls bool
}

func newReal(t *testing.T, newLoop func(reactor.Options) (reactor.Loop, error), polls bool) *real {
	loop, err := newLoop(reactor.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := &real{t: t, loop: loop, polls: polls}
	t.Cleanup(func() {
		if h.ended == nil {
			h.Start()
		}
		h.Stop()
	})
	return h
}

func (h *real) Loop() reactor.Loop { return h.loop }
func (h *real) Polls() bool        { return h.polls }

func (h *real) Start() {
	h.ended = make(chan error, 1)
	go func() {
		err := h.loop.Run()
		h.ended <- err
		close(h.ended)
	}()
}

func (h *real) Stop() {
	h.loop.Stop()
	select {
	case err := <-h.ended:
		if err != nil {
			h.t.Errorf("Run returned %v", err)
		}
	case <-time.After(patience):
		panic("the loop did not end")
	}
}

func (h *real) Do(f func()) {
	h.t.Helper()
	done := make(chan struct{})
	if !h.loop.Post(func() { defer close(done); f() }) {
		h.t.Fatal("the loop has stopped")
	}
	select {
	case <-done:
	case <-time.After(patience):
		h.t.Fatal("the loop is stuck")
	}
}

func (h *real) Until(what string, cond func() bool) {
	h.t.Helper()
	deadline := time.Now().Add(patience)
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		met := false
		h.Do(func() { met = cond() })
		if met {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatal("timed out waiting for ", what)
		}
		<-time.After(pause)
	}
}

func (h *real) Dial(port int) Peer {
	h.t.Helper()
	c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		h.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(patience))
	_ = c.(*net.TCPConn).SetReadBuffer(peerBuffer)
	h.t.Cleanup(func() { _ = c.Close() })
	return &realPeer{h.t, c.(*net.TCPConn)}
}

func (h *real) Process() (pid int, kill func()) {
	h.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=1")
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	kill = func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	}
	h.t.Cleanup(kill)
	return cmd.Process.Pid, kill
}

type realPeer struct {
	t *testing.T
	c *net.TCPConn
}

func (p *realPeer) Send(b []byte) {
	if _, err := p.c.Write(b); err != nil {
		p.t.Error(err)
	}
}

func (p *realPeer) Read(n int) []byte {
	p.t.Helper()
	b := make([]byte, n)
	if n, err := io.ReadFull(p.c, b); err != nil {
		p.t.Fatalf("peer: %v after %d of %d bytes", err, n, len(b))
	}
	return b
}

func (p *realPeer) Skip(n int) {
	_ = p.c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	_, _ = io.CopyN(io.Discard, p.c, int64(n))
	_ = p.c.SetReadDeadline(time.Now().Add(patience))
}

func (p *realPeer) Rest() []byte {
	b, err := io.ReadAll(p.c)
	if os.IsTimeout(err) {
		p.t.Error("peer: the connection did not end")
	}
	return b
}

func (p *realPeer) CloseWrite() { _ = p.c.CloseWrite() }

func (p *realPeer) Reset() {
	_ = p.c.SetLinger(0)
	_ = p.c.Close()
}
