// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package daemon tests the rules of the server where they meet: loop, sessions, protocol
// and a stand-in for the editor in one process, over real sockets.
package daemon

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

func TestMain(m *testing.M) {
	if files := os.Getenv(childEnv); files != "" {
		serveChild(files)
		return
	}
	goleak.VerifyTestMain(m)
}

// request is a JSON-RPC request; empty params are none.
func request(id int, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"` + method + `"` + params + `}`
}

// call is the request of a tool.
func call(id int, tool, arguments string) string {
	return request(id, "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
}

// say is a message as a client sends it.
func say(text string) []byte { return wire.Frame(wire.Text, text) }

// reply is the answer to a request.
func reply(id int, result string) []byte {
	return wire.Plain(wire.Text, `{"jsonrpc":"2.0","id":`+strconv.Itoa(id)+`,"result":`+result+`}`)
}

// answers checks that a client is still served, and that nothing else waits for it.
func answers(c *wire.Conn) {
	c.Send(say(request(99, "ping", "")))
	c.Expect(reply(99, "{}"))
}

// notify has the daemon send every client a notification of n bytes, and returns it.
func notify(t *testing.T, d *rig.Daemon, n int, written func(int)) []byte {
	t.Helper()
	params := `{"pad":"` + string(bytes.Repeat([]byte("x"), n)) + `"}`
	d.Do(t, func() {
		if !d.Protocol.BroadcastNotification("at_mentioned", []byte(params), written) {
			t.Error("nobody took the notification")
		}
	})
	return wire.Plain(wire.Text, `{"jsonrpc":"2.0","method":"at_mentioned","params":`+params+`}`)
}

// departed checks how a client left, and that it left once.
func departed(t *testing.T, d *rig.Daemon, client uint64, code int, reason string) {
	t.Helper()
	if got, want := fmt.Sprint(d.Departures(client)), fmt.Sprint([]rig.Departure{{Code: code, Reason: reason}}); got != want {
		t.Errorf("client %d left as %s, want %s", client, got, want)
	}
}
