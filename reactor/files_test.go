// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"net"
	"os"
	"testing"
)

func TestListen_UnboundPortsAreClosedAgain(t *testing.T) {
	eachLoop(t, func(t *testing.T, newLoop func(Options) (Loop, error)) {
		l, _ := start(t, newLoop)
		port := listen(t, l, newEchoer)
		before := openFiles(t)
		on(t, l, func() {
			for range 400 {
				if _, err := l.Listen(PortRange{port, port}, newEchoer); err == nil {
					t.Error("the port was bound twice")
				}
			}
		})
		if after := openFiles(t); after > before+200 {
			t.Errorf("%d descriptors before, %d after", before, after)
		}
	})
}

// TestRun_ClosesEveryDescriptorAtTheEnd does not run beside other tests: it counts.
func TestRun_ClosesEveryDescriptorAtTheEnd(t *testing.T) {
	for name, newLoop := range implementations {
		t.Run(name, func(t *testing.T) {
			before := 0
			for round := range 5 {
				l, err := newLoop(Options{})
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan error)
				go func() { ended <- l.Run() }()
				var peers []net.Conn
				for range 3 {
					port := listen(t, l, newEchoer)
					for range 3 {
						peers = append(peers, dial(t, port))
					}
				}
				for _, c := range peers {
					if !echoes(c) {
						t.Error("no echo")
					}
				}
				on(t, l, func() {
					if _, err := l.WatchExit(os.Getpid(), func() {}); err != nil {
						t.Error(err)
					}
				})
				l.Stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				for _, c := range peers {
					_ = c.Close()
				}
				if round == 0 { // the runtime keeps some of its own
					before = openFiles(t)
				}
			}
			if after := openFiles(t); after > before {
				t.Errorf("%d descriptors after one loop, %d after five", before, after)
			}
		})
	}
}

// openFiles counts the process's descriptors where the system lists them; other
// tests open some at the same time.
func openFiles(t *testing.T) int {
	t.Helper()
	names, _ := os.ReadDir("/dev/fd")
	return len(names)
}
