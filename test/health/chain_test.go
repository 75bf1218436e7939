// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
	"claudecoded/test/wire"
)

func TestHealth_WalksAChainThatHolds(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		neovim, daemon := d.PIDs()
		d.call("closeAllDiffTabs", nil)
		d.call("closeAllDiffTabs", nil)
		d.call("getWorkspaceFolders", nil)
		report := d.says(
			"OK Neovim 0.1", "setup() was called, plugin version ",
			"found: "+stage.Binary, "plugin and program speak protocol 5",
			fmt.Sprintf("running on port %d, daemon pid %d, version ", d.lock.Port, daemon), ", up for ",
			fmt.Sprintf("port %d listens, and a WebSocket handshake with the token succeeds", d.lock.Port),
			"lock file: "+d.lock.Path,
			fmt.Sprintf(`it holds pid %d, ideName "Neovim", transport "ws" and the server's token`, neovim),
			"its folders ("+d.Project+") contain the working folder", "no other lock file matches this folder",
			"/claude\n", "2.1.332 (Claude Code)", "no proxy is set",
			"last try to connect: client_1, ", " ago: accepted",
			fmt.Sprintf("client_1 (claude-code 2.1.332, pid %d): connected for ", os.Getpid()), "no pong yet, 0 B unsent",
			"10 tools are listed: openFile, ", "closeAllDiffTabs (2 times), getWorkspaceFolders",
			"Claude has changed no file, as far as is known",
		)
		for _, bad := range []string{"WARNING", "ERROR"} {
			if strings.Contains(report, bad) {
				t.Errorf("%s in:\n%s", bad, report)
			}
		}
		// The handshake was nobody's, however often it is made.
		if again := d.report(); !strings.Contains(again, "last try to connect: client_1, ") {
			t.Error(again)
		}
		if n := value[int](d, `#require("claudecode.server").get_status().clients + _G.claudecode_clients_created`); n != 2 {
			t.Error("it left a client")
		}
		d.call("closeAllDiffTabs", nil)
		d.Lua(nil, `vim.env.CLAUDE_CODE_SSE_PORT = ...`, d.lock.Port)
		d.says("closeAllDiffTabs (3 times)", "OK CLAUDE_CODE_SSE_PORT is set to this editor's port")
	})
}

func TestHealth_SaysWhichLinkOfTheEditorIsBroken(t *testing.T) {
	t.Parallel()
	foreign := `
		local folder = vim.env.HOME .. (...)
		vim.fn.mkdir(folder, "p")
		vim.fn.writefile({}, folder .. "/init.lua")`
	for name, row := range map[string]struct {
		env  []string
		code string
		says []string
	}{
		"no server":         {nil, ``, []string{"the server is not running", ":ClaudeCodeStart"}},
		"another session's": {[]string{"CLAUDE_CODE_SSE_PORT=1"}, ``, []string{"WARNING CLAUDE_CODE_SSE_PORT is set, to 1: ", "/ide chooses another"}},
		"the original on the runtimepath": {nil, foreign + `vim.opt.runtimepath:append(vim.env.HOME .. "/x")`, []string{
			"WARNING another plugin of the same name is installed: ", "/x\n", "Remove coder/claudecode.nvim"}},
		"mcp-tools beside it": {nil, strings.ReplaceAll(foreign, "(...)", `"/y/lua/mcp-tools"`) + `vim.opt.runtimepath:append(vim.env.HOME .. "/y")`, []string{
			"is installed: ", "/y\n"}},
		"the original as a package": {nil, `
			local folder = vim.env.HOME .. "/pack/a/opt/claudecode.nvim"
			vim.fn.mkdir(folder, "p")
			vim.opt.packpath:append(vim.env.HOME)`, []string{"/pack/a/opt/claudecode.nvim\n"}},
		"no Claude": {nil, `os.remove(vim.env.HOME .. "/claude")`, []string{"the program that runs Claude is not found: ", "set terminal_cmd"}},
		"a proxy": {[]string{"HTTPS_PROXY=http://me:secret@proxy", "all_proxy=x", "no_proxy=example.org"}, ``, []string{
			"WARNING HTTPS_PROXY, all_proxy: set, and no_proxy does not name localhost", "Set no_proxy=localhost,127.0.0.1"}},
		"a proxy that spares us": {[]string{"HTTPS_PROXY=http://me:secret@proxy", "NO_PROXY=a.b, localhost"}, ``, []string{
			"OK HTTPS_PROXY: set, and no_proxy spares this machine"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, stage.Options{Nvim: nvim, Env: append(stage.Environment(t), row.env...)})
				d.Lua(nil, row.code, "/x/lua/claudecode")
				if report := d.says(row.says...); strings.Contains(report, "secret") {
					t.Error("the report has a password")
				}
			})
		})
	}
}

