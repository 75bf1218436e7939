// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package facade_test tests the Lua interfaces that other plugins call: the server, its
// mock, the tools and the registry, in a real Neovim and over the WebSocket of the real
// daemon.
package facade_test

import (
	"encoding/json"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// peer is an editor that serves, and a client that reads message by message.
type peer struct {
	*stage.Editor
	t    *testing.T
	lock claude.Lock
	conn *claude.Conn
	// name is client_<n>.
	name string
}

// serve starts the server and connects the client. Lua code that runs before goes first.
func serve(t *testing.T, nvim, before string) *peer {
	t.Helper()
	p := &peer{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
	p.Lua(nil, before)
	p.Command("ClaudeCodeStart")
	p.lock = stage.Find(t, p.Env)
	conn, err := claude.DialConn(stage.Within(t), p.lock.Port, p.lock.AuthToken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	p.conn = conn
	p.eventually(`require("claudecode.server").get_status().client_count == 1`)
	p.name = value[string](p.Editor, `return require("claudecode.server").get_status().clients[1].id`)
	return p
}

// value runs Lua code that returns a T.
func value[T any](e *stage.Editor, code string, args ...any) (result T) {
	e.Lua(&result, code, args...)
	return result
}

// inspect runs Lua code and shows what it returns on one line.
func inspect(e *stage.Editor, code string, args ...any) string {
	return value[string](e, `return (vim.inspect((function(...) `+code+` end)(...)):gsub("%s+", " "))`, args...)
}

func (p *peer) eventually(condition string, args ...any) {
	p.t.Helper()
	nvimtest.Eventually(p.t, condition, func() bool { return value[bool](p.Editor, "return ("+condition+") == true", args...) })
}

// send sends a message over the socket.
func (p *peer) send(message string) {
	p.t.Helper()
	if err := p.conn.WriteMessage([]byte(message)); err != nil {
		p.t.Fatal(err)
	}
}

// handle gives a message to Lua as if the client had sent it.
func (p *peer) handle(message string) {
	p.t.Helper()
	p.Lua(nil, `require("claudecode.server")._handle_message(...)`, p.name, message)
}

// read returns the next message, in one spelling. Catalogues that changed are not told.
func (p *peer) read() string {
	p.t.Helper()
	for {
		message, err := p.conn.ReadMessage()
		if err != nil {
			p.t.Fatal(err)
		}
		if text := spelled(p.t, string(message)); !strings.Contains(text, "list_changed") {
			return text
		}
	}
}

// spelled sorts the names of JSON text.
func spelled(t *testing.T, text string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %.200q", err, text)
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// call is a tools/call of the tool t.
func call(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"t","arguments":{}}}`
}
