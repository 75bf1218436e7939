// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package stdio tests the program as clients meet it that start a process: the real binary
// on a pair of pipes, with real daemons in real Neovims, which come and go.
package stdio

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// client is an MCP client and the process that it started.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	stderr *stage.Buffer
	exited chan struct{}
}

// start runs the program's stdio command in a folder.
func start(t *testing.T, dir string, env []string, args ...string) *client {
	t.Helper()
	c := &client{t: t, lines: make(chan string, 1024), stderr: &stage.Buffer{}, exited: make(chan struct{})}
	c.cmd = exec.Command(stage.Binary, append([]string{"stdio"}, args...)...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = dir, env, c.stderr
	c.cmd.WaitDelay = time.Second
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.exited)
		defer close(c.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				break
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
		_ = c.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = c.in.Close()
		nvimtest.End(c.cmd.Process, c.exited)
		if t.Failed() {
			t.Logf("stderr of stdio %v:\n%s", args, c.stderr)
		}
	})
	return c
}

func (c *client) send(lines ...string) {
	c.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
}

// until reads up to a line that has all the parts.
func (c *client) until(parts ...string) string {
	c.t.Helper()
	limit := time.After(nvimtest.Patience)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("stdout ended before %v", parts)
			}
			if !json.Valid([]byte(line)) {
				c.t.Errorf("no JSON on stdout: %q", line)
			}
			missing := false
			for _, part := range parts {
				missing = missing || !strings.Contains(line, part)
			}
			if !missing {
				return line
			}
		case <-limit:
			c.t.Fatalf("no line with %v", parts)
		}
	}
}

const (
	hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listChanged = `"method":"notifications/tools/list_changed"`
)

// greet begins as clients with sessions do.
func (c *client) greet() string {
	c.t.Helper()
	c.send(hello)
	answer := c.until(`"id":0`)
	c.send(initialized)
	return answer
}

func call(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"nvim_` + tool + `","arguments":{}}}`
}

// pid asks which Neovim the client has reached, with the tool that own registers.
func (c *client) pid(id string) int {
	c.t.Helper()
	c.send(call(id, "own_pid"))
	return pidIn(c.t, c.until(`"id":`+id))
}

func pidIn(t *testing.T, line string) int {
	t.Helper()
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	var pid int
	if err := json.Unmarshal([]byte(line), &answer); err != nil || len(answer.Result.Content) == 0 ||
		json.Unmarshal([]byte(answer.Result.Content[0].Text), &pid) != nil {
		t.Fatalf("no process id: %s", line)
	}
	return pid
}

// end ends the client's input and waits for the process.
func (c *client) end() {
	c.t.Helper()
	_ = c.in.Close()
	select {
	case <-c.exited:
	case <-time.After(nvimtest.Patience):
		c.t.Fatal("the process stays")
	}
	if code := c.cmd.ProcessState.ExitCode(); code != 0 {
		c.t.Errorf("exit code %d", code)
	}
}

// editor is a Neovim that has the plugin and a tool that tells which one it is.
func editor(t *testing.T, o stage.Options) *stage.Editor {
	t.Helper()
	e := stage.Open(t, o)
	e.Lua(nil, `require("mcp-tools").register({
		name = "own_pid", description = "which Neovim this is",
		execute = function(cb) cb(vim.fn.getpid()) end,
	})`)
	return e
}

// serve starts an editor's server and waits until the program finds it.
func serve(t *testing.T, e *stage.Editor) (pid int) {
	t.Helper()
	e.Command("ClaudeCodeStart")
	e.Lua(&pid, `return vim.fn.getpid()`)
	listed(t, e.Env, pid)
	return pid
}

// entry is what list --json says of an editor.
type entry struct {
	PID     int
	Port    int
	Folders []string
	Answers bool
	State   string
}

func list(t *testing.T, env []string) (text string, editors []entry) {
	t.Helper()
	p := stage.Start(t, "", env, stage.Binary, "list", "--json")
	code, text := p.Wait()
	if err := json.Unmarshal([]byte(text), &editors); err != nil || code != 0 {
		t.Fatalf("list ended with %d and printed %q", code, text)
	}
	return text, editors
}

// listed waits until an editor is listed and answers.
func listed(t *testing.T, env []string, pid int) (found entry) {
	t.Helper()
	nvimtest.Eventually(t, "the editor is listed", func() bool {
		_, editors := list(t, env)
		for _, e := range editors {
			if found = e; e.PID == pid && e.Answers {
				return true
			}
		}
		return false
	})
	return found
}

// kill ends a process that the test may end, at once.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
