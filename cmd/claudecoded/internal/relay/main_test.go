// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errNowhere = errors.New("no Neovim with claudecoded runs for /here; start Neovim there and run :ClaudeCodeStart")

// session is a client and its relay.
type session struct {
	t       *testing.T
	in      *io.PipeWriter
	lines   chan string
	ended   chan error
	changed chan struct{}
	at      atomic.Pointer[Endpoint] // nil: there is no editor
}

// start runs a relay, to the daemon if that is not nil.
func start(t *testing.T, d *rig.Daemon) *session {
	t.Helper()
	in, toRelay := io.Pipe()
	fromRelay, out := io.Pipe()
	s := &session{
		t: t, in: toRelay, lines: make(chan string, 4096),
		ended: make(chan error, 1), changed: make(chan struct{}, 1),
	}
	s.move(d)
	find := func(int) (Endpoint, error) {
		if at := s.at.Load(); at != nil {
			return *at, nil
		}
		return Endpoint{}, errNowhere
	}
	go func() {
		s.ended <- Run(context.Background(), in, out, Config{
			Find: find, Changed: s.changed, Version: "1", Log: slog.New(slog.DiscardHandler),
		})
		_ = out.Close()
	}()
	go func() {
		defer close(s.lines)
		r := bufio.NewReader(fromRelay)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			s.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() { s.end() })
	return s
}

// move lets the relay find another daemon, or none, without telling it.
func (s *session) move(d *rig.Daemon) {
	if d == nil {
		s.at.Store(nil)
		return
	}
	s.at.Store(&Endpoint{Port: d.Port, Token: rig.Token, PID: 1})
}

// tell says that there may be another editor.
func (s *session) tell() { s.changed <- struct{}{} }

// end ends the client's input and waits for the relay.
func (s *session) end() {
	_ = s.in.Close()
	select {
	case err := <-s.ended:
		if s.ended <- err; err != nil {
			s.t.Errorf("the relay ended with %v", err)
		}
	case <-time.After(nvimtest.Patience):
		s.t.Error("the relay does not end")
	}
}

func (s *session) send(lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(s.in, line+"\n"); err != nil {
			s.t.Fatal(err)
		}
	}
}

// next is the next line.
func (s *session) next() string {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.t.Fatal("the relay said no more")
		}
		return line
	case <-time.After(nvimtest.Patience):
		s.t.Fatal("the relay says nothing")
	}
	return ""
}

// until reads up to a line that has all the parts.
func (s *session) until(parts ...string) string {
	s.t.Helper()
	for {
		line, missing := s.next(), false
		for _, part := range parts {
			missing = missing || !strings.Contains(line, part)
		}
		if !missing {
			return line
		}
	}
}

// silent checks that nothing else was said before the answer to a ping.
func (s *session) silent() {
	s.t.Helper()
	s.send(`{"jsonrpc":"2.0","id":"silent","method":"ping"}`)
	if line := s.next(); line != `{"jsonrpc":"2.0","id":"silent","result":{}}` {
		s.t.Errorf("unexpected: %.300s", line)
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// greet begins as a client with sessions does.
func (s *session) greet() string {
	s.t.Helper()
	s.send(hello)
	answer := s.next()
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return answer
}

func toolCall(id, name, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
}

// alone is a request of the revision without sessions.
func alone(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
}

// changed tells the message that the tools changed, of a session.
func changed(line string) bool {
	return strings.Contains(line, `"method":"notifications/tools/list_changed"`) && !strings.Contains(line, "subscriptionId")
}

// idOf is the id of an answer, as it is written.
func idOf(t *testing.T, line string) string {
	t.Helper()
	var o map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &o); err != nil {
		t.Fatalf("%v: %.300s", err, line)
	}
	return string(o["id"])
}

// openDiffs waits until so many diffs wait for the user.
func openDiffs(t *testing.T, d *rig.Daemon, n int) {
	t.Helper()
	nvimtest.Eventually(t, "the diffs are open, or closed", func() (ok bool) {
		d.Do(t, func() { ok = d.Editor.Open() == n })
		return ok
	})
}
