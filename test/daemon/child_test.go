// Copyright (c) 2026 the claudecoded authors. MIT license.

package daemon

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"claudecoded/session"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// childEnv, set to how many files it may open, makes the test binary a daemon.
const childEnv = "CLAUDECODED_TEST_FILES"

// enough is a number of files that never runs out.
const enough = 4096

// serveChild runs a daemon that answers questions on stdin until it ends.
func serveChild(files string) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	n, err := strconv.ParseUint(files, 10, 64)
	must(err)
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n}))
	d, err := rig.New(rig.Config{Session: session.Config{MaxClients: 1000}})
	must(err)
	fmt.Println(d.Port)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		question, rest, _ := strings.Cut(in.Text(), " ")
		switch question {
		case "heap": // bytes that live
			fmt.Println(heap())
		case "free": // bytes that live once the system has back what does not
			debug.FreeOSMemory()
			fmt.Println(heap())
		case "lines": // of the log with these words
			fmt.Println(len(d.Lines(rest)))
		case "clients":
			ask := make(chan int)
			d.Loop.Post(func() { ask <- len(d.Server.Clients()) })
			fmt.Println(<-ask)
		}
	}
	must(d.Stop(nil))
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// child is a daemon in a process of its own.
type child struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.Writer
	out  *bufio.Reader
	port int
}

func startChild(t *testing.T, files int) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), childEnv+"="+strconv.Itoa(files))
	c.cmd.Stderr = os.Stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(4*wire.Patience, func() { _ = c.cmd.Process.Kill() })
	t.Cleanup(func() {
		defer kill.Stop()
		_ = stdin.Close()
		if err := c.cmd.Wait(); err != nil {
			t.Errorf("the child: %v", err)
		}
	})
	c.in, c.out = stdin, bufio.NewReader(stdout)
	c.port = c.number()
	return c
}

// ask puts a question to the child.
func (c *child) ask(question string) int {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, question); err != nil {
		c.t.Fatal(err)
	}
	return c.number()
}

func (c *child) number() (n int) {
	c.t.Helper()
	if _, err := fmt.Fscanln(c.out, &n); err != nil {
		c.t.Fatalf("the child said nothing: %v", err)
	}
	return n
}
