// Copyright (c) 2026 the claudecoded authors. MIT license.

package policy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestRules_ThatAreWrongAreToldAndDeny(t *testing.T) {
	t.Parallel()
	rows := []struct {
		permissions any
		told        string
		run, look   string
	}{
		{object{"run": "alow"}, `permissions["run"]: the action must be one of allow, ask, deny, not "alow". Until that is corrected, run is denied`, "is invalid", "did look"},
		{object{"run": true}, `not true`, "is invalid", "did look"},
		{[]any{object{"tool": "run", "action": "allow", "paths": "/a"}}, "permissions[1]: there is no key paths", "is invalid", "did look"},
		{[]any{object{"tool": "run", "action": "allow", "path": "src/**"}}, `the path "src/**" must begin with /, ~/ or **/`, "is invalid", "did look"},
		{[]any{object{"tool": "run", "action": "allow", "path": []string{"/a", "/b/../c"}}}, `must not contain ..`, "is invalid", "did look"},
		{[]any{object{"tool": "run", "action": "allow", "path": "/a/**b"}}, `** must stand alone`, "is invalid", "did look"},
		{[]any{object{"tool": "run", "action": "allow", "path": 5}}, `path must be a pattern or a list`, "is invalid", "did look"},
		{[]any{object{"tool": "run", "action": "allow", "path": []string{}}}, `path must be a pattern or a list`, "is invalid", "did look"},
		{[]any{object{"tool": "[rl]", "action": "allow"}}, "every tool is denied", "is invalid", "is invalid"},
		{[]any{object{"action": "allow"}}, "every tool is denied", "is invalid", "is invalid"},
		{[]any{"run"}, "a rule in the list must be a table", "is invalid", "is invalid"},
		// As other programs have it.
		{object{"deny": []string{"run"}, "allow": []string{"look"}}, `2 permissions are wrong (:checkhealth mcp-tools): permissions["allow"]`, "is invalid", "is invalid"},
		{object{"deny": "run"}, "every tool is denied", "is invalid", "is invalid"},
		{object{"rules": []any{object{"tool": "run", "action": "deny"}}}, `permissions["rules"]: the action must be one of`, "is invalid", "is invalid"},
		{object{"tool": "run", "action": "deny"}, `permissions["tool"]: the action must be one of`, "is invalid", "is invalid"},
		{object{"run": object{"path": "**/.env", "action": "deny"}}, "a rule with a path is a table in the list", "is invalid", "did look"},
		{[]any{[]any{"run", "deny"}}, "every tool is denied", "is invalid", "is invalid"},
		{[]any{object{"tool": "run", "path": "**/*.{pem,key}", "action": "deny"}}, "{ } give no choice", "is invalid", "did look"},
		{[]any{object{"tool": "run", "path": "~other/x", "action": "allow"}}, "must begin with /, ~/ or **/", "is invalid", "did look"},
		{[]any{object{"tool": "run", "path": "/" + strings.Repeat("x", 1024), "action": "allow"}}, "more than 1024 bytes", "is invalid", "did look"},
		{slices.Repeat([]any{object{"tool": "look", "action": "allow"}}, 513), "more than 512 rules", "is invalid", "is invalid"},
		{"deny", "permissions: it must be a table. Until that is corrected, every tool is denied", "is invalid", "is invalid"},
		{[]any{object{"tool": "run", "action": "deny"}, object{"tool": "look", "action": "allow"}}, "", `denied by the rule "run"`, "did look"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, row := range rows {
			d := open(t, stage.Options{Nvim: nvim}, options(row.permissions))
			text := d.Messages()
			if row.told == "" && strings.Contains(text, "permissions") || !strings.Contains(text, row.told) {
				t.Errorf("%v: told %q, not %q", row.permissions, text, row.told)
			}
			d.call("run", nil).says(row.run)
			d.call("look", nil).says(row.look)
		}
	})
}

