// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/stage"
)

// A Neovim that closed the daemon's pipes still runs. Go ends a program by a signal when
// its stderr is such a pipe, unless told otherwise.
func TestServe_OutlivesTheReaderOfItsStderr(t *testing.T) {
	t.Parallel()
	const token = "a token for this test"
	cmd := exec.Command(stage.Binary, "serve", "--editor", "memory", "--no-lock", "--log-level", "debug")
	cmd.Env = append(stage.Environment(t), "MCP_AUTH_TOKEN="+token)
	unread, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = unread.Close()
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	_ = stderr.Close()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	var port int
	if _, scanned := fmt.Sscanf(line, "MCP server listening on port %d\n", &port); err != nil || scanned != nil {
		t.Fatalf("the program printed %q, %v", line, err)
	}
	for range 3 { // each is logged
		client, err := claude.Dial(stage.Within(t), port, token, claude.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := client.Start(stage.Within(t)); err != nil {
			t.Error(err)
		}
		_ = client.Close()
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
}
