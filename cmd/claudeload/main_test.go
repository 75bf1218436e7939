// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"go.uber.org/goleak"

	"claudecoded/bench/load"
	"claudecoded/test/wire"
)

const token = "a token for the load"

var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "claudeload"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// binary is the server, built once.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "claudecoded")
	out, err := exec.Command("go", "run", "-exec", "cp", "claudecoded/cmd/claudecoded", path).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the server: %w\n%s", err, out)
	}
	return path, nil
})

// serve starts the server with its stand-in for an editor.
func serve(t *testing.T) (port, pid int) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "serve", "--editor", "memory", "--no-lock", "--log-level", "warn")
	cmd.Env, cmd.Stderr = append(os.Environ(), "MCP_AUTH_TOKEN="+token), os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if _, scanned := fmt.Sscanf(line, "MCP server listening on port %d\n", &port); scanned != nil {
		t.Fatalf("the server printed %q: %v", line, err)
	}
	return port, cmd.Process.Pid
}

// outcome is what a run printed.
type outcome struct {
	code           int
	stdout, stderr string
}

func runIt(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

func at(port int, more ...string) []string {
	return append([]string{"--url", "ws://127.0.0.1:" + strconv.Itoa(port), "--token", token, "--clients", "1",
		"--duration", "300ms"}, more...)
}

// longer runs for longer and longer while a machine that is busy left a run too little time.
func longer(t *testing.T, short func(outcome) bool, args ...string) (o outcome) {
	t.Helper()
	for _, duration := range []string{"300ms", "3s", "20s"} {
		o = runIt(t, append(slices.Clone(args), "--duration", duration)...)
		if !strings.Contains(o.stderr, "no client could connect") && !short(o) {
			break
		}
	}
	return o
}

func report(t *testing.T, o outcome) (r load.Report) {
	t.Helper()
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatalf("%v: %s%s", err, o.stdout, o.stderr)
	}
	return r
}

func TestLoad_EveryBehaviourIsAnsweredWell(t *testing.T) {
	t.Parallel()
	port, pid := serve(t)
	for _, name := range load.Names() {
		for _, rate := range []string{"0", "50"} {
			t.Run(name+"/"+rate, func(t *testing.T) {
				t.Parallel()
				unanswered := func(o outcome) bool { return o.code == 0 && name != "idle" && report(t, o).Rows[0].Answers == 0 }
				o := longer(t, unanswered, at(port, "--mix", name, "--rate", rate, "--pipeline", "3", "--stall", "10ms", "--json", "-",
					"--pid", strconv.Itoa(pid))...)
				if o.code != 0 {
					t.Fatalf("exit %d: %s%s", o.code, o.stderr, o.stdout)
				}
				row := report(t, o).Rows[0]
				if (row.Answers > 0) != (name != "idle") || row.Dropped != 0 || row.Connections == 0 {
					t.Errorf("%+v", row)
				}
			})
		}
	}
}

func TestLoad_ShowsATableAndAPlot(t *testing.T) {
	t.Parallel()
	port, pid := serve(t)
	folder := t.TempDir()
	for _, format := range formats {
		plot, saved := filepath.Join(folder, "plot"+format), filepath.Join(folder, "report.json")
		o := runIt(t, at(port, "--clients", "2", "--mix", "ping,idle", "--plot", plot, "--json", saved, "--pid", strconv.Itoa(pid))...)
		if o.code != 0 || !strings.Contains(o.stdout, "ping") || !strings.Contains(o.stdout, "answers per CPU-second") {
			t.Errorf("exit %d: %s%s", o.code, o.stderr, o.stdout)
		}
		for _, path := range []string{plot, saved} {
			if text, err := os.ReadFile(path); err != nil || len(text) == 0 {
				t.Errorf("%s: %d bytes, %v", path, len(text), err)
			}
		}
	}
}

func TestLoad_SaysWhatIsWrongWithItsUse(t *testing.T) {
	t.Parallel()
	for text, args := range map[string][]string{
		"unknown flag":               {"--nonsense"},
		`behaviour "x" is unknown`:   {"--url", "ws://127.0.0.1:1", "--mix", "x"},
		"is no ws:// or http:// URL": {"--url", "127.0.0.1:1"},
		"is not this machine":        {"--url", "ws://192.0.2.1:80"},
		"names no port":              {"--url", "ws://127.0.0.1"},
		"a plot is a file":           {"--url", "ws://127.0.0.1:1", "--plot", "x.gif"},
	} {
		if o := runIt(t, args...); o.code != exitUsage || !strings.Contains(o.stderr, text) {
			t.Errorf("%v: exit %d, %s", args, o.code, o.stderr)
		}
	}
	if o := runIt(t, "--help"); o.code != 0 || !strings.Contains(o.stdout, "churn: connects") {
		t.Errorf("--help: exit %d, %s", o.code, o.stdout)
	}
}

