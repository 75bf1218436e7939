// Copyright (c) 2026 the claudecoded authors. MIT license.

package supervise

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// variable names, in an editor's environment, the file that :restart hands over.
const variable = "CLAUDECODED_HANDOVER"

func TestHandover_IsReadOnceAndForAShortTimeOnly(t *testing.T) {
	t.Parallel()
	const left = `{"port":4711,"token":"0123456789abcdef","clients_created":7,"time":WRITTEN}`
	for name, row := range map[string]struct {
		text    string
		age     int64 // in seconds
		pending bool
	}{
		"fresh":      {left, 0, true},
		"void":       {left, 31, false},
		"incomplete": {`{"port":4711}`, 0, false},
		"a number":   {`5`, 0, false},
		"no JSON":    {`port`, 0, false},
		"absent":     {"", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				file := filepath.Join(nvimtest.Dir(t), "left")
				if row.text != "" {
					written := strconv.FormatInt(time.Now().Unix()-row.age, 10)
					if err := os.WriteFile(file, []byte(strings.Replace(row.text, "WRITTEN", written, 1)), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				e := &editor{t: t}
				env := append(stage.Environment(t), variable+"="+file)
				e.Editor = stage.Open(t, stage.Options{Nvim: nvim, Env: env})
				if stage.Exists(file) || value[bool](e, `vim.env.`+variable+` ~= nil`) {
					t.Error("another Neovim would read it too")
				}
				if got := value[bool](e, `require("claudecode.handover").pending()`); got != row.pending {
					t.Errorf("pending: %t", got)
				}
				want := "{}"
				if row.pending {
					want = "{ 4711, 7 }"
				}
				take := `(function()
					local left = require("claudecode.handover").take() or {}
					return vim.inspect({ left.port, left.port and _G.claudecode_clients_created })
				end)()`
				if got := value[string](e, take); got != want {
					t.Errorf("took %s", got)
				}
				if got := value[string](e, take); got != "{}" {
					t.Errorf("took %s again", got)
				}
			})
		})
	}
}

// handovers are the files that are there for a next Neovim.
func handovers(t *testing.T, env []string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(nvimtest.Lookup(env, "XDG_STATE_HOME"), "nvim", "claudecoded-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestHandover_IsNotLeftByAnExitForGood(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := open(t, nvim, "", nil)
		e.serve()
		neovim, _ := e.PIDs()
		_ = e.Editor.Nvim.Command("qa!")
		nvimtest.Eventually(t, "Neovim is gone", func() bool { return !stage.Running(neovim) })
		if found := handovers(t, e.Env); len(found) != 0 {
			t.Errorf("left %v", found)
		}
	})
}

func TestHandover_OfAPortThatIsTakenEndsWithAnotherAndOneMessage(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		taken := listener.Addr().(*net.TCPAddr).Port
		file := filepath.Join(nvimtest.Dir(t), "left")
		text := fmt.Sprintf(`{"port":%d,"token":"0123456789abcdef","clients_created":3,"time":%d}`, taken, time.Now().Unix())
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		e := &editor{t: t}
		env := append(stage.Environment(t), variable+"="+file)
		e.Editor = stage.Open(t, stage.Options{Nvim: nvim, Env: env})
		e.Lua(nil, `
			local times = require("claudecode.supervisor").times
			times.port_retry, times.port_patience = 20, 100
			require("claudecode.server").start_wait_ms = 60000
			require("claudecode").start(false)
		`)
		lock := stage.Find(t, env)
		if lock.Port == taken || lock.AuthToken != "0123456789abcdef" {
			t.Errorf("port %d, the one that is taken: %t", lock.Port, lock.Port == taken)
		}
		stage.Connect(t, lock)
		e.eventually("client numbers go on", "_G.claudecode_clients_created == 4")
		e.heard(fmt.Sprintf("port %d was taken, Claude Code integration is on port %d now", taken, lock.Port))
	})
}
