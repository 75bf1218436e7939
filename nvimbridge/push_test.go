// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"claudecoded/nvimbridge/turns"
)

// unread connects a bridge to a Neovim that does not read yet: Q is stuck with a
// first push, log info stuck.
func unread(t *testing.T) (*fakeHost, net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	h, cfg := newHost(t)
	h.serve(t, newBridge(cfg, ours, ours, nil))
	t.Cleanup(func() { _ = theirs.Close() })
	h.loop.do(func() { h.bridge.Log("info", "stuck") })
	return h, theirs
}

func TestPush_ManyClientsThatComeAndGoUnreadTakeNoRoom(t *testing.T) {
	t.Parallel()
	h, conn := unread(t)
	h.loop.do(func() {
		b := h.bridge
		b.ClientOpened(1)
		for client := uint64(2); client < 2*maxPushes; client++ {
			b.ClientOpened(client)
			b.ClientClosed(client, 1006, "gone")
		}
		b.ClientClosed(1, 1001, "bye")
		b.ClientOpened(9999)
		b.ClientClosed(7777, 1001, "told before")
		if len(b.queue) != maxPushes+2 {
			t.Errorf("%d pushes wait", len(b.queue))
		}
	})
	e := newEditor(t, conn)
	e.pushed(t, "log info stuck")
	e.pushed(t, "client_opened 1")
	for client := 2; client <= maxPushes/2; client++ {
		e.pushed(t, fmt.Sprintf("client_opened %d", client))
		e.pushed(t, fmt.Sprintf("client_closed %d 1006 gone", client))
	}
	for _, want := range []string{"client_closed 1 1001 bye", "client_opened 9999", "client_closed 7777 1001 told before"} {
		e.pushed(t, want)
	}
}

func TestPush_DropsOnlyWhatNeovimCanDoWithoutAtTheLimit(t *testing.T) {
	t.Parallel()
	h, conn := unread(t)
	h.loop.do(func() {
		for id := range int64(maxPushes + 1) {
			h.bridge.Written(id, 1)
		}
		h.bridge.Log("warn", "secret")
		h.bridge.ClientOpened(1)
		h.bridge.Failed("why", "")
		if len(h.bridge.queue) != maxPushes+2 {
			t.Errorf("%d pushes wait", len(h.bridge.queue))
		}
	})
	if log := h.log.String(); strings.Contains(log, "secret") || strings.Count(log, "dropped a push") != 2 {
		t.Errorf("log %q", log)
	}
	e := newEditor(t, conn)
	e.pushed(t, "log info stuck")
	for id := range maxPushes {
		e.pushed(t, fmt.Sprintf("written %d 1", id))
	}
	e.pushed(t, "client_opened 1")
	e.pushed(t, fmt.Sprintf("failed map[message:why protocol:%d]", Protocol))
}

func TestPush_DropsNoAnswerAndTellsOnlyTheNewsOfTurns(t *testing.T) {
	t.Parallel()
	h, conn := unread(t)
	h.loop.do(func() {
		h.bridge.TurnsChanged(turns.News{Turn: 1, Files: 1})
		for id := range int64(maxPushes) {
			h.bridge.Written(id, 1)
		}
		h.bridge.answer("put", 7, keys{"error": "x"})
		for n := range int64(10) {
			h.bridge.TurnsChanged(turns.News{Turn: n, Files: 1, Revisions: []turns.Revision{{Turn: n, Number: 5}}})
		}
		if len(h.bridge.queue) != maxPushes+1 {
			t.Errorf("%d pushes wait", len(h.bridge.queue))
		}
	})
	e := newEditor(t, conn)
	e.pushed(t, "log info stuck")
	e.pushed(t, "turns_changed map[files:1 revisions:[map[revision:5 turn:9]] turn:9]")
	for id := range maxPushes - 1 {
		e.pushed(t, fmt.Sprintf("written %d 1", id))
	}
	e.pushed(t, "put 7 map[error:x]")
}

func TestCall_WaitsWhileNeovimDoesNotRead(t *testing.T) {
	t.Parallel()
	h, conn := unread(t)
	h.call(named(1, "cancelled"))
	h.call(named(2, "second"))
	h.loop.do(func() { h.bridge.Cancel(1) })
	e := newEditor(t, conn)
	e.pushed(t, "log info stuck")
	e.next(t, "second")
	waits(t, h, e, 0)
}
