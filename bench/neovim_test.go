// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

const (
	// quitPairs is how often one run of BenchmarkQuit quits with and without the plugin.
	quitPairs = 15
	// serving starts the plugin's server.
	serving = `
		require("claudecode").setup({ auto_start = false, daemon = { cmd = BINARY } })
		assert(require("claudecode").start(false))`
	// quitting says so on stderr, then does it.
	quitting = `io.stderr:write("q") vim.cmd.qa()`
	// awaitClient waits for a client.
	awaitClient = `assert(vim.wait(20000, require("claudecode").is_claude_connected, 1))`
)

func eachNeovim(b *testing.B, f func(b *testing.B, nvim string)) {
	for _, nvim := range nvimtest.Versions(b) {
		b.Run(filepath.Base(filepath.Dir(filepath.Dir(nvim))), func(b *testing.B) { f(b, nvim) })
	}
}

// served is serving with the path of the program.
func served(b *testing.B) string {
	b.Helper()
	path, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	quoted, err := json.Marshal(path)
	if err != nil {
		b.Fatal(err)
	}
	return strings.Replace(serving, "BINARY", string(quoted), 1)
}

// BenchmarkQuit measures from :qa to the end of Neovim's process, with the plugin and a
// connected client and without, in turn. The medians count; cost-ms is their difference.
func BenchmarkQuit(b *testing.B) {
	eachNeovim(b, func(b *testing.B, nvim string) {
		with := served(b) + awaitClient
		var plain, served []time.Duration
		for range b.N * quitPairs {
			plain = append(plain, quit(b, nvim, "", nil))
			served = append(served, quit(b, nvim, with, stay))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(median(plain), "plain-ms")
		b.ReportMetric(median(served), "plugin-ms")
		b.ReportMetric(median(served)-median(plain), "cost-ms")
	})
}

// quit runs a Neovim whose last act is :qa, and meanwhile, if not nil, with the folder of
// its lock files.
func quit(b *testing.B, nvim, before string, meanwhile func(b *testing.B, lockDir string)) time.Duration {
	b.Helper()
	env := nvimtest.Env(b)
	cmd := exec.Command(nvim, append(nvimtest.Plugin(b), "--headless", "-c", "lua "+lineOf(before+quitting))...)
	cmd.Env, cmd.Dir = env, nvimtest.Lookup(env, "HOME")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if meanwhile != nil {
		meanwhile(b, filepath.Join(cmd.Dir, ".claude", "ide"))
	}
	said := make([]byte, 200)
	n, err := stderr.Read(said)
	began := time.Now()
	if string(said[:n]) != "q" {
		_ = cmd.Process.Kill()
		b.Fatalf("Neovim said %q, %v", said[:n], err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// lineOf makes one line of some Lua.
func lineOf(code string) string { return strings.ReplaceAll(code, "\n", " ") }

// stay connects a client that stays until the server leaves.
func stay(b *testing.B, lockDir string) {
	b.Helper()
	var lock claude.Lock
	nvimtest.Eventually(b, "there is a lock file", func() bool {
		var err error
		lock, err = claude.Find(lockDir, "")
		if err != nil && !errors.Is(err, claude.ErrNoServer) {
			b.Fatal(err)
		}
		return err == nil
	})
	client := dial(b, lock.Port, lock.AuthToken)
	b.Cleanup(func() { <-client.Ended() })
}

func dial(b *testing.B, port int, token string) *claude.Client {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	defer cancel()
	client, err := claude.Dial(ctx, port, token, claude.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return client
}

func median(times []time.Duration) (ms float64) {
	slices.Sort(times)
	return float64(times[len(times)/2]) / float64(time.Millisecond)
}

// BenchmarkNeovimCPU measures what a call costs Neovim: a client's tools/call, and the same
// function through nvim_exec_lua alone. nvim-µs is its processor time for one call.
func BenchmarkNeovimCPU(b *testing.B) {
	eachNeovim(b, func(b *testing.B, binaryOfNvim string) {
		v := nvimtest.Start(b, nvimtest.Options{Nvim: binaryOfNvim})
		var server struct {
			Port  int    `msgpack:"port"`
			Token string `msgpack:"token"`
		}
		const answer = `local s = require("claudecode").state return { port = s.port, token = s.auth_token }`
		if err := v.ExecLua(served(b)+answer, &server); err != nil {
			b.Fatal(err)
		}
		client := dial(b, server.Port, server.Token)
		if _, _, err := client.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		for name, call := range map[string]func() error{
			"tool": func() error {
				_, err := client.Call(b.Context(), "getWorkspaceFolders", nil)
				return err
			},
			"direct": func() error {
				var result any
				return v.ExecLua(`return require("mcp-tools.registry").execute("getWorkspaceFolders", {}, {})`, &result)
			},
		} {
			b.Run(name, func(b *testing.B) {
				before := processorTime(b, v)
				for b.Loop() {
					if err := call(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((processorTime(b, v)-before)/float64(b.N), "nvim-µs")
			})
		}
		if err := client.Close(); err != nil {
			b.Error(err)
		}
	})
}

// processorTime is how long Neovim has run, in microseconds.
func processorTime(b *testing.B, v *nvim.Nvim) (us float64) {
	b.Helper()
	err := v.ExecLua(`
		local r = vim.uv.getrusage()
		return (r.utime.sec + r.stime.sec) * 1e6 + r.utime.usec + r.stime.usec`, &us)
	if err != nil {
		b.Fatal(err)
	}
	return us
}
