// Copyright (c) 2026 the claudecoded authors. MIT license.

package wire

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
)

func TestFreePorts_AreThoseOfOneTest(t *testing.T) {
	t.Parallel()
	taken := map[int]bool{}
	for range 50 {
		low := FreePorts(t, 2)
		for port := low; port < low+2; port++ {
			if taken[port] {
				t.Errorf("port %d is given twice", port)
			}
			taken[port] = true
			listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err != nil {
				t.Fatal(err)
			}
			_ = listener.Close()
		}
	}
}

func TestClosedPort_RefusesConnectionsAndIsNobodyElses(t *testing.T) {
	t.Parallel()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(ClosedPort(t)))
	if conn, err := net.Dial("tcp4", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, %v", conn, err)
	}
	if _, err := net.Listen("tcp4", address); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("it can be listened on: %v", err)
	}
}
