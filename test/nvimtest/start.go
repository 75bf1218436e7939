// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimtest

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"
)

// exitGrace is how long a child may take to leave after its channel closed.
const exitGrace = 3 * time.Second

// Options say how to start a Neovim child.
type Options struct {
	// Nvim is the binary, one of Versions.
	Nvim string
	// Args follow those of Plugin and --embed.
	Args []string
	// Env replaces Env(t).
	Env []string
	// Dir is the working folder; empty means the child's HOME.
	Dir string
	// UI attaches a user interface of 80x24, without which Neovim never stops at
	// a prompt. Otherwise the child runs with --headless.
	UI bool
}

// Start runs a Neovim child with the repository on its runtime path and returns
// the channel to it. The child ends with the test.
func Start(t testing.TB, o Options) *nvim.Nvim {
	t.Helper()
	if o.Env == nil {
		o.Env = Env(t)
	}
	if o.Dir == "" {
		o.Dir = Lookup(o.Env, "HOME")
	}
	args := append(Plugin(t), "--embed")
	if !o.UI {
		args = append(args, "--headless")
	}
	cmd := exec.Command(o.Nvim, append(args, o.Args...)...)
	cmd.Env, cmd.Dir = o.Env, o.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, toChild := pipe(t)
	fromChild, out := pipe(t)
	cmd.Stdin, cmd.Stdout = in, out
	exited, err := run(cmd)
	if err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	_ = out.Close()

	v, err := nvim.New(fromChild, toChild, both{toChild, fromChild}, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	served.Go(func() { _ = v.Serve() })
	t.Cleanup(func() {
		_ = v.Close()
		served.Wait()
		End(cmd.Process, exited)
		if t.Failed() && stderr.Len() > 0 {
			t.Logf("stderr of %s:\n%s", o.Nvim, stderr.Bytes())
		}
	})
	if o.UI {
		if err := v.AttachUI(80, 24, map[string]any{"ext_linegrid": true}); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// Plugin is the arguments with which a Neovim has the repository on its runtime path and
// nothing of the user's.
func Plugin(t testing.TB) []string {
	t.Helper()
	root := quote(strings.ReplaceAll(Root(t), ",", `\,`))
	return []string{"--clean", "--cmd", "let &runtimepath = " + root + " .. ',' .. &runtimepath"}
}

// run starts a child that cannot outlive the test, and closes exited at its end.
func run(cmd *exec.Cmd) (exited chan struct{}, err error) {
	tie(cmd)
	exited = make(chan struct{})
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // a tied child dies with the thread that started it
		defer close(exited)
		err := cmd.Start()
		if started <- err; err == nil {
			_ = cmd.Wait()
		}
	}()
	return exited, <-started
}

// End waits until exited is closed, and kills the process if that takes too long.
func End(p *os.Process, exited <-chan struct{}) {
	select {
	case <-exited:
	case <-time.After(exitGrace):
		_ = p.Kill()
		<-exited
	}
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// quote writes s as a Vim string literal.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

type both [2]*os.File

func (b both) Close() error {
	err := b[0].Close()
	if err2 := b[1].Close(); err == nil {
		err = err2
	}
	return err
}
