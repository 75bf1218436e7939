// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package supervise tests that a daemon which dies is started again where its clients
// look for it, and that nothing is left of one that is not.
package supervise

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// editor is a Neovim whose daemon is launched by a script, which counts that.
type editor struct {
	*stage.Editor
	t *testing.T
	// broken, if there is such a file, makes the daemon end before it is ready; held, if there
	// is, keeps it from the start.
	broken, held, launches string
}

const script = `#!/bin/sh
[ "$1" = embed ] && echo >>'%[1]s'
while [ -e '%[4]s' ]; do sleep 0.05; done
if [ -e '%[2]s' ]; then
  echo 'out of cheese' >&2
  exit 3
fi
exec '%[3]s' "$@"
`

// open starts a Neovim whose supervisor has other times, as a Lua table's inside.
func open(t *testing.T, nvim, times string, setup map[string]any) *editor {
	t.Helper()
	dir := nvimtest.Dir(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	e := &editor{t: t, broken: in("broken"), held: in("held"), launches: in("launches")}
	run := filepath.Join(dir, "run")
	text := fmt.Sprintf(script, e.launches, e.broken, stage.Binary, e.held)
	if err := nvimtest.WriteProgram(run, text); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"daemon": map[string]any{"cmd": run}}
	for key, value := range setup {
		all[key] = value
	}
	e.Editor = stage.Open(t, stage.Options{Nvim: nvim, Setup: all})
	e.Lua(nil, `
		local times = require("claudecode.supervisor").times
		for key, value in pairs({ `+times+` }) do
			times[key] = value
		end
	`)
	return e
}

// serve starts the server and connects a client; what is told from now on is unasked.
func (e *editor) serve() (claude.Lock, *claude.Client) {
	e.t.Helper()
	lock, client := e.Serve()
	e.eventually("the editor knows the client", `require("claudecode").is_claude_connected()`)
	e.Told("ClaudeCodeStatus", "is running") // and with it all that was said before
	e.Command("messages clear")
	return lock, client
}

// value is what a Lua expression evaluates to.
func value[T any](e *editor, expression string) T {
	e.t.Helper()
	var result T
	e.Lua(&result, "return "+expression)
	return result
}

func (e *editor) eventually(what, expression string) {
	e.t.Helper()
	nvimtest.Eventually(e.t, what, func() bool { return value[bool](e, "("+expression+") == true") })
}

// daemon is the process id of the daemon that is ready, else 0.
func (e *editor) daemon() int {
	e.t.Helper()
	var pid int
	e.Lua(&pid, `
		local daemon = require("claudecode.daemon").current()
		return daemon and daemon.ready and daemon.ready.pid or 0
	`)
	return pid
}

// kill ends the daemon and waits until the editor knows.
func (e *editor) kill(signal syscall.Signal) {
	e.t.Helper()
	pid := e.daemon()
	if err := syscall.Kill(pid, signal); err != nil {
		e.t.Fatal(err)
	}
	nvimtest.Eventually(e.t, "the editor knows that the daemon died", func() bool { return e.daemon() != pid })
}

// restarted waits for the next daemon.
func (e *editor) restarted() {
	e.t.Helper()
	nvimtest.Eventually(e.t, "a daemon is ready", func() bool { return e.daemon() != 0 })
}

// launched is how often a daemon was launched.
func (e *editor) launched() int {
	e.t.Helper()
	text, err := os.ReadFile(e.launches)
	if err != nil && !os.IsNotExist(err) {
		e.t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// told is what the plugin told the user since the last :messages clear.
func (e *editor) told() (lines []string) {
	e.t.Helper()
	for line := range strings.Lines(e.Messages()) {
		if strings.Contains(line, "[ClaudeCode]") {
			lines = append(lines, line)
		}
	}
	return lines
}

// heard checks what the user was told, once it is told.
func (e *editor) heard(want string) {
	e.t.Helper()
	nvimtest.Eventually(e.t, "the user is told "+want, func() bool { return strings.Contains(e.Messages(), want) })
	if lines := e.told(); len(lines) != 1 {
		e.t.Errorf("told %q", lines)
	}
}

// quiet checks that the user was told nothing.
func (e *editor) quiet() {
	e.t.Helper()
	if lines := e.told(); len(lines) != 0 {
		e.t.Errorf("told %q", lines)
	}
}

// usurp kills the daemon and takes its port before the next one can, until release is called.
func (e *editor) usurp(port int) (release func()) {
	e.t.Helper()
	write(e.t, e.held)
	e.kill(syscall.SIGKILL)
	release = occupy(e.t, port)
	remove(e.t, e.held)
	return release
}

// occupy takes a port, as soon as it is free, until the returned function is called.
func occupy(t *testing.T, port int) (release func()) {
	t.Helper()
	var listener net.Listener
	nvimtest.Eventually(t, "the port is free", func() bool {
		var err error
		listener, err = net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		return err == nil
	})
	t.Cleanup(func() { _ = listener.Close() })
	return func() { _ = listener.Close() }
}
