// Copyright (c) 2026 the claudecoded authors. MIT license.

package wire

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports for tests to name: below all that the daemon chooses by itself, and below all that
// a system gives to connections, which may take any of theirs at any time.
const lowestPort, highestPort = 2000, 9999

var errNoPort = errors.New("wire: no free ports")

// FreePorts finds n ports in a row that nothing listens on, and returns the first. No other
// test is given them until this one ends: as UDP ports, which nobody else uses, they are held.
func FreePorts(t testing.TB, n int) (low int) {
	t.Helper()
	for range highestPort - lowestPort {
		low = lowestPort + rand.IntN(highestPort-lowestPort-n+2)
		if held, ok := hold(low, n); ok {
			t.Cleanup(func() { release(held) })
			return low
		}
	}
	t.Fatal(errNoPort)
	return 0
}

func hold(low, n int) (held []net.PacketConn, ok bool) {
	for port := low; port < low+n; port++ {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		reserved, err := net.ListenPacket("udp4", address)
		if err != nil {
			break
		}
		held = append(held, reserved)
		listener, err := net.Listen("tcp4", address)
		if err != nil {
			release(held)
			return nil, false
		}
		_ = listener.Close()
	}
	if len(held) < n {
		release(held)
		return nil, false
	}
	return held, true
}

func release(held []net.PacketConn) {
	for _, reserved := range held {
		_ = reserved.Close()
	}
}

// ClosedPort is a port that refuses connections until the test ends: one end of a connection
// has it, so nobody else does, and nothing listens on it.
func ClosedPort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	conn, err := net.Dial("tcp4", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().(*net.TCPAddr).Port
}
