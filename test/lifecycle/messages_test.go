// Copyright (c) 2026 the claudecoded authors. MIT license.

package lifecycle

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMessages_AClientThatComesAndGoesIsNoNews(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
		e.Told("ClaudeCodeStart", "started on port")
		e.Command("messages clear")
		lock := stage.Find(t, e.Env)
		leaves := map[string]func() error{
			"after a Close frame": stage.Connect(t, lock).Close,
			"without a word":      dial(t, lock).Close,
		}
		left := len(leaves)
		knows(t, e, left)
		for name, leave := range leaves {
			if err := leave(); err != nil {
				t.Error(name, err)
			}
			left--
			knows(t, e, left)
		}
		if said := e.Messages(); said != "" || waits(t, e) {
			t.Errorf("the user was told %q", said)
		}
	})
}

// knows waits until Neovim counts so many clients.
func knows(t *testing.T, e *stage.Editor, clients int) {
	t.Helper()
	nvimtest.Eventually(t, fmt.Sprintf("Neovim knows %d clients", clients), func() bool {
		var n int
		e.Lua(&n, `return require("claudecode.server").get_status().client_count`)
		return n == clients
	})
}

func TestMessages_NeverStopTheEditorAtAPrompt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
		must(t, e.TryResizeUI(30, 8))
		for _, step := range []struct {
			cause func()
			says  string
		}{
			{func() { e.Command("ClaudeCodeStart") }, "started"},
			{func() { e.Command("ClaudeCodeStart") }, "already"},
			{func() { e.Command("ClaudeCodeStatus!") }, "is running"},
			{func() {
				e.Lua(nil, `require("mcp-tools.registry").register({
					name = "odd", description = "x", ide = true, execute = function() end, output_schema = { type = "array" },
				})`)
			}, "was left out"},
			{func() { e.Command("ClaudeCodeStop") }, "stopped"},
			{func() { e.Command("ClaudeCodeStop") }, "is not running"},
		} {
			step.cause()
			nvimtest.Eventually(t, "the user is told: "+step.says, func() bool {
				return strings.Contains(lastLine(t, e), step.says)
			})
			if waits(t, e) {
				t.Fatalf("Neovim waits for a key after %q", step.says)
			}
		}
	})
}

// Callbacks may say several things in one turn of Neovim's loop, and their users had a
// message on the screen already.
func TestMessages_SeveralAtOnceNeverStopTheEditorAtAPrompt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: map[string]any{"log_level": "debug"}})
		must(t, e.TryResizeUI(40, 10))
		e.Serve()
		for name, code := range map[string]string{
			"lines of every level": `
				local log = require("claudecode.log")
				for _, level in ipairs({ "error", "warn", "info", "debug", "error" }) do
					log[level]("daemon", level .. (" and more"):rep(20))
				end`,
			"behind another's message": `
				vim.cmd.redraw()
				vim.api.nvim_echo({ { "somebody else's" } }, true, {})
				require("claudecode.log").warn("daemon", "one\ntwo\nthree")`,
			"pushes of the daemon": `
				for i = 1, 3 do
					require("mcp-tools.registry").register({
						name = "odd_" .. i, description = "x", ide = true, execute = function() end, output_schema = { type = "array" },
					})
				end`,
		} {
			run(t, e, nil, code)
			if name == "pushes of the daemon" {
				nvimtest.Eventually(t, "all tools were reported", func() bool {
					lastLine(t, e)
					var told bool
					run(t, e, &told, `return table.concat(require("claudecode.log").recent()):find("odd_3", 1, true) ~= nil`)
					return told
				})
			}
			lastLine(t, e) // and all is printed
			if waits(t, e) {
				t.Fatalf("%s: Neovim waits for a key", name)
			}
		}
	})
}

// lastLine is the last line for the user, once it is on the screen.
func lastLine(t *testing.T, e *stage.Editor) (line string) {
	t.Helper()
	// What is scheduled runs behind what prints the line.
	run(t, e, &line, `
		local printed = false
		vim.schedule(function() printed = true end)
		vim.wait(20000, function() return printed end)
		return vim.iter(require("claudecode.log").recent()):last() or ""`)
	return line
}

// run is Editor.Lua that fails the test at a prompt, which keeps Neovim from answering.
func run(t *testing.T, e *stage.Editor, result any, code string) {
	t.Helper()
	answered := make(chan error, 1)
	go func() { answered <- e.ExecLua(code, result) }()
	nvimtest.Eventually(t, "Neovim answers", func() bool {
		select {
		case err := <-answered:
			must(t, err)
			return true
		default:
			if waits(t, e) {
				t.Fatal("Neovim waits for a key")
			}
			return false
		}
	})
}

func TestMessages_ADaemonThatIsKilledLeavesTheEditorUsable(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
		must(t, e.TryResizeUI(30, 8))
		_, client := e.Serve()
		_, daemon := e.PIDs()
		must(t, syscall.Kill(daemon, syscall.SIGKILL))
		<-client.Ended()
		nvimtest.Eventually(t, "Neovim has noticed", func() bool {
			if waits(t, e) {
				t.Fatal("Neovim waits for a key")
			}
			var gone bool
			e.Lua(&gone, `
				local daemon = require("claudecode.daemon").current()
				if not daemon then return true end
				local known, pid = pcall(vim.fn.jobpid, daemon.channel) -- the channel may be gone first
				return known and pid ~= ...`, daemon)
			return gone
		})
		e.Command("redraw")
		if waits(t, e) {
			t.Error("Neovim waits for a key")
		}
	})
}
