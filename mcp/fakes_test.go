// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"
)

// world is a server between a client side and an editor that only write down
// what they are told, and a clock that moves by hand.
type world struct {
	t      testing.TB
	server *Server
	clock  manualClock
	log    bytes.Buffer

	// lines is everything that left the server, in order.
	lines []string
	sent  map[uint64][][]byte
	given []gift
	// gone are the clients that the sink no longer reaches.
	gone map[uint64]bool
	open []Call
	// responses are those to HTTP requests, by the name given to each.
	responses map[string]*fakeHTTP
	// then is what the next of them does when it is complete.
	then func()
	// onCall, if set, replaces remembering the call.
	onCall func(Call)
}

// gift is a payload that was given away, and what it was then.
type gift struct {
	kept []byte
	was  string
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, sent: make(map[uint64][][]byte), gone: make(map[uint64]bool), responses: make(map[string]*fakeHTTP)}
	w.clock.now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	w.server = New(Config{
		Sink: w, Editor: w, Clock: &w.clock, Version: "1.2.3",
		Log: slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	w.server.sessions.newID = func() string { return fmt.Sprint("session-", w.server.sessions.count) }
	t.Cleanup(func() {
		for _, g := range w.given {
			if string(g.kept) != g.was {
				t.Error("a payload was changed after it was given away")
			}
		}
	})
	return w
}

// ideWorld is a world with the tools and one client, number 1.
func ideWorld(t testing.TB, tools ...Tool) *world {
	w := newWorld(t)
	w.server.SetCatalogue(tools)
	w.server.Open(1)
	return w
}

func ideTool(name string) Tool {
	return Tool{Name: name, InputSchema: []byte(`{"type":"object"}`), IDE: true}
}

// say sends a message in a buffer that is overwritten afterwards, as a
// transport's is, and returns what client 1 was sent meanwhile.
func (w *world) say(text string) string {
	before := len(w.sent[1])
	buf := []byte(text)
	w.server.Message(1, buf)
	for i := range buf {
		buf[i] = '#'
	}
	return w.since(before)
}

func (w *world) since(before int) string {
	return string(bytes.Join(w.sent[1][before:], []byte("\n")))
}

// callTool is say for a tools/call without surprises.
func (w *world) callTool(id, tool, arguments string) Call {
	w.t.Helper()
	w.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
	if len(w.open) == 0 || w.open[len(w.open)-1].Tool != tool {
		w.t.Fatalf("%s was not called", tool)
	}
	return w.open[len(w.open)-1]
}

// finish ends a call as the editor does and returns what client 1 was sent.
func (w *world) finish(token uint64, out Outcome) string {
	before := len(w.sent[1])
	w.forget(token)
	w.server.Finish(token, out)
	return w.since(before)
}

func (w *world) note(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *world) Send(client uint64, payload []byte) bool {
	return w.take(client, bytes.Clone(payload))
}

func (w *world) Give(client uint64, payload []byte) bool {
	w.given = append(w.given, gift{payload, string(payload)})
	return w.take(client, payload)
}

func (w *world) take(client uint64, payload []byte) bool {
	if w.gone[client] {
		return false
	}
	if !json.Valid(payload) {
		w.t.Errorf("not JSON: %.300q", payload)
	}
	w.sent[client] = append(w.sent[client], payload)
	w.note("%d< %s", client, payload)
	return true
}

func (w *world) Broadcast(payload []byte, written func(n int)) bool {
	w.note("*< %s", payload)
	w.given = append(w.given, gift{payload, string(payload)})
	n := len(w.server.clients)
	if n > 0 && written != nil {
		written(n)
	}
	return n > 0
}

func (w *world) BroadcastLatest(payload []byte, written func(n int)) bool {
	w.note("result: the latest wins")
	return w.Broadcast(payload, written)
}

func (w *world) Call(c Call) {
	if w.onCall != nil {
		w.onCall(c)
		return
	}
	deadline := "none"
	if !c.Deadline.IsZero() {
		deadline = c.Deadline.Sub(w.clock.now).String()
	}
	ui := ""
	if c.UI {
		ui = " ui"
	}
	w.open = append(w.open, c)
	w.note("editor: call %s %s from %s deadline %s%s", c.Tool, c.Args, c.Client, deadline, ui)
}

func (w *world) Cancel(token uint64) {
	w.note("editor: cancel %s", w.forget(token).Tool)
}

func (w *world) forget(token uint64) (c Call) {
	if i := slices.IndexFunc(w.open, func(c Call) bool { return c.Token == token }); i >= 0 {
		c = w.open[i]
		w.open = slices.Delete(w.open, i, i+1)
	}
	return c
}

// manualClock runs a timer when advance passes it.
type manualClock struct {
	now    time.Time
	timers []*manualTimer
}

type manualTimer struct {
	at time.Time
	f  func()
}

func (c *manualClock) Now() time.Time { return c.now }

func (c *manualClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := &manualTimer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() {
		c.timers = slices.DeleteFunc(c.timers, func(other *manualTimer) bool { return other == t })
	}
}

func (c *manualClock) advance(d time.Duration) {
	c.now = c.now.Add(d)
	for _, t := range slices.Clone(c.timers) {
		if slices.Contains(c.timers, t) && !t.at.After(c.now) {
			c.timers = slices.DeleteFunc(c.timers, func(other *manualTimer) bool { return other == t })
			t.f()
		}
	}
}