// Names and rules may stand in one table, as in the help's example.
func TestRules_OfBothFormsStandInOneTable(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := &desk{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
		d.Lua(nil, strings.Replace(tools, "vim.json.decode(...)", `{ permissions = {
			["run"] = "deny", { tool = "look", path = "/etc/**", action = "deny" }, ["careful"] = "allow",
		} }`, 1))
		d.lock, d.client = d.Serve()
		d.call("run", nil).says(`denied by the rule "run"`)
		d.call("look", object{"path": "/etc/hosts"}).says("a rule about paths goes before")
		d.call("look", object{"path": "/tmp/hosts"}).says("did look")
		d.call("careful", nil).says("did careful")
	})
}

// The example of the help is what users begin with.
func TestRules_OfTheHelpsExampleAreAllRead(t *testing.T) {
	t.Parallel()
	help, err := os.ReadFile(filepath.Join("..", "..", "doc", "mcp-tools.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(help), "*mcp-tools-permissions*")
	_, example, _ := strings.Cut(section, ">lua\n")
	example, _, found := strings.Cut(example, "\n<")
	if !found {
		t.Fatal("the help has no example")
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		e.Lua(nil, example)
		var rules []map[string]any
		e.Lua(&rules, `return require("mcp-tools.permissions").rules()`)
		if len(rules) != 4 || e.Messages() != "" {
			t.Errorf("%v, told %q", rules, e.Messages())
		}
		for _, rule := range rules {
			if rule["invalid"] != nil {
				t.Error(rule)
			}
		}
	})
}

// What cannot be read at all opens nothing.
func TestRules_ThatCannotBeReadDenyEverything(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := &desk{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
		d.Lua(nil, `
			local paths = require("claudecode.paths")
			local expand_home = paths.expand_home
			paths.expand_home = function(path) return path == "/a" and error("broken") or expand_home(path) end`)
		d.Lua(nil, tools, options([]any{object{"tool": "run", "path": "/a", "action": "deny"}}))
		d.lock, d.client = d.Serve()
		d.call("look", nil).says("is invalid")
	})
}

// post sends one stateless request over HTTP, and returns the answer, if need be out of a
// stream.
func post(d *desk, id int, name, tool, arguments string) string {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},`+
		`"io.modelcontextprotocol/clientInfo":{"name":%q,"version":"1"}}}}`, id, tool, arguments, name)
	request, err := http.NewRequestWithContext(stage.Within(d.t), "POST", fmt.Sprintf("http://127.0.0.1:%d/mcp", d.lock.Port), strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + d.lock.AuthToken, "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool,
	} {
		request.Header.Set(name, value)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	in := bufio.NewScanner(response.Body)
	for in.Scan() {
		if strings.Contains(in.Text(), `"id":`) {
			return in.Text()
		}
	}
	return "no answer"
}

func (d *desk) post(id int, tool, arguments string) *pending {
	return d.postAs(id, "poster", tool, arguments)
}

func (d *desk) postAs(id int, name, tool, arguments string) *pending {
	p := &pending{d.t, make(chan string, 1)}
	go func() { p.answer <- post(d, id, name, tool, arguments) }()
	return p
}

func TestRules_NameToolsAsClientsSeeThem(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{"nvim_run": "deny", "nvim_look": "ask", "nvim_*": "allow"}))
		d.post(1, "nvim_run", `{}`).says(`"isError":true`, `denied by the rule \"nvim_run\"`)
		d.post(2, "run", `{}`).says(`"isError":true`, `denied by the rule \"nvim_run\"`)
		d.post(3, "nvim_careful", `{}`).says("did careful")
		d.call("run", nil).says(`denied by the rule \"nvim_run\"`)
		held := d.post(4, "nvim_look", `{"path":"a"}`)
		if text := d.asked(); !strings.Contains(text, "poster (http_") || !strings.Contains(text, "wants to call nvim_look") {
			t.Errorf("asked %s", text)
		}
		d.types("1")
		held.says("did look")
	})
}

