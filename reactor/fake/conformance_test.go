// Copyright (c) 2026 the claudecoded authors. MIT license.

package fake_test

import (
	"testing"
	"time"

	"claudecoded/reactor"
	"claudecoded/reactor/fake"
	"claudecoded/reactor/reactortest"
)

func TestFake_Conforms(t *testing.T) {
	t.Parallel()
	reactortest.Run(t, func(t *testing.T) reactortest.Harness { return &harness{t: t, loop: fake.New()} })
}

// harness runs the loop turn by turn on the test's goroutine.
type harness struct {
	t    *testing.T
	loop *fake.Loop
	pid  int
}

func (h *harness) Loop() reactor.Loop { return h.loop }
func (h *harness) Start()             {}
func (h *harness) Polls() bool        { return true }

func (h *harness) Do(f func()) {
	h.t.Helper()
	ran := false
	h.loop.Post(func() { f(); ran = true })
	h.Until("a posted closure", func() bool { return ran })
}

func (h *harness) Until(what string, cond func() bool) {
	h.t.Helper()
	for range 100_000 {
		if cond() {
			return
		}
		h.loop.Turn()
		h.loop.Block(time.Millisecond)
	}
	h.t.Fatalf("timed out waiting for %s", what)
}

func (h *harness) Stop() {
	h.loop.Stop()
	if err := h.loop.Run(); err != nil {
		h.t.Error(err)
	}
}

func (h *harness) Process() (pid int, kill func()) {
	h.pid++
	pid = h.pid
	return pid, func() { h.loop.Exit(pid) }
}

func (h *harness) Dial(port int) reactortest.Peer {
	p := h.loop.Dial(port)
	p.SetWindow(1 << 20)
	return peer{h, p}
}

type peer struct {
	h *harness
	*fake.Peer
}

func (p peer) Send(b []byte) { p.Peer.Send(b) }
func (p peer) Skip(n int)    { p.Peer.Read(n) }

func (p peer) Read(n int) (b []byte) {
	p.h.t.Helper()
	p.h.Until("bytes for the peer", func() bool {
		b = append(b, p.Peer.Read(n-len(b))...)
		return len(b) == n
	})
	return b
}

func (p peer) Rest() (b []byte) {
	p.h.t.Helper()
	p.h.Until("the end of the connection", func() bool {
		more := p.Peer.Read(1 << 20)
		b = append(b, more...)
		return p.Closed() && len(more) == 0
	})
	return b
}
