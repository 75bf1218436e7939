// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build suite

// Package sdk runs clients made of the SDKs of MCP, TypeScript's in both majors and Go's,
// against the daemon of a real Neovim: over every transport that they have, and in both eras
// of the protocol. All of them do the same and must find the same.
package sdk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// limit is more than a client takes.
const limit = 2 * time.Minute

func TestMain(m *testing.M) { stage.Main(m) }

// found is what every client prints, with the revision that was agreed on where the SDK
// tells.
const found = `server: claudecode-neovim
revision: %s
tools: nvim_test_wait,nvim_test_add
text: ` + text + `
image: image/png, 70 bytes
audio: audio/wav, 46 bytes
resource: test://embedded-resource
link: file:///a%%20b.txt
structured: 9007199254740991 ä list [1,2] map {}
sum: 5
failed: result, Error: This tool intentionally returns an error for testing
bad arguments: result
unknown tool: code -32602
own code: code -32021
progress: from 0, rises true
waits: true
cancelled: given up, true
changed: true
closed: true
`

// text is what one of the tools answers.
const text = "This is a simple text response for testing."

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// sdks are the ways to speak to a server: an SDK, a transport and an era, and the revision
// that they agree on.
var sdks = []struct{ sdk, transport, era, revision string }{
	{"v1", "http", "legacy", legacy},
	{"v1", "sse", "legacy", legacy},
	{"v2", "http", "legacy", legacy},
	{"v2", "http", "modern", modern},
	{"v2", "sse", "legacy", legacy},
	{"go", "http", "legacy", legacy},
	{"go", "http", "modern", modern},
	{"go", "sse", "modern", legacy}, // asks for what this transport has not
	{"v1", "stdio", "legacy", legacy},
	{"v2", "stdio", "legacy", legacy},
	{"v2", "stdio", "modern", modern},
	{"go", "stdio", "legacy", legacy},
	{"go", "stdio", "modern", modern},
}

func TestSDKs_FindWhatTheToolsSay(t *testing.T) {
	programs := build(t)
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e, lock := stage.ServeSuite(t, nvim)
		for _, c := range sdks {
			t.Run(c.sdk+"/"+c.transport+"/"+c.era, func(t *testing.T) {
				command := append(slices.Clone(programs[c.sdk]), c.transport, c.era,
					stage.Binary, "stdio", "--port", strconv.Itoa(lock.Port))
				got := run(t, lock, e.Env, command)
				if diff := cmp.Diff(fmt.Sprintf(found, c.revision), got); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
}

// run runs a client to its end and returns what it printed.
func run(t *testing.T, lock claude.Lock, env, command []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := client(ctx, lock, env, command)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Errorf("%v: %s", err, exit.Stderr)
		} else {
			t.Error(err)
		}
	}
	return string(out)
}

// client is a client's process, which ends with ctx.
func client(ctx context.Context, lock claude.Lock, env, command []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(slices.Clone(env), fmt.Sprintf("SDK_URL=http://127.0.0.1:%d", lock.Port), "SDK_TOKEN="+lock.AuthToken)
	cmd.WaitDelay = time.Second
	return cmd
}

// build is the command of each client. The one in JavaScript is where its packages are.
func build(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	program, err := os.ReadFile("client.mjs")
	script := filepath.Join(dir, "client.mjs")
	err = errors.Join(err, os.WriteFile(script, program, 0o600),
		os.Symlink(stage.Packages(t, "sdk"), filepath.Join(dir, "node_modules")))
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "client")
	compile := exec.Command("go", "build", "-o", binary, ".")
	compile.Dir = "go"
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	node := stage.Node(t)
	return map[string][]string{"v1": {node, script, "v1"}, "v2": {node, script, "v2"}, "go": {binary}}
}
