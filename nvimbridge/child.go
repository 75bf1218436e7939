// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// childGrace is how long a Neovim that this process started may take to leave
// once its channel closed, before it is killed.
const childGrace = 2 * time.Second

// Command says how to start a Neovim.
type Command struct {
	// Path is the program, by default nvim.
	Path string
	// Args follow --embed --headless.
	Args []string
	// Env is the environment; nil is this process's.
	Env []string
	// Dir is the working folder; empty is this process's.
	Dir string
	// Stderr gets what Neovim prints; nil discards it.
	Stderr io.Writer
}

// Headless starts a Neovim without a user interface. Close ends it.
func Headless(cfg Config, command Command) (*Bridge, error) {
	if command.Path == "" {
		command.Path = "nvim"
	}
	cmd := exec.Command(command.Path, append([]string{"--embed", "--headless"}, command.Args...)...)
	cmd.Env, cmd.Dir, cmd.Stderr = command.Env, command.Dir, command.Stderr
	ours, theirs, err := pipes()
	if err != nil {
		return nil, fmt.Errorf("starting neovim: %w", err)
	}
	cmd.Stdin, cmd.Stdout = theirs.r, theirs.w
	cmd.WaitDelay = childGrace // a grandchild may hold on to stderr
	tie(cmd)
	c := &child{exited: make(chan struct{})}
	started := make(chan error)
	go c.run(cmd, started)
	err = <-started
	theirs.close()
	if err != nil {
		ours.close()
		return nil, fmt.Errorf("starting neovim: %w", err)
	}
	return newBridge(cfg, ours.r, ours.w, c), nil
}

// child is a Neovim that this process started.
type child struct {
	process *os.Process
	exited  chan struct{}
}

// run starts the child and waits for its end, on a thread of its own: a child that
// is tied to its parent is tied to the thread that started it.
func (c *child) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer close(c.exited)
	err := cmd.Start()
	c.process = cmd.Process
	if started <- err; err == nil {
		_ = cmd.Wait()
	}
}

// end waits for the child, whose channel was closed, and kills it if it stays.
func (c *child) end() {
	select {
	case <-c.exited:
	case <-time.After(childGrace):
		_ = c.process.Kill()
		<-c.exited
	}
}

// ends are one side of a pair of pipes.
type ends struct{ r, w *os.File }

func (e ends) close() {
	_ = e.r.Close()
	_ = e.w.Close()
}

func pipes() (ours, theirs ends, err error) {
	if theirs.r, ours.w, err = os.Pipe(); err != nil {
		return ours, theirs, err
	}
	if ours.r, theirs.w, err = os.Pipe(); err != nil {
		_ = theirs.r.Close()
		_ = ours.w.Close()
	}
	return ours, theirs, err
}
