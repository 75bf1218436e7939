// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

func TestStart_ReturnsThePortAndKeepsTheToken(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		if got := value[string](e, `
			require("claudecode").setup(fake)
			require("claudecode.server").start_wait_ms = 60000
			return vim.inspect({ require("claudecode").start(false) })
		`); got != "{ true, 4242 }" {
			t.Fatal(got)
		}
		got := value[string](e, `
			local state = require("claudecode").state
			return ("%s %s %s"):format(state.port, state.auth_token, state.server == require("claudecode.server"))
		`)
		if got != "4242 0123456789abcdef true" {
			t.Errorf("state: %s", got)
		}
	})
}

func TestStart_TellsTheCatalogueBeforeStart(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		all := e.told()
		if len(all) != 2 || all[0].Method != "catalogue" || all[1].Method != "start" {
			t.Fatalf("told %v", all)
		}
		var names []string
		for _, tool := range all[0].Message["tools"].([]any) {
			names = append(names, tool.(map[string]any)["name"].(string))
		}
		if diff := cmp.Diff(builtinTools, names); diff != "" {
			t.Error(diff)
		}
		home := nvimtest.Lookup(e.env, "HOME")
		want := map[string]any{
			"protocol": 5.0, "version": "0.1.0", "port_min": 10000.0, "port_max": 65535.0, "lock": true,
			"lock_dir": home + "/.claude/ide", "ide_name": "Neovim", "workspace_folders": []any{home},
			"clients_created": 0.0, "log_level": "info", "pid": value[float64](e, "return vim.fn.getpid()"),
		}
		if diff := cmp.Diff(want, all[1].Message); diff != "" {
			t.Error(diff)
		}
	})
}

func TestStart_HandsTheDaemonsOptionsOver(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		dir := nvimtest.Dir(t)
		e := start(t, nvim, options{env: []string{"CLAUDE_CONFIG_DIR=" + dir}})
		e.lua(nil, `
			fake.port_range = { min = 5, max = 6 }
			fake.log_level = "debug"
			fake.daemon.allowed_hosts = { "a", "b:1" }
			fake.daemon.ping_interval_ms, fake.daemon.max_clients, fake.daemon.log_file = 7, 8, "/x"
			_G.claudecode_clients_created = 9
		`)
		e.start()
		message := e.awaitTold("start", 1)
		for key, want := range map[string]any{
			"port_min": 5.0, "port_max": 6.0, "log_level": "debug", "ping_interval_ms": 7.0, "max_clients": 8.0,
			"log_file": "/x", "clients_created": 9.0, "lock_dir": dir + "/ide", "allowed_hosts": []any{"a", "b:1"},
		} {
			if diff := cmp.Diff(want, message[key]); diff != "" {
				t.Errorf("%s: %s", key, diff)
			}
		}
	})
}

// TestBinary_IsFoundInOrder makes a plugin folder whose Lua is ours, for its own bin.
func TestBinary_IsFoundInOrder(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		plugin, path := nvimtest.Dir(t), nvimtest.Dir(t)
		if err := os.Symlink(filepath.Join(nvimtest.Root(t), "lua"), filepath.Join(plugin, "lua")); err != nil {
			t.Fatal(err)
		}
		e := start(t, nvim, options{env: []string{"PATH=" + path}})
		e.lua(nil, "vim.opt.runtimepath:prepend((...))", plugin)
		find := func(cmd any) string {
			return value[string](e, `
				local argv, err = require("claudecode.binary").find(... ~= vim.NIL and ... or nil)
				return argv and table.concat(argv, " ") or err
			`, cmd)
		}
		executable := func(file string) string {
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			return file
		}
		missing := find(nil)
		for _, part := range []string{
			"claudecoded not found", "run `make build` in " + plugin + " (or :Lazy build claudecoded)",
			"bin/", "PATH", "daemon.cmd",
		} {
			if !strings.Contains(missing, part) {
				t.Errorf("%q does not say %q", missing, part)
			}
		}
		onPath := executable(filepath.Join(path, "claudecoded"))
		if got := find(nil); got != onPath {
			t.Errorf("found %s, not the one on PATH", got)
		}
		inFolder := executable(filepath.Join(plugin, "bin", "claudecoded"))
		if got := find(nil); got != inFolder {
			t.Errorf("found %s, not the one in the plugin's folder", got)
		}
		home := executable(filepath.Join(nvimtest.Lookup(e.env, "HOME"), "own"))
		if got := find([]string{"~/own", "--flag"}); got != home+" --flag" {
			t.Errorf("found %s, not daemon.cmd", got)
		}
		if got := find("/nowhere"); got != "daemon.cmd is not executable: /nowhere" {
			t.Error(got)
		}
	})
}

