// Copyright (c) 2026 the claudecoded authors. MIT license.

package integrations

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/wire"
)

// recordingCurl is curl, with what everybody on the machine could see of it.
var recordingCurl = map[string]string{"curl": `printf '%s\n' "$@" >> "$HOME/curl.args"
env >> "$HOME/curl.env"
PATH=${PATH#*:} exec curl "$@"
`}

// openCode stands in for an OpenCode's server: it takes the configuration of an MCP server,
// connects to that as OpenCode does, and answers how it went.
type openCode struct {
	t *testing.T
	*httptest.Server
	// reply takes the place of its own answer.
	reply func(w http.ResponseWriter, body []byte)

	mu    sync.Mutex
	added []added
}

// added is what POST /mcp got.
type added struct {
	Name   string
	Config struct {
		Type, URL string
		Headers   map[string]string
	}
	auth string
}

func startOpenCode(t *testing.T, reply func(w http.ResponseWriter, body []byte)) *openCode {
	t.Helper()
	o := &openCode{t: t, reply: reply}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", o.add)
	o.Server = httptest.NewServer(mux)
	t.Cleanup(o.Close)
	return o
}

func (o *openCode) add(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	one := added{auth: r.Header.Get("Authorization")}
	if err != nil || json.Unmarshal(body, &one) != nil || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "bad request", 400)
		return
	}
	o.mu.Lock()
	o.added = append(o.added, one)
	o.mu.Unlock()
	if o.reply != nil {
		o.reply(w, body)
		return
	}
	status := map[string]string{"status": "connected"}
	if err := one.connect(); err != nil {
		status = map[string]string{"status": "failed", "error": err.Error()}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{one.Name: status})
}

// connect begins a session of MCP.
func (a added) connect() error {
	request, err := http.NewRequest("POST", a.Config.URL, strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize",`+
		`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"opencode","version":"1"}}}`))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range a.Config.Headers {
		request.Header.Set(name, value)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != 200 {
		return fmt.Errorf("HTTP %d", response.StatusCode)
	}
	return nil
}

// got waits until it was asked n times, and returns what with.
func (o *openCode) got(n int) []added {
	o.t.Helper()
	var all []added
	nvimtest.Eventually(o.t, fmt.Sprintf("OpenCode is told %d times", n), func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		all = append([]added(nil), o.added...)
		return len(all) >= n
	})
	return all
}

// withOpenCode starts an editor whose user has opencode.nvim, with its state in one of two layouts.
func withOpenCode(t *testing.T, nvim, layout string) *desk {
	t.Helper()
	d := open(t, nvim, recordingCurl)
	d.Lua(nil, `
		local data = ...
		vim.opt.runtimepath:append(data .. "/" .. "`+layout+`")
		OpenCode = dofile(data .. "/server.lua")
		function put(server)
			local state = require("opencode.state")
			if state.jobs then
				state.jobs.set_server(server)
			else
				state.opencode_server = server
			end
		end
		function settle() -- what is scheduled runs
			local over
			vim.schedule(function() over = true end)
			assert(vim.wait(10000, function() return over end))
		end
	`, filepath.Join(nvimtest.Root(t), "test", "integrations", "testdata"))
	return d
}

const optIn = `setup({ integrations = { opencode = true }, debug = true })`

func TestOpenCode_IsToldOfTheServer(t *testing.T) {
	t.Parallel()
	rows := map[string]string{
		"nothing runs":          optIn + ` opencode = OpenCode.new() put(opencode) opencode:serve(...)`,
		"it runs already":       `opencode = OpenCode.new():serve(...) put(opencode) settle() ` + optIn,
		"the server runs":       optIn + ` vim.cmd.ClaudeCodeStart() opencode = OpenCode.new() put(opencode) opencode:serve(...)`,
		"the user started it":   optIn + ` mcp.start() opencode = OpenCode.new():serve(...) put(opencode)`,
		"the url ends in slash": optIn + ` opencode = OpenCode.new():serve(... .. "/") put(opencode)`,
	}
	for _, layout := range []string{"before", "after"} {
		for name, script := range rows {
			t.Run(layout+"/"+name, func(t *testing.T) {
				nvimtest.Each(t, func(t *testing.T, nvim string) {
					d, o := withOpenCode(t, nvim, layout), startOpenCode(t, nil)
					d.Lua(nil, script, o.URL)
					one := o.got(1)[0]
					if want := fmt.Sprintf("http://127.0.0.1:%d/mcp", d.port()); one.Name != "nvim-tools" || one.Config.Type != "remote" || one.Config.URL != want {
						t.Errorf("%+v, not %s", one, want)
					}
					if asks := one.auth != ""; asks != (layout == "after") {
						t.Errorf("credentials %q", one.auth)
					}
					d.says("OpenCode has the editor's tools")
					d.expect("heard", fmt.Sprintf("{ { %d } }", d.port()))
					expectHidden(t, d, one)
				})
			})
		}
	}
}

