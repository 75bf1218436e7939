// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build suite

package sdk

import (
	"bufio"
	"context"
	"io"
	"os"
	"slices"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// restarts are what clients find that were connected when their server was killed and
// started anew: the session is gone, where there was one.
var restarts = []struct{ sdk, era, after string }{
	{"v1", "legacy", "status 404"},
	{"v2", "legacy", "status 404"},
	{"v2", "modern", text},
	{"go", "legacy", "failed"},
	{"go", "modern", text},
}

func TestSDKs_BeginAnewWhereTheirSessionIsGone(t *testing.T) {
	programs := build(t)
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, c := range restarts {
			t.Run(c.sdk+"/"+c.era, func(t *testing.T) {
				e, lock := stage.ServeSuite(t, nvim)
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				command := append(slices.Clone(programs[c.sdk]), "http", c.era)
				cmd := client(ctx, lock, append(slices.Clone(e.Env), "SDK_RESTART=yes"), command)
				cmd.Stderr = os.Stderr
				stdin, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				stdout, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				out := bufio.NewReader(stdout)
				if line, err := out.ReadString('\n'); line != "before: "+text+"\n" {
					t.Errorf("%q, %v", line, err)
				}
				kill(t, e)
				_ = stdin.Close()
				rest, _ := io.ReadAll(out)
				if want := "after: " + c.after + "\nanew: " + text + "\n"; string(rest) != want {
					t.Errorf("%s, want %s", rest, want)
				}
				if err := cmd.Wait(); err != nil {
					t.Error(err)
				}
			})
		}
	})
}

// kill kills the daemon and waits for the next to listen.
func kill(t *testing.T, e *stage.Editor) {
	t.Helper()
	ready := func() (pid int) {
		e.Lua(&pid, `
			local daemon = require("claudecode.daemon").current()
			return daemon and daemon.ready and daemon.ready.pid or 0
		`)
		return pid
	}
	killed := ready()
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	nvimtest.Eventually(t, "the next daemon listens", func() bool {
		pid := ready()
		return pid != 0 && pid != killed
	})
}
