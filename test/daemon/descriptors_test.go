// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"bufio"
	"net"
	"strconv"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

const (
	fewFiles = 64
	connects = 200
)

// attempt is a client that may be turned away.
type attempt struct {
	net.Conn
	in *bufio.Reader
}

func (a attempt) ask(send, want []byte) bool {
	_ = a.SetDeadline(time.Now().Add(wire.Patience))
	if _, err := a.Write(send); err != nil {
		return false
	}
	got := make([]byte, 0, len(want))
	for len(got) < len(want) {
		b, err := a.in.ReadByte()
		if err != nil {
			return false
		}
		got = append(got, b)
	}
	return string(got) == string(want)
}

func try(t *testing.T, port int) attempt {
	t.Helper()
	conn, err := net.DialTimeout("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), wire.Patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return attempt{conn, bufio.NewReader(conn)}
}

func (a attempt) upgrades() bool { return a.ask(wire.Request(rig.Token), []byte(wire.Accepted)) }

func (a attempt) isServed() bool { return a.ask(say(request(1, "ping", "")), reply(1, "{}")) }

func TestDescriptors_WhenTheyRunOutTheNewestAreShedAndItRecovers(t *testing.T) {
	t.Parallel()
	child := startChild(t, fewFiles)
	attempts := make([]attempt, connects)
	for i := range attempts {
		attempts[i] = try(t, child.port)
	}
	var served []attempt
	for _, a := range attempts {
		if a.upgrades() {
			served = append(served, a)
		}
	}
	if n := len(served); n < fewFiles/2 || n >= fewFiles {
		t.Fatalf("%d of %d clients are served with %d descriptors", n, connects, fewFiles)
	}
	if n := child.ask("clients"); n != len(served) {
		t.Errorf("%d clients are listed, %d are served", n, len(served))
	}
	leaving, staying := served[:len(served)/2], served[len(served)/2:]
	for _, a := range leaving {
		_ = a.Close()
	}
	for i, a := range staying {
		if !a.isServed() {
			t.Fatalf("client %d was lost", i)
		}
	}
	nvimtest.Eventually(t, "newcomers are served again", func() bool {
		a := try(t, child.port)
		return a.upgrades() && a.isServed()
	})
	if n := child.ask("lines out of file descriptors"); n != 1 {
		t.Errorf("the log says so %d times", n)
	}
}
