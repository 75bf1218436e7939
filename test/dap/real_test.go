// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build dap

package dap

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

//go:embed held.lua
var heldLua string

//go:embed testdata/program.txt
var source string

// delveVar names the environment variable with a delve that is not the one of make deps.
const delveVar = "CLAUDECODED_DLV"

// maxHeld is for how long a tool may keep the editor from its user, by processor time.
const maxHeld = 10 * time.Millisecond

// sdk is a client made of the Go SDK of MCP.
type sdk struct {
	t     testing.TB
	in    io.WriteCloser
	out   *bufio.Reader
	leave func() // closes the session, once
}

// build compiles a Go program of a folder.
func build(t *testing.T, folder string, flags ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	cmd := exec.CommandContext(t.Context(), "go", append(append([]string{"build"}, flags...), "-o", binary, ".")...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

func connect(t *testing.T, binary string, e *stage.Editor) *sdk {
	t.Helper()
	lock := stage.Find(t, e.Env)
	cmd := exec.Command(binary, "http", "legacy")
	cmd.Env = append(e.Env, fmt.Sprintf("SDK_URL=http://127.0.0.1:%d", lock.Port), "SDK_TOKEN="+lock.AuthToken, "SDK_CALLS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	leave := sync.OnceFunc(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(leave)
	return &sdk{t: t, in: in, out: bufio.NewReader(out), leave: leave}
}

// openDelve opens an editor with a server and delve, in which everything is allowed, and builds the program in
// its project.
func openDelve(t *testing.T, nvim string) (e *editor, program string) {
	t.Helper()
	dir, delve := os.Getenv(PluginVar), filepath.Join(nvimtest.Root(t), ".cache", "bin", "dlv")
	if dir == "" {
		t.Fatalf("%s must be the folder of nvim-dap", PluginVar)
	}
	if path := os.Getenv(delveVar); path != "" {
		delve = path
	}
	e = open(t, nvim)
	e.Lua(nil, `
		require("mcp-tools.config").options.permissions = { ["*"] = "allow" }
		require("dap").adapters.go = {
			type = "server", port = "${port}",
			executable = { command = ..., args = { "dap", "--check-go-version=false", "-l", "127.0.0.1:${port}" } },
		}
	`, delve)
	e.Command("ClaudeCodeStart")
	e.Write("main.go", source)
	e.Write("go.mod", "module example\n\ngo 1.24\n")
	return e, build(t, e.Project, "-gcflags=-N -l")
}

// launch is a configuration that runs a program in delve, with more keys.
func launch(program string, more args) args {
	a := args{"type": "go", "request": "launch", "mode": "exec", "program": program, "outputMode": "remote", "rebuild": false}
	for name, value := range more {
		a[name] = value
	}
	return a
}

// call calls a tool, whose text has all parts, or whose error if wrong.
func (s *sdk) call(wrong bool, tool string, a args, parts ...string) string {
	s.t.Helper()
	if a == nil {
		a = args{}
	}
	if err := json.NewEncoder(s.in).Encode(args{"tool": "dap_" + tool, "arguments": a}); err != nil {
		s.t.Fatal(err)
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	var r struct{ Text, Error string }
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		s.t.Fatal(err)
	}
	text := r.Text
	if wrong {
		text = r.Error
	} else if r.Error != "" {
		s.t.Fatalf("%s %v: %s", tool, a, r.Error)
	}
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.t.Errorf("%s %v: no %q in %s", tool, a, part, text)
		}
	}
	return text
}

func (s *sdk) want(tool string, a args, parts ...string) string {
	s.t.Helper()
	return s.call(false, tool, a, parts...)
}

// lineOf is the number of the line of the program that contains a text.
func lineOf(t testing.TB, text string) int {
	t.Helper()
	before, _, ok := strings.Cut(source, text)
	if !ok {
		t.Fatalf("no %q in the program", text)
	}
	return strings.Count(before, "\n") + 1
}

// TestDelve_IsDrivenWhileItsUserTypes goes the whole way with a real adapter and nvim-dap.
func TestDelve_IsDrivenWhileItsUserTypes(t *testing.T) {
	client := build(t, "../sdk/go")
	// One after the other: what one measures, another must not slow down.
	for _, nvim := range nvimtest.Versions(t) {
		t.Run(filepath.Base(filepath.Dir(filepath.Dir(nvim))), func(t *testing.T) {
			e, program := openDelve(t, nvim)
			e.Lua(nil, `held = load(...)()`, heldLua)
			s := connect(t, client, e.Editor)
			stop, typed := make(chan struct{}), make(chan string, 1)
			var ended sync.Once
			enough := func() { ended.Do(func() { close(stop) }) }
			defer enough()
			e.keys("o")
			e.eventually(`vim.fn.mode() == "i"`)
			go func() {
				var text strings.Builder
				tick := time.NewTicker(5 * time.Millisecond)
				defer tick.Stop()
				for i := 0; ; i++ {
					select {
					case <-stop:
						typed <- text.String()
						return
					case <-tick.C:
						key := string(rune('a' + i%26))
						if _, err := e.Input(key); err != nil {
							t.Error(err)
						}
						text.WriteString(key)
					}
				}
			}()
			s.debug(e, func(more args) args { return launch(program, more) })
			enough()
			keys := <-typed
			e.eventually(`table.concat(vim.fn.getbufline("notes.txt", 2, "$")) == ...`, keys)
			if got := eval[string](e, `vim.fn.expand("%:t")`); got != "notes.txt" {
				t.Errorf("the user is in %s", got)
			}
			t.Logf("%d keys typed, none lost", len(keys))
		})
	}
}

// debug debugs the program as a model would, and measures after each call.
func (s *sdk) debug(e *editor, launch func(args) args) {
	s.t.Helper()
	var worst, worstLoop time.Duration
	var all []time.Duration
	held := func(what string) {
		s.t.Helper()
		var ms [2]float64
		e.Lua(&ms, `return held.longest()`)
		ours, loop := time.Duration(ms[1]*1e6), time.Duration(ms[0]*1e6)
		worst, worstLoop, all = max(worst, ours), max(worstLoop, loop), append(all, ours)
		s.t.Logf("%-20s ours %8v, the loop as a whole %8v", what, ours, loop)
	}
	want := func(tool string, a args, parts ...string) string {
		s.t.Helper()
		text := s.want(tool, a, parts...)
		held(tool)
		return text
	}
	in := func(line int, more args) args {
		a := args{"filename": "main.go", "line": line}
		for name, value := range more {
			a[name] = value
		}
		return a
	}
	inSum, callsSum, panics := lineOf(s.t, "// in sum"), lineOf(s.t, "// calls sum"), lineOf(s.t, "// panics")
	want("status", nil, `"active":false`)
	e.Lua(nil, `held.listeners()`)
	want("set_breakpoint", in(inSum, args{"condition": "i == 2"}))
	want("set_breakpoint", in(callsSum, nil))
	want("breakpoints", nil, `"condition":"i == 2"`)
	want("run", launch(args{"name": "delve", "wait_until_paused": true}), fmt.Sprintf("main.go:%d in main.main", callsSum))
	want("threads", nil, "[Go 1] main.main")
	stack := want("stacktrace", args{"levels": 5}, "runtime.main")
	var frames struct {
		Frames []struct{ ID int } `json:"stack_frames"`
	}
	if err := json.Unmarshal([]byte(stack), &frames); err != nil {
		s.t.Fatal(err)
	}
	scopes := want("scopes", args{"frame_id": frames.Frames[0].ID}, "Locals")
	var locals []struct {
		Reference int `json:"variablesReference"`
	}
	if err := json.Unmarshal([]byte(scopes), &locals); err != nil {
		s.t.Fatal(err)
	}
	want("variables", args{"variables_reference": locals[0].Reference}, "main.point {X: 4, Y: 2}")
	want("evaluate", args{"expression": "p.X * 2"}, `"8"`)
	s.call(true, "evaluate", args{"expression": "nothing"}, "Evaluation failed: Unable to evaluate expression: could not find symbol value for nothing")
	want("step_into", args{"wait_until_paused": true}, "in main.sum")
	want("continue", args{"wait_until_paused": true}, fmt.Sprintf("main.go:%d in main.sum", inSum))
	want("evaluate", args{"expression": "total"}, `"1"`)
	want("set_variable", args{"name": "total", "value": "40"}, `"40"`)
	want("current_location", nil, `total += i`)
	want("step_over", args{"wait_until_paused": true}, "main.sum")
	want("step_out", args{"wait_until_paused": true}, "main.main")
	want("disassemble", args{"instruction_count": 5}, "address")
	want("run_to", in(callsSum+1, args{"wait_until_paused": true}), fmt.Sprintf("main.go:%d in main.main", callsSum+1))
	want("evaluate", args{"expression": "p.Y"}, `"42"`)
	want("clear_breakpoints", nil)
	want("continue", args{"wait_until_paused": true}, `"reason":"exception"`, "nil pointer dereference")
	want("stacktrace", nil, fmt.Sprintf(`"line":%d`, panics), "main.main")
	want("program_output", args{"category": "stdout", "lines": 3}, "many others 2999")
	s.call(true, "continue", args{"wait_until_paused": true}, "Debug session ended while waiting")
	held("continue to the end")
	want("program_output", args{"lines": 1000}, "many others 2999", "ended")
	// Another one that runs until it is paused, and is ended.
	want("run", launch(args{"name": "waits", "args": []string{"wait"}}))
	s.call(true, "wait_until_paused", args{"timeout_ms": 300}, "Timeout after 300ms")
	want("pause", args{"wait_until_paused": true}, "paused due to: pause")
	want("restart", nil)
	want("terminate", nil, "terminated")
	want("status", nil, `"active":false`)
	if worst > maxHeld {
		s.t.Errorf("the tools held the editor for %v", worst)
	}
	slices.Sort(all)
	s.t.Logf("ours: median %v, worst %v of %d calls; worst of the loop as a whole, with nvim-dap and the typing, %v",
		all[len(all)/2], worst, len(all), worstLoop)
}
