// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// listen starts a server of the test's. It returns the port, and how many connections are open.
func listen(t *testing.T, handler http.HandlerFunc) (int, *atomic.Int32) {
	t.Helper()
	var open atomic.Int32
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateHijacked, http.StateClosed:
			open.Add(-1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().(*net.TCPAddr).Port, &open
}

// serveSession starts a server that begins a session and takes what has no answer. Of other
// messages those are left to handle that have a part.
func serveSession(t *testing.T, part string, handle func(w http.ResponseWriter)) int {
	t.Helper()
	port, _ := listen(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "s")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26"}}`)
		case strings.Contains(string(body), part):
			handle(w)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	})
	return port
}