// A start that does not succeed returns a message, shows it once, and leaves nothing behind.
func TestStart_ThatFailsSaysWhyOnce(t *testing.T) {
	failures := map[string]string{
		"failed": "No free port in 1-2 (EADDRINUSE)",
		"old":    "claudecoded speaks protocol 1, this plugin 5: run `make build` in ",
		"crash":  "claudecoded ended with exit code 3: noise | panic: out of cheese | at line 3",
		"silent": "claudecoded did not answer within 2 s",
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for behaviour, want := range failures {
			t.Run(behaviour, func(t *testing.T) {
				t.Parallel()
				e := start(t, nvim, options{behaviour: behaviour})
				if behaviour != "silent" { // a machine that is busy starts programs slowly
					e.lua(nil, `require("claudecode.server").start_wait_ms = 60000`)
				}
				begin := time.Now()
				got := value[[]any](e, `
					require("claudecode").setup(fake)
					return { require("claudecode").start() }
				`)
				if elapsed := time.Since(begin); elapsed > time.Minute {
					t.Errorf("took %v", elapsed)
				}
				if got[0] != false || !strings.HasPrefix(got[1].(string), want) {
					t.Errorf("returned %v", got)
				}
				notices := e.notices(1)
				if len(notices) != 1 || notices[0] != "[ClaudeCode] [init] [ERROR] "+got[1].(string) {
					t.Errorf("showed %q", notices)
				}
				if state := value[string](e, `
					local server = require("claudecode.server")
					return vim.inspect({ server.state.server, server.state.port, require("claudecode.daemon").current() })
				`); state != "{}" {
					t.Errorf("left behind: %s", state)
				}
				e.eventually(`#vim.tbl_filter(function(chan) return chan.mode == "rpc" and chan.stream == "job" end, vim.api.nvim_list_chans()) == 0`)
			})
		}
	})
}

func TestStart_RefusesASecondOne(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		got := value[string](e, `return vim.inspect({ require("claudecode").start() })`)
		if got != `{ false, "Already running" }` {
			t.Error(got)
		}
		want := []string{"[ClaudeCode] [init] [WARN] Claude Code integration is already running on port 4242"}
		if diff := cmp.Diff(want, e.notices(1)); diff != "" {
			t.Error(diff)
		}
		if n := len(e.told()); n != 2 {
			t.Errorf("the daemon was told %d messages", n)
		}
	})
}

func TestStart_WaitsForALaunchInProgress(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		got := value[string](e, `
			fake.auto_start = true
			require("claudecode").setup(fake)
			require("claudecode.server").start_wait_ms = 60000
			local ok, port = require("claudecode").start()
			local daemons = vim.tbl_filter(function(channel)
				return channel.mode == "rpc" and channel.stream == "job"
			end, vim.api.nvim_list_chans())
			return ("%s %s %d"):format(ok, port, #daemons)
		`)
		if got != "true 4242 1" {
			t.Error(got)
		}
	})
}

func TestStop_EndsTheDaemon(t *testing.T) {
	for _, behaviour := range []string{"ready", "deaf"} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := start(t, nvim, options{behaviour: behaviour})
				e.start()
				pid := value[int](e, `return require("claudecode.daemon").current().ready.pid`)
				got := value[string](e, `return vim.inspect({ require("claudecode").stop() })`)
				if got != "{ true }" {
					t.Error(got)
				}
				if value[bool](e, `return require("claudecode").state.port ~= nil`) {
					t.Error("the state has a port")
				}
				e.awaitTold("stop", 1)
				nvimtest.Eventually(t, "the daemon ended", func() bool { return !running(t, pid) })
				if got := value[string](e, `return vim.inspect({ require("claudecode").stop() })`); got != `{ false, "Not running" }` {
					t.Error(got)
				}
				want := []string{"[ClaudeCode] [init] [WARN] Claude Code integration is not running"}
				if diff := cmp.Diff(want, e.notices(1)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestExit_UnexpectedSaysWhyOnceAndClearsTheState(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		e.say("client_opened", 5)
		e.eventually(`require("claudecode").is_claude_connected()`)
		e.lua(nil, `
			require("claudecode.supervisor").times.restarts = {}
			require("claudecode.server").broadcast("x", nil, function(n) reached = n end)
			require("claudecode.daemon").notify("die")
		`)
		want := []string{"[ClaudeCode] [daemon] [ERROR] claudecoded ended with exit code 3: noise | panic: out of cheese | at line 3"}
		if diff := cmp.Diff(want, e.notices(1)); diff != "" {
			t.Error(diff)
		}
		got := value[string](e, `
			local server = require("claudecode.server")
			return vim.inspect({ server.state.port or vim.NIL, server.get_status(), reached })
		`)
		want2 := "{ vim.NIL, {\n    client_count = 0,\n    running = false\n  }, 0 }"
		if diff := cmp.Diff(want2, got); diff != "" {
			t.Error(diff)
		}
		e.lua(nil, "launched = nil")
		e.start() // and it can be started again
	})
}

