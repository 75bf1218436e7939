// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

// goneWithin is the promise: this long after an editor died, nothing is left.
const goneWithin = 2 * time.Second

// process is a running program under test.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr *buffer
	exited chan struct{}
}

// buffer is a bytes.Buffer that may be read while it is written.
type buffer struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes.String()
}

// start runs a program in dir. It ends with the test at the latest.
func start(t *testing.T, dir string, env []string, name string, args ...string) *process {
	t.Helper()
	p := &process{t: t, stderr: &buffer{}, exited: make(chan struct{})}
	p.cmd = exec.Command(name, args...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = dir, env, p.stderr
	// A grandchild that keeps stderr open must not hold up the end.
	p.cmd.WaitDelay = time.Second
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.stdout = write, bufio.NewReader(read)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		nvimtest.End(p.cmd.Process, p.exited)
		_ = read.Close()
		if t.Failed() {
			t.Logf("stderr of %s %s:\n%s", name, strings.Join(args, " "), p.stderr)
		}
	})
	// Registered last, so it runs first: what still runs is asked to end.
	t.Cleanup(func() { _ = p.cmd.Process.Signal(syscall.SIGTERM) })
	return p
}

// wait returns the exit code, and what was still printed on stdout.
func (p *process) wait() (code int, rest string) {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(nvimtest.Patience):
		p.t.Fatalf("process %d still runs", p.cmd.Process.Pid)
	}
	text, err := io.ReadAll(p.stdout)
	if err != nil {
		p.t.Error(err)
	}
	return p.cmd.ProcessState.ExitCode(), string(text)
}

var portLine = regexp.MustCompile(`^MCP server listening on port (\d+)\n$`)

// port reads the line that names the port.
func (p *process) port() int {
	p.t.Helper()
	line, err := p.stdout.ReadString('\n')
	found := portLine.FindStringSubmatch(line)
	if found == nil {
		<-p.exited
		p.t.Fatalf("stdout began %q, %v", line, err)
	}
	port, _ := strconv.Atoi(found[1])
	return port
}

// serve runs the program's serve command.
func serve(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	return start(t, dir, env, binary, append([]string{"serve"}, args...)...)
}

func lockDir(env []string) string {
	return filepath.Join(nvimtest.Lookup(env, "HOME"), ".claude", "ide")
}

// find waits for the one lock file.
func find(t *testing.T, env []string) claude.Lock {
	t.Helper()
	var lock claude.Lock
	nvimtest.Eventually(t, "there is a lock file", func() bool {
		var err error
		lock, err = claude.Find(lockDir(env), "")
		if err != nil && !errors.Is(err, claude.ErrNoServer) {
			t.Fatal(err)
		}
		return err == nil
	})
	return lock
}

// connect connects a client to the server of a lock file and introduces it.
func connect(t *testing.T, lock claude.Lock) *claude.Client {
	t.Helper()
	client, err := claude.Dial(within(t), lock.Port, lock.AuthToken, claude.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if _, _, err := client.Start(within(t)); err != nil {
		t.Fatal(err)
	}
	return client
}

// running tells a process that runs from one that ended, reaped or not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true
	}
	_, fields, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(fields, "Z")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

func listening(port int) bool {
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// expectGone checks that a daemon left in time, and left nothing behind.
func expectGone(t *testing.T, since time.Time, pid int, lock claude.Lock, client *claude.Client) {
	t.Helper()
	for what, gone := range map[string]func() bool{
		"the daemon": func() bool { return !running(pid) },
		"the lock":   func() bool { return !exists(lock.Path) },
		"the port":   func() bool { return !listening(lock.Port) },
	} {
		nvimtest.Eventually(t, what+" is gone", gone)
	}
	if took := time.Since(since); took > goneWithin {
		t.Errorf("it took %v", took)
	}
	expectShutDown(t, client)
}

// expectShutDown checks that the server said goodbye.
func expectShutDown(t *testing.T, client *claude.Client) {
	t.Helper()
	select {
	case <-client.Ended():
	case <-time.After(nvimtest.Patience):
		t.Fatal("the client is still connected")
	}
	var closed *claude.CloseError
	if !errors.As(client.Err(), &closed) || closed.Code != 1001 {
		t.Errorf("the connection ended with %v, not a Close frame of code 1001", client.Err())
	}
}