// Whoever calls it, a tool is the same.
func TestRules_MeanAToolUnderBothItsNames(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options([]object{
			{"tool": "run", "action": "deny"}, {"tool": "nvim_*", "action": "allow"},
			{"tool": "nvim_look", "path": "**/.env*", "action": "deny"},
			{"tool": "careful", "action": "allow"},
		}))
		d.post(1, "nvim_run", `{}`).says(`denied by the rule \"run\"`)
		d.post(2, "nvim_look", `{"path":".env"}`).says("denied by")
		d.post(3, "nvim_careful", `{}`).says("did careful")
		d.call("look", object{"path": ".env"}).says("denied by")
		d.call("look", object{"path": "a"}).says("did look")
		d.call("run", nil).says(`denied by the rule \"run\"`)
	})
}

// failing options are ones that setup() cannot take.
const failing = `
	_G.failed = not pcall(require("mcp-tools").setup, %s)
	function _G.again() require("mcp-tools").setup({ permissions = { look = "allow" } }) end`

// Rules that nobody could read are rules.
func TestSetup_ThatFailsOpensNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, given := range []string{
			`"deny"`, `5`, `{ permissions = { coroutine.create(print) } }`,
			`{ permissions = { run = "deny" }, tools = { lsp = setmetatable({}, { __pairs = error, __index = error }), on_ready = 1, [print] = 1 }, bridge = { port = {} }, audit = { coroutine.create(print) } }`,
		} {
			d := &desk{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
			d.Lua(nil, strings.Replace(tools, `require("mcp-tools").setup(vim.json.decode(...))`, fmt.Sprintf(failing, given), 1))
			d.lock, d.client = d.Serve()
			if !eval[bool](d, `failed`) {
				d.call("run", nil).says("denied")
				continue
			}
			d.call("look", nil).says("its options cannot be read", "is invalid")
			d.Lua(nil, `again()`)
			d.settled()
			d.call("look", nil).says("did look")
		}
	})
}

func TestSetup_CalledAgainSaysWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options(object{"look": "deny"}))
		d.Lua(nil, `local setup = require("mcp-tools").setup
			setup() setup({}) setup({ permissions = { look = "deny" } })`)
		if text := d.Messages(); strings.Contains(text, "setup()") {
			t.Errorf("told %q", text)
		}
		d.Lua(nil, `require("mcp-tools").setup({ permissions = { run = "deny" } })`)
		d.eventually(`table.concat(require("claudecode.log").recent()):find("the permissions that it is given now do not hold", 1, true) ~= nil`)
		d.Lua(nil, `require("mcp-tools").setup({ edits = "direct" })`)
		d.eventually(`table.concat(require("claudecode.log").recent()):find("what it is given now is not read", 1, true) ~= nil`)
	})
}

// matching has rules about tools that are there, that could be, and that are none.
const matching = `{
	["nvim_run"] = "deny", look = "ask", ["*"] = "allow", ["nvim_exec_*"] = "ask", openDiff = "allow",
	["nvim_result_rest"] = "deny", ["nvim_dap_run"] = "ask", ["nvim_later"] = "deny", held = "deny",
	exec = "deny", ["mcp__nvim__nvim_lok"] = "deny", [".*"] = "deny",
}`