func TestTail_KeepsTheLastLinesOfAStreamInPieces(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[[]string](e, `
			local tail = require("claudecode.tail")
			local it = tail.new()
			tail.add(it, { "one " })
			tail.add(it, { "two", "", "three" })
			tail.add(it, { " four", "" })
			local text, last = tail.text(it, 3), tail.text(it, 1)
			for _ = 1, 1000 do
				tail.add(it, { ("x"):rep(300) })
			end
			local longest = #it.lines[#it.lines]
			for _ = 1, 1000 do
				tail.add(it, { "", "" })
			end
			return { text, last, tostring(longest), tostring(#it.lines) }
		`)
		want := []string{"one two | three four", "three four", "500", "20"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAutoStart_WaitsForAUserInterface(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `
			fake.auto_start = true
			require("claudecode").setup(fake)
		`)
		if value[bool](e, `return require("claudecode.server").state.server == true`) {
			t.Error("launched without a user interface")
		}
		if err := e.AttachUI(80, 24, map[string]any{}); err != nil {
			t.Fatal(err)
		}
		e.eventually(`require("claudecode").state.port == 4242`)
	})
}

func TestAutoStart_IsTakenBackByAnotherSetup(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `
			fake.auto_start = true
			require("claudecode").setup(fake)
			fake.auto_start = false
			require("claudecode").setup(fake)
		`)
		if err := e.AttachUI(80, 24, map[string]any{}); err != nil {
			t.Fatal(err)
		}
		got := value[string](e, `
			local left = vim.api.nvim_get_autocmds({ group = "ClaudeCodeAutoStart" })
			return vim.inspect({ #left, require("claudecode.server").state.server })
		`)
		if got != "{ 0 }" {
			t.Error(got)
		}
	})
}

func TestAutoStart_LeavesTheEditorOfAClaudeSessionAlone(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true, env: []string{"CLAUDE_CODE_SSE_PORT=1234"}})
		e.lua(nil, `
			fake.auto_start = true
			require("claudecode").setup(fake)
		`)
		if value[bool](e, `return require("claudecode.server").state.server == true`) {
			t.Error("launched")
		}
		e.start()
	})
}

func TestQuit_EndsTheDaemonAndNeverComplains(t *testing.T) {
	for _, quit := range []string{"wqa", "qa", "xa"} {
		t.Run(quit, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				e := start(t, nvim, options{ui: true})
				e.start()
				pids := value[[]int](e, `return { vim.fn.getpid(), require("claudecode.daemon").current().ready.pid }`)
				_ = e.Command(quit) // the channel closes before it answers
				for _, pid := range pids {
					nvimtest.Eventually(t, "Neovim and the daemon ended", func() bool { return !running(t, pid) })
				}
			})
		})
	}
}

func TestLeaving_TellsTheDaemonWithoutWaiting(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{behaviour: "deaf"})
		e.start()
		// Whatever waits lets the event loop turn, and that calls a timer that is due.
		if value[bool](e, `
			local turned, timer = false, vim.uv.new_timer()
			timer:start(0, 0, function() turned = true end)
			vim.uv.update_time()
			vim.api.nvim_exec_autocmds("VimLeavePre", { group = "ClaudeCodeShutdown" })
			timer:close()
			return turned
		`) {
			t.Error("VimLeavePre waits")
		}
		e.awaitTold("stop", 1)
	})
}

func TestWorkspaceFolders_FollowTheWorkingDirectory(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		dir := nvimtest.Dir(t)
		e.lua(nil, "vim.cmd.cd((...))", dir)
		got := e.awaitTold("workspace_folders", 1)
		if diff := cmp.Diff(map[string]any{"folders": []any{dir}}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAttached_AnswersTheCatalogueAndWhoItIs(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		hello := map[string]any{"channel": e.ChannelID(), "protocol": 5, "version": "9"}
		answer := value[map[string]any](e, `return require("claudecode.rpc").handle("attached", ...)`, hello)
		if tools := answer["tools"].([]any); len(tools) != len(builtinTools) {
			t.Errorf("%d tools", len(tools))
		}
		home := nvimtest.Lookup(e.env, "HOME")
		want := map[string]any{
			"protocol": int64(5), "pid": value[any](e, "return vim.fn.getpid()"), "ide_name": "Neovim",
			"workspace_folders": []any{home},
		}
		if diff := cmp.Diff(want, answer["start"]); diff != "" {
			t.Error(diff)
		}
		ready := map[string]any{"port": 99, "token": "t", "pid": 1, "protocol": 5, "version": "9", "lock_file": ""}
		e.lua(nil, `require("claudecode.rpc").handle("ready", ...)`, ready)
		if port := value[int](e, `return require("claudecode").state.port`); port != 99 {
			t.Errorf("port %d", port)
		}
		err := e.ExecLua(`require("claudecode.rpc").handle("attached", ...)`, nil, hello)
		if err == nil || !strings.Contains(err.Error(), "this Neovim already has a claudecoded, on port 99") {
			t.Errorf("a second one: %v", err)
		}
		hello["protocol"] = 1
		err = e.ExecLua(`require("claudecode.rpc").handle("attached", ...)`, nil, hello)
		if err == nil || !strings.Contains(err.Error(), "claudecoded speaks protocol 1, this plugin 5: run `make build` in ") {
			t.Errorf("another protocol: %v", err)
		}
	})
}
