// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// TestDaemon_HeedsItsOptions gives the plugin options that reach the clients only through the daemon.
func TestDaemon_HeedsItsOptions(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: map[string]any{"daemon": map[string]any{
			"ping_interval_ms": pingInterval.Milliseconds(), "max_clients": 1, "allowed_hosts": []string{"proxy.example"},
		}}})
		e.Told("ClaudeCodeStart", "started on port")
		lock := stage.Find(t, e.Env)
		dialer := ws.Dialer{
			Host:   "proxy.example",
			Header: ws.HandshakeHeaderHTTP{"X-Claude-Code-Ide-Authorization": {lock.AuthToken}},
		}
		address := fmt.Sprintf("ws://127.0.0.1:%d/", lock.Port)
		conn, read, _, err := dialer.Dial(stage.Within(t), address)
		if err != nil {
			t.Fatal("allowed_hosts:", err)
		}
		defer conn.Close()
		// While it is there: it answers no ping.
		_, _, _, err = dialer.Dial(stage.Within(t), address)
		var refused ws.StatusError
		if !errors.As(err, &refused) || int(refused) != http.StatusServiceUnavailable {
			t.Error("max_clients:", err)
		}
		if err := conn.SetReadDeadline(time.Now().Add(nvimtest.Patience)); err != nil {
			t.Fatal(err)
		}
		in := io.Reader(conn)
		if read != nil { // with the answer to the upgrade
			in = read
		}
		if header, err := ws.ReadHeader(in); err != nil || header.OpCode != ws.OpPing {
			t.Errorf("ping_interval_ms: a frame of opcode %v, %v", header.OpCode, err)
		}
	})
}