// expectHidden checks that nobody on the machine could see the secrets.
func expectHidden(t *testing.T, d *desk, one added) {
	t.Helper()
	seen := d.read("curl.args") + d.read("curl.env") + d.shown("notified")
	if !strings.Contains(seen, "--config") {
		t.Errorf("curl was not seen: %s", seen)
	}
	for _, secret := range []string{d.token(), strings.TrimPrefix(one.auth, "Basic ")} {
		if secret != "" && strings.Contains(seen, secret) {
			t.Errorf("%s is in %s", secret, seen)
		}
	}
}

func TestOpenCode_EndStopsOnlyWhatWasStartedForIt(t *testing.T) {
	t.Parallel()
	rows := map[string]struct{ before, want string }{
		"for it alone":       {"", `{ { PORT, "stopped" }, false }`},
		"for Claude Code":    {"vim.cmd.ClaudeCodeStart()", `{ { PORT, "stopped" }, true }`},
		"for the user's own": {"mcp.start()", `{ { PORT }, true }`},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d, o := withOpenCode(t, nvim, "after"), startOpenCode(t, nil)
				d.Lua(nil, optIn+row.before+` put(OpenCode.new():serve(...))`, o.URL)
				o.got(1)
				port := fmt.Sprint(d.port())
				d.Lua(nil, `put(nil) settle()`)
				d.expect("heard, mcp.is_running()", strings.ReplaceAll(row.want, "PORT", port))
				// The next one is told too.
				d.Lua(nil, `put(OpenCode.new():serve(...))`, o.URL)
				o.got(2)
			})
		})
	}
}

func TestOpenCode_ThatCannotBeReachedIsTriedAgain(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := withOpenCode(t, nvim, "before")
		d.Lua(nil, `require("mcp-tools.integrations.opencode").retry_ms = { 1, 1 } `+optIn+` put(OpenCode.new():serve(...))`,
			fmt.Sprintf("http://127.0.0.1:%d", wire.ClosedPort(t)))
		d.says("Failed to reach OpenCode: curl: (7)")
		if n := strings.Count(d.read("curl.args"), "--config"); n != 3 {
			t.Errorf("%d tries", n)
		}
		if n := strings.Count(d.shown("notified"), "Failed to reach"); n != 1 {
			t.Errorf("told %d times", n)
		}
		o := startOpenCode(t, nil)
		d.Lua(nil, `put(OpenCode.new():serve(...))`, o.URL)
		d.says("OpenCode has the editor's tools")
	})
}

func TestOpenCode_AnswersAreTold(t *testing.T) {
	t.Parallel()
	say := func(status int, text string) func(http.ResponseWriter, []byte) {
		return func(w http.ResponseWriter, _ []byte) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	rows := map[string]struct {
		reply func(http.ResponseWriter, []byte)
		says  string
	}{
		"disabled":      {say(200, `{"nvim-tools":{"status":"disabled"}}`), "OpenCode has the editor's tools disabled"},
		"failed":        {say(200, `{"nvim-tools":{"status":"failed","error":"why"}}`), "OpenCode failed to connect to the editor: why"},
		"without names": {say(200, `{"status":"failed"}`), "OpenCode failed to connect to the editor: no reason given"},
		"no JSON":       {say(200, `<html>`), "OpenCode said something else than how it went: <html>"},
		"no table":      {say(200, `7`), "OpenCode said something else than how it went: 7"},
		"nothing":       {say(200, ``), "OpenCode said something else than how it went: "},
		"not found":     {say(404, `none`), "OpenCode returned HTTP 404: none"},
		// What is refused may be quoted.
		"an echo": {func(w http.ResponseWriter, body []byte) {
			w.WriteHeader(400)
			_, _ = w.Write(body)
		}, "Bearer <token>"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d, o := withOpenCode(t, nvim, "before"), startOpenCode(t, row.reply)
				d.Lua(nil, optIn+` put(OpenCode.new():serve(...))`, o.URL)
				d.says(row.says)
				if strings.Contains(d.shown("notified"), d.token()) {
					t.Error("the token is told")
				}
			})
		})
	}
}

func TestOpenCode_ThatIsNotThereIsSaid(t *testing.T) {
	each(t, func(d *desk) {
		d.Lua(nil, optIn)
		d.says("integrations.opencode is not available: opencode.nvim is not there")
		d.Lua(nil, `
			package.loaded["opencode.state"] = {}
			local ok, err = pcall(require("mcp-tools.integrations.opencode").setup)
			assert(not ok and err == "this opencode.nvim has no opencode.state that can be subscribed to", err)
		`)
	})
}

// A machine without curl.
func TestOpenCode_SaysThatCurlIsMissing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d, o := withOpenCode(t, nvim, "before"), startOpenCode(t, nil)
		if err := os.Remove(filepath.Join(d.home, "bin", "curl")); err != nil {
			t.Fatal(err)
		}
		d.Lua(nil, `require("mcp-tools.integrations.opencode").retry_ms = {} `+
			`vim.env.PATH = vim.env.HOME .. "/bin" `+optIn+` put(OpenCode.new():serve(...))`, o.URL)
		d.says("Failed to reach OpenCode: ")
		d.port()
	})
}
