// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"bytes"
	"fmt"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/stage"
)

// counting registers tools that count their runs: brief has a short deadline, patient none.
const counting = `
	_G.runs = {}
	for name, timeout in pairs({ brief = 300, patient = 0 }) do
		_G.runs[name] = 0
		require("mcp-tools.registry").register({
			name = name, description = name, ide = true, timeout = timeout,
			execute = function(cb)
				_G.runs[name] = _G.runs[name] + 1
				cb("done")
			end,
		})
	end`

func TestBlocked_NoCallRunsOnceItExpiredOrNobodyWaitsForIt(t *testing.T) {
	t.Parallel()
	eachBlock(t, nil, func(t *testing.T, e *stage.Editor, b block) {
		e.Lua(nil, counting)
		lock, client := e.Serve()
		release := b.apply(t, e)

		cancelling := dial(t, lock)
		leaving := dial(t, lock)
		for id := range 2 {
			write(t, cancelling, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"patient","arguments":{}}}`, id)
		}
		write(t, leaving, `{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"patient","arguments":{}}}`)
		// Answered at its deadline: by then Neovim has had all of them for long.
		expire(t, client)
		write(t, cancelling, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		must(t, leaving.Close())
		// By then it has been told of the cancellations too.
		expire(t, client)

		release()
		expect(t, cancelling, `"id":0`)
		if _, err := client.Call(stage.Within(t), "getWorkspaceFolders", nil); err != nil {
			t.Fatal(err)
		}
		var runs struct {
			Brief   int `msgpack:"brief"`
			Patient int `msgpack:"patient"`
		}
		e.Lua(&runs, `return _G.runs`)
		if runs.Brief != 0 || runs.Patient != 1 {
			t.Errorf("%d runs of the call that expired, %d of the three of which two were cancelled", runs.Brief, runs.Patient)
		}
	})
}

// expire makes a call that ends at its deadline.
func expire(t *testing.T, client *claude.Client) {
	t.Helper()
	if _, err := client.Call(stage.Within(t), "brief", nil); err == nil {
		t.Fatal("a call was answered although the editor is blocked")
	}
}

// dial connects a client that says only what it is told to.
func dial(t *testing.T, lock claude.Lock) *claude.Conn {
	t.Helper()
	conn, err := claude.DialConn(stage.Within(t), lock.Port, lock.AuthToken)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func write(t *testing.T, conn *claude.Conn, format string, args ...any) {
	t.Helper()
	if err := conn.WriteMessage(fmt.Appendf(nil, format, args...)); err != nil {
		t.Fatal(err)
	}
}

// expect reads messages up to one with a text in it.
func expect(t *testing.T, conn *claude.Conn, text string) {
	t.Helper()
	for {
		message, err := conn.ReadMessage()
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(message, []byte(text)) {
			return
		}
	}
}
