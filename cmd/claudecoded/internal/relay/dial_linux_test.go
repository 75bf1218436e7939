// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// A server that does not come to accept anybody, and whose queue is full.
func TestLink_WaitsForAConnectionSoLong(t *testing.T) {
	t.Parallel()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port := name.(*syscall.SockaddrInet4).Port
	for failures := 0; failures < 3; { // it is full, and not only slow
		conn, err := net.DialTimeout("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 200*time.Millisecond)
		if err != nil {
			failures++
			continue
		}
		failures = 0
		t.Cleanup(func() { _ = conn.Close() })
	}
	l, began := newLink(t.Context(), Endpoint{Port: port}), time.Now()
	err = l.open(t.Context(), nil)
	if took := time.Since(began); !errors.Is(err, errNotServed) || took < dialTimeout || took >= openTimeout {
		t.Errorf("%v after %v", err, took)
	}
}