func TestRules_ThatAreAboutNoToolAreToldOnce(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := &desk{Editor: stage.Open(t, withUI(nvim)), t: t}
		d.Lua(nil, `
			require("mcp-tools.permissions.unmatched").wait_ms = 1e9
			_G.notified = {}
			vim.notify = function(message) table.insert(notified, message) end
			function _G.add(name)
				require("mcp-tools").register({ name = name, description = "d", execute = print })
			end
			add("held")
			require("mcp-tools").disable("held")`)
		d.Lua(nil, strings.Replace(tools, "vim.json.decode(...)", `{ permissions = `+matching+` }`, 1))
		d.lock, d.client = d.Serve()
		// By now every tool is there.
		d.Lua(nil, `require("mcp-tools.permissions.unmatched").wait_ms = 10 add("the_last")`)
		d.eventually(`#notified > 0`)
		told := eval[string](d, `table.concat(notified, "\n")`)
		want := `[mcp-tools] 4 permissions are about no tool (:checkhealth mcp-tools): ` +
			`the rule ".*"; the rule "exec"; the rule "mcp__nvim__nvim_lok"; the rule "nvim_later"`
		if told != want {
			t.Errorf("told %q", told)
		}
		health := func() string {
			d.Command("checkhealth mcp-tools")
			return eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
		}
		for _, said := range []string{
			`WARNING the rule "exec" (deny) is about no tool, and does nothing: did you mean "nvim_exec_*"?`,
			`the rule "mcp__nvim__nvim_lok" (deny) is about no tool, and does nothing: did you mean "nvim_look"?`,
			`the rule ".*" (deny)`, `the rule "nvim_later" (deny)`, "OK 8 rules",
		} {
			if text := health(); !strings.Contains(text, said) {
				t.Errorf("%q is not in\n%s", said, text)
			}
		}
		// It comes, and is no reason to tell of the others again.
		d.Lua(nil, `add("later") done = false vim.defer_fn(function() done = true end, 500)`)
		d.eventually(`done`)
		if text := health(); strings.Contains(text, "nvim_later") || eval[int](d, `#notified`) != 1 {
			t.Errorf("%s\ntold %q", text, eval[string](d, `table.concat(notified, "\n")`))
		}
	})
}

