// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/neovim/go-client/msgpack/rpc"

	"claudecoded/test/stage"
)

// pipes returns the two ends of a channel: what the daemon gets, and what this test keeps.
func pipes(t *testing.T) (stdin, stdout *os.File, channel *rpc.Endpoint) {
	t.Helper()
	stdin, toDaemon, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromDaemon, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	channel, err = rpc.NewEndpoint(fromDaemon, toDaemon, toDaemon, rpc.WithLogf(func(string, ...any) {}))
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() { _ = channel.Serve() })
	t.Cleanup(func() {
		_ = channel.Close()
		_ = fromDaemon.Close()
		serving.Wait()
	})
	return stdin, stdout, channel
}

func TestEmbed_LeavesWhenItsParentDiedThoughTheChannelLives(t *testing.T) {
	t.Parallel()
	env := stage.Environment(t)
	stdin, stdout, channel := pipes(t)
	// The shell becomes the sleep, so that the daemon's parent can be ended alone.
	parent := exec.Command("sh", "-c", `"$0" embed <&3 >&4 3<&- 4>&- & echo $!; exec sleep 60`, stage.Binary)
	parent.Env, parent.ExtraFiles = env, []*os.File{stdin, stdout}
	said, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	_ = stdin.Close()
	_ = stdout.Close()
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	daemon, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	start := map[string]any{
		"protocol": 5, "pid": os.Getpid(), "workspace_folders": []string{"/"}, "lock_dir": stage.LockDir(env), "ide_name": "Neovim",
	}
	if err := channel.Notify("start", start); err != nil {
		t.Fatal(err)
	}
	lock := stage.Find(t, env)
	client := stage.Connect(t, lock)

	ended := time.Now()
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	stage.ExpectGone(t, ended, daemon, lock, client)
}

func TestEmbed_IsTheDefaultWithoutATerminal(t *testing.T) {
	t.Parallel()
	// The daemon's stdin is empty: its Neovim is gone at once.
	p := stage.Start(t, "", stage.Environment(t), stage.Binary)
	if code, out := p.Wait(); code != 0 || out != "" {
		t.Errorf("exit code %d, stdout %q", code, out)
	}
	if log := p.Stderr.String(); !strings.Contains(log, "the editor is gone") {
		t.Errorf("stderr %q", log)
	}
}

func TestVersion_NamesProgramProtocolAndGo(t *testing.T) {
	t.Parallel()
	code, out := stage.Start(t, "", stage.Environment(t), stage.Binary, "version").Wait()
	lines := strings.Split(out, "\n")
	if code != 0 || len(lines) != 4 || !strings.HasPrefix(lines[0], "claudecoded ") ||
		lines[1] != "protocol 5" || lines[2] != "go "+runtime.Version() || lines[3] != "" {
		t.Errorf("exit code %d, stdout %q", code, out)
	}
	code, out = stage.Start(t, "", stage.Environment(t), stage.Binary, "version", "--json").Wait()
	var version struct {
		Version  string
		Protocol int
		Go       string
	}
	err := json.Unmarshal([]byte(out), &version)
	if code != 0 || err != nil || version.Version == "" || version.Protocol != 5 || version.Go != runtime.Version() {
		t.Errorf("exit code %d, stdout %q", code, out)
	}
}
