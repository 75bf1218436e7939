// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"net"
	"strconv"
	"sync"
	"testing"
	"time"
)

// answering is the port of a server that answers whatever comes, and hangs up.
func answering(t *testing.T, answer string) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 4096))
			_, _ = conn.Write([]byte(answer))
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		served.Wait()
	})
	return listener.Addr().(*net.TCPAddr).Port
}

// dial connects to a port and sends nothing.
func dial(t *testing.T, port int) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 15*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
