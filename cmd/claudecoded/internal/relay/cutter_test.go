// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"io"
	"net"
	"strconv"
	"sync"
	"testing"
)

// cutter stands between the relay and a daemon, until it cuts every connection.
type cutter struct {
	port     int
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
	wg       sync.WaitGroup
}

func newCutter(t *testing.T, port int) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{port: listener.Addr().(*net.TCPAddr).Port, listener: listener}
	c.wg.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err != nil {
				_ = from.Close()
				continue
			}
			c.mu.Lock()
			c.conns = append(c.conns, from, to)
			c.mu.Unlock()
			c.wg.Go(func() { _, _ = io.Copy(to, from) })
			c.wg.Go(func() { _, _ = io.Copy(from, to) })
		}
	})
	t.Cleanup(c.cut)
	return c
}

// cut ends all connections, and there are no new ones.
func (c *cutter) cut() {
	_ = c.listener.Close()
	c.mu.Lock()
	for _, conn := range c.conns {
		_ = conn.Close()
	}
	c.mu.Unlock()
	c.wg.Wait()
}
