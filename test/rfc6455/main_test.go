// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package rfc6455 holds the echo server of the program against RFC 6455, in the classes
// that public test suites have. What a client sends and every byte it must get back are
// written out; the server is the real binary.
package rfc6455

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"claudecoded/test/wire"
)

// token is what clients present, port where the server listens.
const token = "the-token-of-this-suite"

var port int

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "rfc6455")
	if err != nil {
		panic(err)
	}
	server, err := start(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := end(server); err != nil {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			fmt.Fprintf(os.Stderr, "the echo server ended with %v\n%s", err, log)
			code = 1
		}
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// start builds and runs the echo server, with the race detector, and learns its port.
func start(dir string) (*exec.Cmd, error) {
	binary := filepath.Join(dir, "claudecoded")
	build := exec.Command("go", "run", "-race", "-exec", "cp", "claudecoded/cmd/claudecoded", binary)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	// No ping of the server comes between the bytes that are compared.
	server := exec.Command(binary, "echo", "--port", "0", "--token", token, "--ping-interval", "1h")
	server.Stdout, server.Stderr = write, log
	err = server.Start()
	_ = write.Close()
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fscanf(bufio.NewReader(read), "echo server listening on port %d\n", &port); err != nil {
		_ = server.Process.Kill()
		return nil, fmt.Errorf("the echo server did not name its port: %w", err)
	}
	return server, nil
}

// end asks the server to leave. Nothing that its clients did may have shown in its exit.
func end(server *exec.Cmd) error {
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	kill := time.AfterFunc(wire.Patience, func() { _ = server.Process.Kill() })
	defer kill.Stop()
	return server.Wait()
}

func open(t *testing.T) *wire.Conn {
	t.Helper()
	return wire.Open(t, port, token)
}

// exchange is what a client sends, and all the server answers to it.
type exchange struct {
	name string
	send []byte
	want []byte
	ends bool // the server closes the socket then; else the connection still works
}

// refused is an exchange that breaks a rule after before was answered with answers.
func refused(name string, code int, send []byte, answers ...[]byte) exchange {
	return exchange{name, send, append(wire.Joined(answers...), wire.Failure(code)...), true}
}

// run tries each exchange twice: in one write, and a byte at a time, which must change
// nothing. It ends at the first that fails: each waits for what does not come.
func run(t *testing.T, cases []exchange) {
	t.Helper()
	for _, x := range cases {
		t.Run(x.name, func(t *testing.T) {
			c := open(t)
			c.Send(x.send)
			x.check(c)
			if len(x.send) > 1<<10 {
				return
			}
			c = open(t)
			c.Loose = x.ends // it may be refused before all was written
			c.SendIn(1, x.send)
			x.check(c)
		})
		if t.Failed() {
			return
		}
	}
}

func (x exchange) check(c *wire.Conn) {
	c.Expect(x.want)
	if x.ends {
		c.ExpectEnd()
		return
	}
	c.ExpectAlive()
	c.Leave()
}