// TestRules_ThatAreWrongAreAllTold: in one message, of which a plugin shows all, the message area as
// much as fits, and the health check each.
func TestRules_ThatAreWrongAreAllTold(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, plugin := range []bool{true, false} {
			e := stage.Open(t, withUI(nvim))
			d := &desk{Editor: e, t: t}
			if plugin {
				d.Lua(nil, `notified = {} vim.notify = function(text) table.insert(notified, text) end`)
			}
			wrong := object{}
			for i := range 8 {
				wrong[fmt.Sprintf("nvim_%d", i)] = "alow"
			}
			d.Lua(nil, tools, options(wrong))
			if plugin {
				d.eventually(`#notified > 0`)
			}
			text := d.Messages()
			if plugin {
				text = eval[string](d, `table.concat(notified, "\n\n")`)
				for i := range 8 {
					if want := fmt.Sprintf(`permissions["nvim_%d"]: the action must be`, i); strings.Count(text, want) != 1 {
						t.Errorf("%q is not in %q", want, text)
					}
				}
			}
			if strings.Count(text, "8 permissions are wrong (:checkhealth") != 1 || strings.Contains(text, "\n\n") {
				t.Errorf("told %q", text)
			}
			if mode := eval[string](d, `vim.api.nvim_get_mode().mode`); mode != "n" {
				t.Errorf("the editor waits for a key, in mode %s", mode)
			}
			d.Command("checkhealth mcp-tools")
			text = eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
			if n := strings.Count(text, "ERROR permissions["); n != 8 {
				t.Errorf("%d are in\n%s", n, text)
			}
			d.Command("ClaudeCodeLog")
			if text = eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`); strings.Count(text, "permissions[") != 8 {
				t.Errorf("the log has\n%s", text)
			}
		}
	})
}

func TestHealth_ShowsRulesThatAreWrong(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options(object{"run": "alow", "look": "ask"}))
		d.Command("checkhealth mcp-tools")
		text := eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
		for _, want := range []string{`ERROR permissions["run"]: the action must be one of allow, ask, deny, not "alow". Until that is corrected, run is denied`, "OK 1 rule:"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	})
}

func TestAudit_HasNamesAndSizesOnly(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, `{"permissions":{"look":"deny"},"audit":{"enabled":true,"file":"~/logs/audit.jsonl","max_size":100000}}`)
		d.call("run", object{"code": "a secret"}).says("did run")
		d.call("look", object{"path": "/a/secret"}).says("denied")
		file := filepath.Join(nvimtest.Lookup(d.Env, "HOME"), "logs", "audit.jsonl")
		var text []byte
		nvimtest.Eventually(t, "both calls are in the log", func() bool {
			text, _ = os.ReadFile(file)
			return bytes.Count(text, []byte("\n")) == 2
		})
		if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		if bytes.Contains(text, []byte("secret")) {
			t.Errorf("it quotes: %s", text)
		}
		lines := bytes.SplitN(text, []byte("\n"), 2)
		for i, want := range []map[string]any{
			{"tool": "run", "client": "client_1", "name": "claude-code", "decision": "allow", "outcome": "ok", "bytes_in": 19.0},
			{"tool": "look", "decision": "deny", "outcome": "denied", "rule": `the rule "look"`},
		} {
			var got map[string]any
			if err := json.Unmarshal(lines[i], &got); err != nil {
				t.Fatal(err)
			}
			for key, value := range want {
				if got[key] != value {
					t.Errorf("%s is %v, want %v", key, got[key], value)
				}
			}
		}
	})
}

func TestAudit_IsOffByDefault(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options(object{}))
		if got := eval[string](d, `vim.inspect(require("mcp-tools.permissions").message())`); got != "{\n  rules = {}\n}" {
			t.Error(got)
		}
		d.Lua(nil, `require("mcp-tools.config").setup({ audit = { enabled = true } })`)
		want := filepath.Join(nvimtest.Lookup(d.Env, "XDG_STATE_HOME"), "nvim", "claudecode", "audit.jsonl")
		if got := eval[string](d, `require("mcp-tools.permissions").message().audit.file`); got != want {
			t.Errorf("the file is %s, want %s", got, want)
		}
	})
}

func TestActivity_ShowsWhatEachClientDoesWhileItIsOpen(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{"run": "ask"}))
		d.Lua(nil, `require("claudecode.live_view").refresh_ms = 20`)
		d.Command("vsplit")
		layout := eval[string](d, `vim.inspect({ vim.fn.winlayout(), vim.api.nvim_get_current_win(), vim.fn.winsaveview() })`)
		d.call("look", object{"path": "a"}).says("did look")
		d.Command("ClaudeCodeActivity")
		shows := func(text string) {
			t.Helper()
			d.eventually(fmt.Sprintf(`table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"):find(%q) ~= nil`, text))
		}
		shows("Now\n  Nothing runs")
		shows("Clients\n  client_1 %(claude%-code%)")
		shows(`ago  client_1 %(claude%-code%)  look  done after %d+ ms, 12 B in, 10 B out`)
		if eval[bool](d, `vim.bo.modifiable`) {
			t.Error("it can be changed")
		}
		held := d.call("run", nil)
		d.asked()
		d.types("<C-w>p") // from the question to the view
		d.eventually(`vim.bo.filetype == "claudecode-activity"`)
		shows(`client_1 %(claude%-code%)  run  waits for your permission`)
		if got := eval[string](d, `require("claudecode.activity").text`); got != "waiting for your permission" {
			t.Errorf("the status line says %q", got)
		}
		d.Lua(nil, `vim.api.nvim_set_current_win(`+question+`)`)
		d.types("4")
		held.says("the user denied run")
		d.eventually(`vim.bo.filetype == "claudecode-activity"`)
		shows(`run   denied, the rule "run" after`)
		d.types("q")
		d.eventually(`vim.bo.filetype == ""`)
		if got := eval[string](d, `vim.inspect({ vim.fn.winlayout(), vim.api.nvim_get_current_win(), vim.fn.winsaveview() })`); got != layout {
			t.Errorf("the layout is %s, not %s", got, layout)
		}
		// Nobody asks any more.
		d.Lua(nil, `asked = 0
			local notify = require("claudecode.daemon").notify
			require("claudecode.daemon").notify = function(...) asked = asked + 1 return notify(...) end
			later = nil
			vim.defer_fn(function() later = asked end, 200)`)
		d.eventually(`later == 0`)
	})
}
