// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// endpoint is an entry of what --mcp-config takes.
type endpoint struct {
	Type, URL, HeadersHelper string
	AlwaysLoad               *bool
}

// endpoints are what a Claude was given with --mcp-config, by name, the last of a name as Claude
// takes them, and its other arguments.
func endpoints(t *testing.T, one birth) (map[string]endpoint, []string) {
	t.Helper()
	all, rest := map[string]endpoint{}, []string{}
	for _, arg := range one.Args {
		given, ok := strings.CutPrefix(arg, "--mcp-config=")
		if !ok {
			rest = append(rest, arg)
			continue
		}
		text := []byte(given)
		if !strings.HasPrefix(given, "{") {
			var err error
			if text, err = os.ReadFile(given); err != nil {
				t.Fatal(err)
			}
		}
		var config struct{ MCPServers map[string]endpoint }
		if err := json.Unmarshal(text, &config); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for name, e := range config.MCPServers {
			all[name] = e
		}
	}
	return all, rest
}

// headers runs the helper as Claude does, in its folder and environment.
func (e endpoint) headers(t *testing.T, one birth) map[string]string {
	t.Helper()
	cmd := exec.Command("sh", "-c", e.HeadersHelper)
	cmd.Dir, cmd.Env = one.Dir, one.Env
	text, err := cmd.Output()
	var headers map[string]string
	if err != nil || json.Unmarshal(text, &headers) != nil {
		t.Fatalf("%s: %q, %v", e.HeadersHelper, text, err)
	}
	return headers
}

// post sends a request of the revision without sessions, and returns the answer.
func (e endpoint) post(t *testing.T, one birth, method, params string) string {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params)
	request, err := http.NewRequestWithContext(stage.Within(t), "POST", e.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	} {
		request.Header.Set(name, value)
	}
	if method == "tools/call" {
		request.Header.Set("Mcp-Name", "nvim_mine")
	}
	for name, value := range e.headers(t, one) {
		request.Header.Set(name, value)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %s %v", response.Status, text, err)
	}
	return string(text)
}

// expectHidden checks that no process shows a secret in its arguments, nor in its environment.
func expectHidden(t *testing.T, secret string) {
	t.Helper()
	for _, pattern := range []string{"/proc/[0-9]*/cmdline", "/proc/[0-9]*/environ"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if text, _ := os.ReadFile(file); strings.Contains(string(text), secret) {
				t.Errorf("the token is in %s", file)
			}
		}
	}
}

// elsewhere is the program in a folder with blanks and quotes.
func elsewhere(t *testing.T) map[string]any {
	t.Helper()
	path := filepath.Join(nvimtest.Dir(t), `it's a "b" $c`, "claudecoded")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(stage.Binary, path); err != nil {
		t.Fatal(err)
	}
	return map[string]any{"cmd": path}
}

const registerMine = `require("mcp-tools").register({
	name = "mine", description = "d", execute = function(cb) cb("answered by " .. vim.fn.getpid()) end,
})`

// customOpen is a provider of the user's, which hands the command to a shell.
const customOpen = `
	local buf
	local function open(cmd, env)
		vim.cmd("vnew")
		buf = vim.api.nvim_get_current_buf()
		vim.fn.termopen(cmd, { env = env })
	end
	local provider = { setup = function() end, open = open, simple_toggle = open, focus_toggle = open }
	provider.close = function() vim.fn.jobstop(vim.bo[buf].channel) end
	provider.get_active_bufnr = function() return buf end
	provider.is_available = function() return true end
	require("claudecode").state.config.terminal.provider = provider
`

func TestMCP_IsHandedToTheClaudeOfEveryProvider(t *testing.T) {
	t.Parallel()
	open := map[string]func(t *testing.T, nvim string) *desk{
		"native": func(t *testing.T, nvim string) *desk {
			return open(t, nvim, map[string]any{"daemon": elsewhere(t)})
		},
		"snacks": func(t *testing.T, nvim string) *desk {
			d := withSnacks(t, nvim, "snacks", nil)
			d.Lua(nil, `require("claudecode").state.config.daemon.cmd = (...).cmd`, elsewhere(t))
			return d
		},
		"external": func(t *testing.T, nvim string) *desk {
			return openIn(t, nvim, launcher(t), map[string]any{
				"daemon": elsewhere(t), "terminal": external(`sh -c "exec %s"`)["terminal"],
			})
		},
		"custom": func(t *testing.T, nvim string) *desk {
			d := open(t, nvim, map[string]any{"daemon": elsewhere(t)})
			d.Lua(nil, customOpen)
			return d
		},
	}
	for name, open := range open {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim)
				d.Lua(nil, registerMine)
				d.Command("ClaudeCodeStart")
				d.Command(`ClaudeCode --model "a b" go`)
				one, lock := d.claude(1), stage.Find(t, d.Env)
				given, rest := endpoints(t, one)
				if want := []string{"--model", "a b", "go"}; !slices.Equal(rest, want) {
					t.Errorf("%q, not %q", rest, want)
				}
				expectEndpoint(t, given["nvim"], one, lock)
				answer := given["nvim"].post(t, one, "tools/call", `"name":"nvim_mine",`)
				if want := fmt.Sprintf("answered by %d", value[int](d, "vim.fn.getpid()")); !strings.Contains(answer, want) {
					t.Error(answer)
				}
				expectHidden(t, lock.AuthToken)
				d.silent("WARN")
			})
		})
	}
}

