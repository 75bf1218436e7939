// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/session"
)

const probe = "X-Claudecoded-Probe: 1\r\nUpgrade: "

func TestProbe_IsAnsweredAsAClientAndIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.loop.Connect()
	p.Send(request("Upgrade: ", probe), text("never run"))
	w.loop.Settle()
	head, rest, _ := strings.Cut(string(p.Received()), "\r\n\r\n")
	if !strings.HasPrefix(head, "HTTP/1.1 101 ") || !strings.Contains(head, "Sec-WebSocket-Protocol: mcp") {
		t.Errorf("answered %q", head)
	}
	if diff := cmp.Diff([]string{"close 1000 probe"}, frames(t, []byte(rest))); diff != "" {
		t.Error(diff)
	}
	if !p.Closed() || len(w.server.Clients()) != 0 || w.server.LastUpgrade().Number != 0 {
		t.Error("it left something")
	}
	w.want()
}

func TestProbe_IsRefusedAsAClientWouldBe(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		change []string
		want   string
	}{
		{[]string{token, "another token"}, "Invalid authentication token"},
		{nil, "Too many clients"},
	} {
		w := newWorld(t, func(c *session.Config) { c.MaxClients = 1 })
		w.connected()
		before := w.server.LastUpgrade()
		p := w.loop.Connect()
		p.Send(request(append([]string{"Upgrade: ", probe}, row.change...)...))
		w.loop.Settle()
		if got := string(p.Received()); !strings.Contains(got, row.want) {
			t.Errorf("answered %q, want %q", got, row.want)
		}
		if w.server.LastUpgrade() != before {
			t.Errorf("it is remembered: %+v", w.server.LastUpgrade())
		}
	}
}

func TestLastUpgrade_IsTheLastHandshakeThatEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.server.LastUpgrade(); got != (session.UpgradeInfo{}) {
		t.Errorf("before any: %+v", got)
	}
	want := func(number uint64, accepted bool, reason string) {
		t.Helper()
		wanted := session.UpgradeInfo{Number: number, At: w.loop.Now(), Accepted: accepted, Reason: reason}
		if got := w.server.LastUpgrade(); got != wanted {
			t.Errorf("got %+v, want %+v", got, wanted)
		}
	}
	w.connected()
	want(1, true, "")
	w.loop.Advance(time.Second)
	w.loop.Connect().Send(request(token, "another token"))
	w.loop.Settle()
	want(2, false, "Bad WebSocket upgrade request: Invalid authentication token")
	w.loop.Connect()
	w.loop.Settle()
	w.loop.Advance(10 * time.Second)
	want(3, false, "handshake timeout")
}

func TestClients_TellsWhenTheyLastAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.connected()
	connected := w.loop.Now()
	w.loop.Advance(time.Second)
	if got := w.server.Clients()[0].LastPong; !got.Equal(connected) {
		t.Errorf("before any pong: %v", got)
	}
	p.Send(frame(0x8a, "ping"))
	w.loop.Settle()
	if got := w.server.Clients()[0].LastPong; !got.Equal(connected.Add(time.Second)) {
		t.Errorf("after a pong: %v", got)
	}
}
