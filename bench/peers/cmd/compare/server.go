// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ours is the program under test; the others are named as their binaries are.
const ours = "claudecoded"

// token is what clients present; only ours checks it.
const token = "a token for benchmarks"

// arguments start ours without an editor.
var arguments = map[string][]string{ours: noEditor, profiled: noEditor}

var noEditor = []string{"serve", "--editor", "memory", "--no-lock", "--log-level", "error", "--max-clients", "1024"}

// server is a running server, in a process of its own.
type server struct {
	name    string
	cmd     *exec.Cmd
	port    int
	started time.Duration // from exec to the line that names the port
}

// pin keeps the load on other cores than the servers, where there are two.
func (b *bench) pin() error {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return fmt.Errorf("asking for the cores: %w", err)
	}
	if b.cores = all.Count(); b.cores < 2 {
		return nil
	}
	b.serving, b.loading = new(unix.CPUSet), all
	for core := range len(all) * 64 {
		if all.IsSet(core) {
			b.serving.Set(core)
			b.loading.Clear(core)
			break
		}
	}
	return b.each(&b.loading)
}

// each sets the cores of every thread of this process.
func (b *bench) each(set *unix.CPUSet) error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		var id int
		if _, err := fmt.Sscan(thread.Name(), &id); err != nil {
			return err
		}
		// A thread that ended meanwhile needs none.
		if err := unix.SchedSetaffinity(id, set); err != nil && err != unix.ESRCH {
			return fmt.Errorf("setting the cores: %w", err)
		}
	}
	return nil
}

// placed runs a function that starts a process, which is on the servers' core from its
// first instruction on.
func (b *bench) placed(start func() error) error {
	if b.serving == nil {
		return start()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.SchedSetaffinity(0, b.serving); err != nil {
		return fmt.Errorf("setting the core: %w", err)
	}
	err := start()
	return errors.Join(err, unix.SchedSetaffinity(0, &b.loading))
}

// start starts a server and waits for the line that names its port.
func (b *bench) start(ctx context.Context, name string, env ...string) (*server, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, name), arguments[name]...)
	cmd.Env = append(append(os.Environ(), "MCP_AUTH_TOKEN="+token, "GOMAXPROCS=1"), env...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := b.placed(cmd.Start); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	s := &server{name: name, cmd: cmd}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	s.started = time.Since(began)
	if _, scanned := fmt.Sscanf(line, "MCP server listening on port %d\n", &s.port); scanned != nil {
		s.stop()
		return nil, fmt.Errorf("%s printed %q: %w", name, line, err)
	}
	return s, nil
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// farewell is how long a server may take to end.
const farewell = 5 * time.Second

// stop ends the server; how it takes that is not what is measured.
func (s *server) stop() {
	killed := time.AfterFunc(farewell, func() { _ = s.cmd.Process.Kill() })
	defer killed.Stop()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}