// A program that does not tell its version holds up nothing, and is gone afterwards.
func TestHealth_DoesNotWaitForClaude(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim})
		d.program("echo out of cheese >&2; exit 3")
		d.says("it does not tell its version: exit code 3: out of cheese")
		d.program(":")
		d.says("it does not tell its version: it prints nothing")
		pids := filepath.Join(d.Project, "pids")
		d.program("trap '' TERM; sleep 1000 & echo $$ $! >'" + pids + "'; wait; sleep 1000")
		d.hurried = true
		var script, sleep int
		// On a machine that is busy it may be ended before it has begun.
		nvimtest.Eventually(t, "the program was there", func() bool {
			d.says("it does not tell its version: no answer within 2 s", "/claude --version` in a shell")
			text, _ := os.ReadFile(pids)
			n, _ := fmt.Sscan(string(text), &script, &sleep)
			return n == 2
		})
		nvimtest.Eventually(t, "the program is gone", func() bool { return !stage.Running(script) && !stage.Running(sleep) })
	})
}

func TestHealth_OutlivesADaemonThatIsStopped(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		_, daemon := d.PIDs()
		resume := d.stop()
		for range 2 {
			d.says(
				"it has not answered within 1 s", fmt.Sprintf("kill -CONT %d", daemon),
				fmt.Sprintf("port %d has not answered a handshake within 1 s", d.lock.Port),
				"client_1: connected for ",
			)
		}
		resume()
		d.eventually("the daemon answers again", `(function()
			local answered
			require("claudecode.inquiry").ask(function() answered = true end)
			vim.wait(200, function() return answered end, 5)
			return answered
		end)()`)
		d.says("a WebSocket handshake with the token succeeds", "client_1 (claude-code", "last try to connect: client_1")
	})
}

func TestHealth_SaysWhyAHandshakeFails(t *testing.T) {
	t.Parallel()
	const accept = "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		on := func(port int) {
			t.Helper()
			d.Lua(nil, `require("claudecode.daemon").current().ready.port = ...`, port)
		}
		for answer, says := range map[string]string{
			"HTTP/1.1 200 OK\r\n\r\nhello": "it answered 200: hello",
			"SSH-2.0-x\r\n\r\n":            "it answered no HTTP: ",
			"":                             "it closed the connection without an answer",
			"HTTP/1.1 101 Switching Protocols\r\nX: y\r\n\r\n": "it is no WebSocket server",
			accept + "\r\n":            "it does not speak `mcp`",
			strings.Repeat("x", 1<<20): "it closed the connection without an answer",
			accept + "Sec-WebSocket-Protocol: mcp\r\nX: mcp\r\n\r\n\x88\x02\x03": "a WebSocket handshake with the token succeeds",
		} {
			on(answering(t, answer))
			d.says(says)
		}
		closed := wire.ClosedPort(t)
		on(closed)
		d.says(fmt.Sprintf("a handshake with port %d fails: nothing listens there: ECONNREFUSED", closed), "has lost its port")
	})
}

func TestHealth_TellsWhyTheLastTryToConnectFailed(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim})
		d.Command("ClaudeCodeStart")
		d.lock = stage.Find(t, d.Env)
		d.says("nobody has tried to connect since the daemon started", "no Claude is connected. `claude --ide`", "`claude -p` never connects")
		refused := func(token string) {
			t.Helper()
			var rejected *claude.RejectedError
			if _, err := claude.Dial(stage.Within(t), d.lock.Port, token, claude.Options{}); !errors.As(err, &rejected) {
				t.Fatalf("it was not refused: %v", err)
			}
		}
		refused("")
		d.says("WARNING last try to connect: client_", "refused: Bad WebSocket upgrade request: Missing authentication header",
			"The client found no lock file of this port")
		refused("another token than that")
		d.says("refused: Bad WebSocket upgrade request: Invalid authentication token", "remembers the token of an earlier server")
		client := stage.Connect(t, d.lock)
		silent := dial(t, d.lock.Port) // who has not asked for anything is nobody yet
		if report := d.says("OK last try to connect: client_"); strings.Contains(report, ": connecting") {
			t.Error(report)
		}
		_, _ = silent.Close(), client.Close()
	})
}

func TestHealth_ShowsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(t, stage.Options{Nvim: nvim})
		d.begin("openDiff", d.diff("a.txt"))
		d.eventually("the diff is there", `require("claudecode.activity").text == "waiting for your review"`)
		d.says("client_1: in flight: openDiff for ", "Claude asked for your review 1 time")
	})
}