func expectEndpoint(t *testing.T, e endpoint, one birth, lock claude.Lock) {
	t.Helper()
	if want := fmt.Sprintf("http://127.0.0.1:%d/mcp", lock.Port); e.Type != "http" || e.URL != want || e.AlwaysLoad != nil {
		t.Errorf("%+v, want %s", e, want)
	}
	if got := e.headers(t, one)["Authorization"]; got != "Bearer "+lock.AuthToken {
		t.Errorf("the helper says %q", got)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if list, _ := one.variable(name); !strings.Contains(list, "127.0.0.1") {
			t.Errorf("%s is %q", name, list)
		}
	}
}

func TestMCP_FollowsItsOptions(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		options map[string]any
		given   int
		loads   bool
	}{
		"enabled = false":    {map[string]any{"enabled": false}, 0, false},
		"always_load = true": {map[string]any{"always_load": true}, 1, true},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, map[string]any{"mcp": row.options})
				d.Command("ClaudeCodeStart")
				d.Command("ClaudeCode")
				given, _ := endpoints(t, d.claude(1))
				if loads := given["nvim"].AlwaysLoad; len(given) != row.given || (loads != nil && *loads) != row.loads {
					t.Errorf("%+v", given)
				}
			})
		})
	}
}

// Claude takes the flag several times, and of two servers of one name the last.
func TestMCP_LeavesTheUsersOwnConfigurationInForce(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, map[string]any{
			"terminal_cmd":    `claude '--mcp-config={"mcpServers":{"own":{"type":"http","url":"u1"}}}'`,
			"permission_mode": "plan",
		})
		d.Command("ClaudeCodeStart")
		d.Command(`ClaudeCode '--mcp-config={"mcpServers":{"nvim":{"type":"http","url":"u2"}}}' hello`)
		given, rest := endpoints(t, d.claude(1))
		if given["own"].URL != "u1" || given["nvim"].URL != "u2" {
			t.Errorf("%+v", given)
		}
		if want := []string{"--permission-mode", "plan", "hello"}; !slices.Equal(rest, want) {
			t.Errorf("%q, not %q", rest, want)
		}
	})
}

func TestMCPArgs_AreThereOnlyWhileTheServerListens(t *testing.T) {
	each(t, nil, func(d *desk) {
		const args = `vim.inspect({ require("claudecode").mcp_args() }):gsub("%s+", " ")`
		if got := value[string](d, "("+args+")"); got != `{ [2] = "no server runs: :ClaudeCodeStart starts it" }` {
			d.t.Error(got)
		}
		d.Lua(nil, `
			local claudecode = require("claudecode")
			claudecode.setup({ auto_start = true, daemon = claudecode.state.config.daemon })
			starting = { claudecode.mcp_args() }
		`)
		if got := value[string](d, "starting[2]"); got != "the server is still starting" {
			d.t.Error(got)
		}
		stage.Find(d.t, d.Env)
		d.eventually(`require("claudecode").mcp_args() ~= nil`)
		if got := value[string](d, `vim.inspect(vim.tbl_keys(select(2, require("claudecode").mcp_args())))`); !strings.Contains(got, "NO_PROXY") {
			d.t.Error(got)
		}
		d.Lua(nil, `require("claudecode").state.config.daemon.cmd = "/no/such/program"`)
		if got := value[string](d, `select(2, require("claudecode").mcp_args())`); got != "daemon.cmd is not executable: /no/such/program" {
			d.t.Error(got)
		}
		d.Command("ClaudeCode")
		d.claude(1)
		d.says("Claude starts without the editor's tools: daemon.cmd is not executable")
	})
}

// Claude runs its commands in a folder of its own.
func TestMCPArgs_NameTheProgramWhereverClaudeRuns(t *testing.T) {
	each(t, nil, func(d *desk) {
		if err := os.Symlink(stage.Binary, filepath.Join(d.Project, "here")); err != nil {
			d.t.Fatal(err)
		}
		d.Command("ClaudeCodeStart")
		d.Lua(nil, `require("claudecode").state.config.daemon.cmd = "./here"`)
		d.Lua(nil, `require("claudecode.terminal").open({ cwd = "/" })`)
		one := d.claude(1)
		given, _ := endpoints(d.t, one)
		if one.Dir != "/" || given["nvim"].headers(d.t, one)["Authorization"] == "" {
			d.t.Errorf("%+v in %s", given, one.Dir)
		}
	})
}

// A terminal may be open for longer than old temporary files are kept.
func TestMCPArgs_WriteTheirFileAgainIfItIsGone(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCodeStart")
		const file = `require("claudecode").mcp_args({ file = true })[1]:match("^%-%-mcp%-config=([%w%p]+)$")`
		first := value[string](d, file)
		before, err := os.ReadFile(first)
		if err != nil {
			d.t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(first)); err != nil {
			d.t.Fatal(err)
		}
		after, err := os.ReadFile(value[string](d, file))
		if err != nil || string(after) != string(before) {
			d.t.Errorf("%s, not %s; %v", after, before, err)
		}
	})
}