func TestLoad_FailsIfNobodyCouldConnect(t *testing.T) {
	t.Parallel()
	if o := runIt(t, at(wire.ClosedPort(t))...); o.code != exitFailed || !strings.Contains(o.stderr, "no client could connect") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	port, _ := serve(t)
	o := runIt(t, "--url", "ws://127.0.0.1:"+strconv.Itoa(port), "--token", "another", "--duration", "200ms")
	if o.code != exitFailed || !strings.Contains(o.stderr, "refused the upgrade") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}

// answering is a server that answers what the function says, "" for nothing.
func answering(t *testing.T, answer func(id json.RawMessage, method string) string) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); all.Wait() })
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { talk(conn, answer) })
		}
	})
	return listener.Addr().(*net.TCPAddr).Port
}

func talk(conn net.Conn, answer func(id json.RawMessage, method string) string) {
	defer conn.Close()
	upgrader := ws.Upgrader{Protocol: func([]byte) bool { return true }}
	if _, err := upgrader.Upgrade(conn); err != nil {
		return
	}
	for {
		text, err := wsutil.ReadClientText(conn)
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(text, &m) != nil || m.ID == nil {
			continue
		}
		if reply := answer(m.ID, m.Method); reply != "" && wsutil.WriteServerText(conn, []byte(reply)) != nil {
			return
		}
	}
}

// usual is what a server answers.
func usual(id json.RawMessage, method string) string {
	result := map[string]string{
		"initialize": `{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"n","version":"1"}}`,
		"tools/list": `{"tools":[]}`,
	}[method]
	if result == "" {
		result = `{}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func TestLoad_ExitsWithTheNumberOfWrongAnswers(t *testing.T) {
	t.Parallel()
	for name, wrong := range map[string]string{
		"an error":     `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`,
		"another id":   `{"jsonrpc":"2.0","id":77%s,"result":{}}`,
		"no JSON":      `%s!`,
		"a failed one": `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"isError":true}}`,
	} {
		port := answering(t, func(id json.RawMessage, method string) string {
			if method == "ping" {
				return fmt.Sprintf(wrong, id)
			}
			return usual(id, method)
		})
		for _, rate := range []string{"0", "50"} {
			o := longer(t, func(o outcome) bool { return o.code == 0 }, at(port, "--rate", rate)...)
			if o.code != exitWrong || !strings.Contains(o.stderr, "wrong answers") {
				t.Errorf("%s at %s: exit %d: %s%s", name, rate, o.code, o.stderr, o.stdout)
			}
		}
	}
}

// A server that stops for a while is charged with all that should have been sent
// meanwhile, not with one slow answer.
func TestLoad_CountsFromWhenARequestWasDue(t *testing.T) {
	t.Parallel()
	var once sync.Once
	port := answering(t, func(id json.RawMessage, method string) string {
		if method == "ping" {
			once.Do(func() { <-time.After(1500 * time.Millisecond) })
		}
		return usual(id, method)
	})
	o := runIt(t, at(port, "--rate", "100", "--duration", "2400ms", "--json", "-")...)
	row := report(t, o).Rows[0]
	// One slow answer is not half of three, which any machine has the time for.
	if row.Dropped != 0 || row.Answers < 3 || row.Measured.P50 < 100_000 {
		t.Errorf("exit %d, %d answers, half of them took %.0f µs", o.code, row.Answers, row.Measured.P50)
	}
}

func TestLoad_FindsTheNeovimOfTheWorkingDirectory(t *testing.T) {
	port, _ := serve(t)
	folder := t.TempDir()
	cwd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CLAUDE_CONFIG_DIR", folder)
	if o := runIt(t, "--duration", "100ms"); o.code != exitFailed || !strings.Contains(o.stderr, "no lock file matches") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
	lock := fmt.Sprintf(`{"pid":%d,"workspaceFolders":[%q],"ideName":"Neovim","transport":"ws","authToken":%q}`, os.Getpid(), cwd, token)
	if err := os.MkdirAll(filepath.Join(folder, "ide"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "ide", strconv.Itoa(port)+".lock"), []byte(lock), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := runIt(t, "--clients", "1", "--duration", "100ms"); o.code != 0 || !strings.Contains(o.stdout, "ping") {
		t.Errorf("exit %d: %s", o.code, o.stderr)
	}
}
