// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// statusWait is how long a status request waits for the loop.
const statusWait = time.Second

var errLoopBusy = errors.New("the daemon is busy")

// action is what a message asks for; it runs on the loop goroutine.
type action func(b *Bridge)

// notifications are the messages of PROTOCOL.md's first table. Each reads its
// argument, off the loop, into an action; one may come with an error.
var notifications = map[string]func(m *message) (action, error){
	"catalogue":         readCatalogue,
	"start":             readStart,
	"stop":              func(*message) (action, error) { return func(b *Bridge) { b.host.Stop() }, nil },
	"broadcast":         readBroadcast,
	"send":              readSend,
	"respond":           readRespond,
	"report":            readReport,
	"tool_done":         readToolDone,
	"tool_progress":     readToolProgress,
	"tool_waiting":      readToolWaiting,
	"workspace_folders": readWorkspaceFolders,
	"lock":              readLock,
	"policy":            readPolicy,
	"permission":        readPermission,
	"revoke":            readRevoke,
	"activity":          readActivity,
	"review":            readReview,
	"turns":             readTurns,
	"turn":              readTurn,
	"nvim_error_event": func(*message) (action, error) {
		return nil, errors.New("neovim reports an error in a push") // the rest may quote content
	},
}

// register installs the handlers. They take any number of arguments of any type:
// the library ends the whole session over an argument that does not convert, and
// a pointer keeps nil from panicking in it.
func (b *Bridge) register() {
	handlers := map[string]any{"status": b.status, "end": b.end.reached}
	for name, read := range notifications {
		handlers[name] = func(args ...*message) {
			m := first(args)
			do, err := read(m)
			b.receive(name, m.bytes(), do, err)
		}
	}
	for name, read := range exactly {
		handlers[name] = func(args ...*exact) {
			m := first(args)
			table, err := m.table()
			var do action
			if err == nil {
				do, err = read(table)
			}
			b.receive(name, m.bytes(), do, err)
		}
	}
	for name, handler := range handlers {
		if err := b.ep.Register(name, handler); err != nil {
			panic("nvimbridge: " + err.Error())
		}
	}
}

// first is what a message says: its one argument, nil for none.
func first[T any](args []*T) *T {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// receive has what a message of a size asks for done on the loop goroutine.
func (b *Bridge) receive(name string, size int, do action, err error) {
	if err != nil {
		b.cfg.Log.Warn("a message from neovim was ignored", "message", name, "reason", err.Error())
	}
	if do == nil {
		return
	}
	b.gate.add(size)
	run := func() {
		b.gate.drop(size)
		if b.err == nil {
			b.heard(false)
			do(b)
		}
	}
	if !b.post(run) {
		b.gate.drop(size)
	}
}

// status serves the one request. It has a goroutine of its own.
func (b *Bridge) status(...*message) (*Status, error) {
	answer := make(chan Status, 1)
	b.post(func() { answer <- b.host.Status() })
	select {
	case s := <-answer:
		return b.complete(s), nil
	case <-time.After(statusWait):
		return nil, errLoopBusy
	case <-b.quit:
		return nil, ErrClosed
	}
}

// complete adds what the host need not know. A nil list or map would cross as vim.NIL.
func (b *Bridge) complete(s Status) *Status {
	s.Version, s.Protocol, s.PID = b.cfg.Version, Protocol, os.Getpid()
	s.Clients, s.Guests, s.Connections = list(s.Clients), list(s.Guests), list(s.Connections)
	for i := range s.Clients {
		s.Clients[i].Calls = list(s.Clients[i].Calls)
	}
	for i := range s.Guests {
		s.Guests[i].Calls = list(s.Guests[i].Calls)
	}
	if s.LeftOut == nil {
		s.LeftOut = map[string]string{}
	}
	if s.Called == nil {
		s.Called = map[string]int{}
	}
	return &s
}

// readReport reads the question of a Neovim that cannot wait for a request's answer.
func readReport(m *message) (action, error) {
	var id int64
	if err := m.require(want{"id", &id}); err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.tell("report", id, b.complete(b.host.Status())) }, nil
}

func readBroadcast(m *message) (action, error) {
	var id int64
	if err := m.require(want{"id", &id}); err != nil {
		return nil, err
	}
	method, params, err := readNotification(m)
	if err != nil {
		return func(b *Bridge) { b.Written(id, 0) }, err
	}
	return func(b *Bridge) { b.host.Broadcast(id, method, params) }, nil
}

func readSend(m *message) (action, error) {
	var client uint64
	if err := m.require(want{"client", &client}); err != nil {
		return nil, err
	}
	method, params, err := readNotification(m)
	if err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.host.Send(client, method, params) }, nil
}

func readRespond(m *message) (action, error) {
	var client uint64
	if err := m.require(want{"client", &client}); err != nil {
		return nil, err
	}
	id := []byte("null")
	if m.has("id") {
		f := m.fields["id"]
		if f.err != nil {
			return nil, f.err
		}
		id = f.json()
	}
	return func(b *Bridge) { b.host.Respond(client, id, m.outcome()) }, nil
}

// readNotification reads a JSON-RPC notification for clients. Absent params are
// an empty object. Neovim may encode what is not JSON, such as NaN.
func readNotification(m *message) (method string, params []byte, err error) {
	text := "{}"
	if err := m.require(want{"method", &method}); err != nil {
		return "", nil, err
	}
	if err := m.read(want{"params", &text}); err != nil {
		return "", nil, err
	}
	params = []byte(text)
	if !json.Valid(params) {
		return "", nil, errors.New("params is not JSON text")
	}
	return method, params, nil
}

func readToolDone(m *message) (action, error) {
	var token uint64
	if err := m.require(want{"token", &token}); err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.finish(token, m.outcome()) }, nil
}

func readToolProgress(m *message) (action, error) {
	var token uint64
	var progress, total float64
	var text string
	if err := m.require(want{"token", &token}, want{"progress", &progress}); err != nil {
		return nil, err
	}
	if err := m.read(want{"total", &total}, want{"message", &text}); err != nil {
		return nil, err
	}
	return func(b *Bridge) {
		if b.calls.unfinished[token] != nil {
			b.host.Progress(token, progress, total, text)
		}
	}, nil
}

func readToolWaiting(m *message) (action, error) {
	var token uint64
	var reason string
	if err := m.require(want{"token", &token}, want{"reason", &reason}); err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.host.Waiting(token, reason) }, nil
}

func readWorkspaceFolders(m *message) (action, error) {
	var folders []string
	if err := m.require(want{"folders", &folders}); err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.host.WorkspaceFolders(folders) }, nil
}

func readLock(m *message) (action, error) {
	var on bool
	if err := m.require(want{"on", &on}); err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.host.Lock(on) }, nil
}

// require is read for keys that must be there.
func (m *message) require(wants ...want) error {
	if err := m.read(wants...); err != nil {
		return err
	}
	for _, w := range wants {
		if !m.has(w.key) {
			return fmt.Errorf("%s is missing", w.key)
		}
	}
	return nil
}
