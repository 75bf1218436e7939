// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build unix

package reactor

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	shedLimit = 64
	shedDials = 200
)

func init() {
	for name, newLoop := range implementations {
		children["shed "+name] = func() { shedChild(newLoop) }
	}
}

// shedChild is an echo server with few descriptors. It prints its port, and its
// log to stderr, and ends with its stdin.
func shedChild(newLoop func(Options) (Loop, error)) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: shedLimit, Max: shedLimit}))
	l, err := newLoop(Options{Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	must(err)
	ln, err := l.Listen(PortRange{}, newEchoer)
	must(err)
	_, err = fmt.Fprintln(os.Stdout, ln.Port())
	must(err)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		l.Stop()
	}()
	must(l.Run())
}

func TestAccept_WithoutDescriptorsShedsRecoversAndLogsOnce(t *testing.T) {
	t.Parallel()
	for name := range implementations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"=shed "+name)
			cmd.Stderr = &log
			stdin, _ := cmd.StdinPipe()
			stdout, _ := cmd.StdoutPipe()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var port int
			if _, err := fmt.Fscan(bufio.NewReader(stdout), &port); err != nil {
				t.Fatal(err)
			}

			var served []net.Conn
			dials := make([]net.Conn, shedDials)
			for i := range dials {
				dials[i] = dial(t, port)
			}
			for _, c := range dials {
				if echoes(c) {
					served = append(served, c)
				}
			}
			if len(served) < shedLimit/2 || len(served) >= shedLimit {
				t.Errorf("%d of %d connections served with %d descriptors", len(served), shedDials, shedLimit)
			}
			for _, c := range served[:len(served)/2] {
				_ = c.Close()
			}
			for _, c := range served[len(served)/2:] {
				if !echoes(c) {
					t.Fatal("an old connection was lost")
				}
			}
			// The server needs a moment to see that the others closed.
			recovered := false
			for start := time.Now(); !recovered && time.Since(start) < patience; {
				recovered = echoes(dial(t, port))
			}
			if !recovered {
				t.Error("newcomers are refused although descriptors are free again")
			}

			_ = stdin.Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "out of file descriptors") {
				t.Errorf("log:\n%s", &log)
			}
		})
	}
}
