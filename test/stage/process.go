// Copyright (c) 2026 the claudecoded authors. MIT license.

package stage

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
)

// Process is a running program under test.
type Process struct {
	t      testing.TB
	Cmd    *exec.Cmd
	Stdout *bufio.Reader
	Stderr *Buffer
	Exited chan struct{}
}

// Buffer is a bytes.Buffer that may be read while it is written.
type Buffer struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes.String()
}

// Start runs a program in dir. It ends with the test at the latest.
func Start(t testing.TB, dir string, env []string, name string, args ...string) *Process {
	t.Helper()
	p := &Process{t: t, Stderr: &Buffer{}, Exited: make(chan struct{})}
	p.Cmd = exec.Command(name, args...)
	p.Cmd.Dir, p.Cmd.Env, p.Cmd.Stderr = dir, env, p.Stderr
	// A grandchild that keeps stderr open must not hold up the end.
	p.Cmd.WaitDelay = time.Second
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Cmd.Stdout, p.Stdout = write, bufio.NewReader(read)
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	go func() {
		_ = p.Cmd.Wait()
		close(p.Exited)
	}()
	t.Cleanup(func() {
		nvimtest.End(p.Cmd.Process, p.Exited)
		_ = read.Close()
		if t.Failed() {
			t.Logf("stderr of %s %s:\n%s", name, strings.Join(args, " "), p.Stderr)
		}
	})
	// Registered last, so it runs first: what still runs is asked to end.
	t.Cleanup(func() { _ = p.Cmd.Process.Signal(syscall.SIGTERM) })
	return p
}

// Wait returns the exit code, and what was still printed on stdout.
func (p *Process) Wait() (code int, rest string) {
	p.t.Helper()
	select {
	case <-p.Exited:
	case <-time.After(nvimtest.Patience):
		p.t.Fatalf("process %d still runs", p.Cmd.Process.Pid)
	}
	text, err := io.ReadAll(p.Stdout)
	if err != nil {
		p.t.Error(err)
	}
	return p.Cmd.ProcessState.ExitCode(), string(text)
}

var portLine = regexp.MustCompile(`^MCP server listening on port (\d+)\n$`)

// Port reads the line that names the port.
func (p *Process) Port() int {
	p.t.Helper()
	line, err := p.Stdout.ReadString('\n')
	found := portLine.FindStringSubmatch(line)
	if found == nil {
		<-p.Exited
		p.t.Fatalf("stdout began %q, %v", line, err)
	}
	port, _ := strconv.Atoi(found[1])
	return port
}

// Serve runs the program's serve command.
func Serve(t testing.TB, dir string, env []string, args ...string) *Process {
	t.Helper()
	return Start(t, dir, env, Binary, append([]string{"serve"}, args...)...)
}
