// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/neovim/go-client/nvim"

	"claudecoded/mcp"
	"claudecoded/test/nvimtest"
)

// run calls the tool lua of script with code, which returns an answer.
func run(token uint64, code string) mcp.Call {
	return mcp.Call{Token: token, Tool: "lua", Client: "client_1", Args: appendArgs(object{"code": code})}
}

func appendArgs(args map[string]any) []byte {
	b := []byte("{")
	for k, v := range args {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, []byte(k)), ':')
		b = appendQuoted(b, []byte(v.(string)))
	}
	return append(b, '}')
}

func TestNeovim_ResultsCrossUnchanged(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, _ := neovim(t, nvimtest.Options{Nvim: binary})
		var token uint64
		for _, c := range []struct{ lua, want string }{
			{`{}`, `[]`},
			{`vim.empty_dict()`, `{}`},
			{`vim.NIL`, `null`},
			{`nil`, `null`},
			{`{ a = { vim.empty_dict(), {} } }`, `{"a":[{},[]]}`},
			{`2^53`, `9007199254740992`},
			{`-2^53`, `-9007199254740992`},
			{`123456789012345678`, `123456789012345680`}, // a double already in Lua
			{`1.5`, `1.5`},
			{`0.1`, `0.1`},
			{`5.0`, `5`},
			{`1e300`, `1e+300`},
			{`"a\0b\255c"`, `"a\u0000b�c"`},
			{`{ "\226\130" }`, `["�"]`},
			{`string.rep("x", 100000):len()`, `100000`},
			{`{ ["a b"] = { 1, 0/0 } }`, `error -32000 result.a b[1] has no JSON form: NaN`},
			{`{ -1/0 }`, `error -32000 result[0] has no JSON form: an infinite number`},
		} {
			token++
			h.call(run(token, "return { done = true, result = "+c.lua+" }"))
			got := h.finished(t, token)
			if e, _, failed := strings.Cut(got, ` "`); failed && strings.HasPrefix(got, "error") {
				got = e
			}
			if got != c.want {
				t.Errorf("%s became %s, want %s", c.lua, got, c.want)
			}
		}
	})
}

func TestNeovim_ArgumentsCrossAsText(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, v := neovim(t, nvimtest.Options{Nvim: binary})
		text := `{"code":"return { done = true, result = 'ü' }","pad":"` + strings.Repeat("x", 2<<20) + `"}`
		deadline := time.Now().Add(time.Hour)
		h.call(mcp.Call{Token: 1, Tool: "lua", Client: "client_7", Args: []byte(text), Deadline: deadline})
		if got := h.finished(t, 1); got != `"ü"` {
			t.Error(got)
		}
		h.call(run(2, "return { done = true }"))
		h.finished(t, 2)
		var calls []struct {
			Client    string `msgpack:"client"`
			Remaining int64  `msgpack:"remaining_ms"`
			Expires   int64  `msgpack:"expires_unix_ms"`
		}
		const heard = `return vim.tbl_map(function(h) return h[3] end, vim.tbl_filter(function(h) return h[1] == "call" end, require("claudecode.rpc").heard))`
		if err := v.ExecLua(heard, &calls); err != nil || len(calls) != 2 {
			t.Fatal(calls, err)
		}
		if c := calls[0]; c.Client != "client_7" || c.Remaining < 3590e3 || c.Remaining > 3600e3 || c.Expires != deadline.UnixMilli() {
			t.Errorf("%+v, want %d", c, deadline.UnixMilli())
		}
		if c := calls[1]; c.Remaining != 0 || c.Expires != 0 {
			t.Errorf("a call without a deadline has one: %+v", c)
		}
	})
}

func TestNeovim_FailuresAreErrorsOfTheCall(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, _ := neovim(t, nvimtest.Options{Nvim: binary})
		for token, c := range []struct{ lua, want string }{
			{`error("boom")`, "boom"},
			{`return { done = true, result = function() end }`, "Cannot convert"},
			{`return { done = true, result = { 1, x = 2 } }`, "Cannot convert"},
			{`local t = {} t.t = t return { done = true, result = t }`, "the plugin failed: "},
			{`return nil`, "unexpected format"},
			{`return 5`, "unexpected format"},
			{`return { done = true, error = { code = -32001, message = "File not open", data = { 1 } } }`, "error -32001 File not open [1]"},
			{`return { done = true, error = "no" }`, `error -32000 no "no"`},
		} {
			h.call(run(uint64(token), c.lua))
			if got := h.finished(t, uint64(token)); !strings.HasPrefix(got, "error") || !strings.Contains(got, c.want) {
				t.Errorf("%s: %s, want %s", c.lua, got, c.want)
			}
		}
	})
}

func TestNeovim_PendingCallsEndByAPush(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, v := neovim(t, nvimtest.Options{Nvim: binary})
		for token := range uint64(6) { // more than may be outstanding
			h.call(named(token, "later"))
		}
		h.call(run(6, "return { done = true, result = 'between' }"))
		h.finished(t, 6)
		lua(t, v, `for token = 0, 5 do require("claudecode.rpc").tell("tool_done", { token = token, result = { token } }) end`)
		for token := range uint64(6) {
			if got := h.finished(t, token); got != fmt.Sprintf("[%d]", token) {
				t.Error(got)
			}
		}
		h.call(run(7, `require("claudecode.rpc").tell("tool_done", { token = ({...})[1], result = "at once" }) return { pending = true }`))
		if got := h.finished(t, 7); got != `"at once"` {
			t.Error(got)
		}
	})
}

func TestNeovim_PushesArriveInOrder(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, v := neovim(t, nvimtest.Options{Nvim: binary})
		h.loop.do(func() {
			b := h.bridge
			b.Ready(Listening{Port: 10000, Token: "tok"})
			b.ClientOpened(1)
			b.ClientReady(1)
			b.Written(4, 0)
			b.Log("warn", "line")
			b.ClientClosed(1, 1006, "Connection timeout")
			b.Failed("why", "")
			b.Failed("taken", ReasonPort)
		})
		var heard []array
		nvimtest.Eventually(t, "the last push came", func() bool {
			heard = nil
			if err := v.ExecLua(`return require("claudecode.rpc").heard`, &heard); err != nil {
				t.Fatal(err)
			}
			return len(heard) == 8
		})
		ready, _ := heard[0][1].(object)
		want := fmt.Sprintf(`[[client_opened 1] [client_ready 1] [written 4 0] [log warn line] [client_closed 1 1006 Connection timeout] [failed map[message:why protocol:%d]] [failed map[message:taken protocol:%[1]d reason:port]]]`, Protocol)
		if got := fmt.Sprint(heard[1:]); got != want || fmt.Sprint(ready["port"], ready["pid"]) != fmt.Sprint(10000, os.Getpid()) {
			t.Errorf("%s\n%v, want\n%s", got, ready, want)
		}
	})
}

func TestNeovim_ErrorsOfPushesAreLoggedWithoutContent(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, _ := neovim(t, nvimtest.Options{Nvim: binary})
		h.loop.do(func() { h.bridge.Log("info", "raise") })
		nvimtest.Eventually(t, "the error is logged", func() bool {
			return strings.Contains(h.log.String(), "neovim reports an error in a push")
		})
		h.call(run(1, "return { done = true }"))
		h.finished(t, 1)
		if log := h.log.String(); strings.Contains(log, "secret") || !strings.Contains(log, "level=WARN") {
			t.Error(log)
		}
	})
}

func TestNeovim_RequestsAreServedWhileACallRuns(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		h, v := neovim(t, nvimtest.Options{Nvim: binary})
		h.call(run(1, `return { done = true, result = require("claudecode.rpc").ask("status").port }`))
		if got := h.finished(t, 1); got != "4711" {
			t.Error(got)
		}
		err := v.ExecLua(`require("claudecode.rpc").ask("no_such_request")`, nil)
		if err == nil || !strings.Contains(err.Error(), "unknown request method") {
			t.Error(err)
		}
	})
}

func TestNeovim_IsGoneHoweverItEnds(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		for _, how := range []string{"qall!", "cquit", "lua vim.uv.kill(vim.fn.getpid(), 9)"} {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				h, v := neovim(t, nvimtest.Options{Nvim: binary})
				h.call(named(1, "later"))
				_ = v.Command(how) // the channel closes instead of an answer
				h.eventually(t, "Neovim is gone", func() bool { return len(h.gone) == 1 })
				if got := h.finished(t, 1); !strings.Contains(got, "Neovim is gone") {
					t.Error(got)
				}
			})
		}
	})
}

func TestAttached_WithThePluginItself(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		env := nvimtest.Env(t)
		h, cfg := newHost(t)
		b, err := Headless(cfg, Command{Path: binary, Args: []string{"--clean"}, Env: env, Dir: nvimtest.Lookup(env, "HOME")})
		if err != nil {
			t.Fatal(err)
		}
		h.serve(t, b)
		ctx, cancel := context.WithTimeout(context.Background(), nvimtest.Patience)
		defer cancel()
		if err := b.Attached(ctx, nvimtest.Root(t)); err != nil {
			t.Fatal(err)
		}
		h.eventually(t, "the daemon is started", func() bool { return h.start != nil })
		if h.start.Protocol != Protocol || h.start.PID != b.child.process.Pid || h.start.IDEName != "Neovim" || len(h.start.WorkspaceFolders) == 0 {
			t.Errorf("%+v", h.start)
		}
		if len(h.tools) == 0 {
			t.Error("the catalogue is empty")
		}
	})
}

func TestAttached_MakesThePluginLoadable(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		root := filepath.Join(nvimtest.Dir(t), "a,b c")
		if err := os.MkdirAll(filepath.Join(root, "lua", "claudecode"), 0o700); err != nil {
			t.Fatal(err)
		}
		code := strings.Replace(script, `package.loaded["claudecode.rpc"] = M`, "return M", 1)
		if err := os.WriteFile(filepath.Join(root, "lua", "claudecode", "rpc.lua"), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		v := nvimtest.Start(t, nvimtest.Options{Nvim: binary})
		h, cfg := newHost(t)
		var addr string
		if err := v.Call("serverstart", &addr, "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			b, err := Attach(context.Background(), cfg, addr)
			if err != nil {
				t.Fatal(err)
			}
			h.serve(t, b)
			ctx, cancel := context.WithTimeout(context.Background(), nvimtest.Patience)
			defer cancel()
			if err := b.Attached(ctx, root+"/"); err != nil {
				t.Fatal(err)
			}
		}
		h.eventually(t, "the daemon is started", func() bool { return h.start != nil })
		if len(h.tools) != 1 || h.tools[0].Name != "echo" || h.tools[0].Timeout >= 0 {
			t.Errorf("%+v", h.tools)
		}
		var entries int
		if err := v.ExecLua(`return select(2, vim.o.runtimepath:gsub("a\\,b c", ""))`, &entries); err != nil || entries != 1 {
			t.Errorf("%d entries on the runtime path, %v", entries, err)
		}
	})
}

func TestAttached_ReportsAPluginThatCannotAnswer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		for answer, want := range map[string]string{
			`error("too old", 0)`:                                      "too old",
			`return { tools = {}, start = { protocol = 0 } }`:          "speaks protocol 5 and the plugin protocol 0",
			`return { tools = {}, start = { protocol = "x" } }`:        "protocol has the wrong type",
			`return { start = { protocol = 5 } }`:                      "tools is missing",
			`return {}`:                                                "speaks protocol 5 and the plugin protocol 0",
			`return { tools = 5, start = { protocol = 5 } }`:           "tools has the wrong type",
			`return { tools = {}, start = { protocol = 5, pid = {} }}`: "pid has the wrong type",
		} {
			v := nvimtest.Start(t, nvimtest.Options{Nvim: binary})
			lua(t, v, `package.loaded["claudecode.rpc"] = { handle = function() `+answer+` end }`)
			err := attached(t, v)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", answer, err)
			}
		}
	})
}

func attached(t *testing.T, v *nvim.Nvim) error {
	t.Helper()
	var addr string
	if err := v.Eval("v:servername", &addr); err != nil {
		t.Fatal(err)
	}
	h, cfg := newHost(t)
	b, err := Attach(context.Background(), cfg, addr)
	if err != nil {
		t.Fatal(err)
	}
	h.serve(t, b)
	ctx, cancel := context.WithTimeout(context.Background(), nvimtest.Patience)
	defer cancel()
	return b.Attached(ctx, nvimtest.Root(t))
}

func TestHeadless_EndsItsChild(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		for name, after := range map[string]string{"idle": "", "stuck": "while true do end"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h, cfg := newHost(t)
				b, err := Headless(cfg, Command{Path: binary, Args: []string{"--clean", "-n"}, Env: nvimtest.Env(t)})
				if err != nil {
					t.Fatal(err)
				}
				h.serve(t, b)
				mark := filepath.Join(nvimtest.Dir(t), "mark")
				code := "io.open(..., 'w'):close() " + after
				h.loop.do(func() { b.send(item{method: "nvim_exec_lua", args: []any{code, array{mark}}}) })
				nvimtest.Eventually(t, "the code runs", func() bool {
					_, err := os.Stat(mark)
					return err == nil
				})
				begin := time.Now()
				if err := b.Close(); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took > childGrace+nvimtest.Patience {
					t.Errorf("it took %s", took)
				}
				select {
				case <-b.child.exited:
				default:
					t.Error("the child still runs")
				}
			})
		}
	})
}

func TestHeadless_SaysWhyNeovimDoesNotStart(t *testing.T) {
	t.Parallel()
	_, cfg := newHost(t)
	b, err := Headless(cfg, Command{Path: filepath.Join(nvimtest.Dir(t), "no-nvim")})
	if b != nil || err == nil || !strings.HasPrefix(err.Error(), "starting neovim: ") {
		t.Error(err)
	}
}

func TestHeadless_ReportsAChildThatDies(t *testing.T) {
	t.Parallel()
	h, cfg := newHost(t)
	b, err := Headless(cfg, Command{Path: "false"})
	if err != nil {
		t.Fatal(err)
	}
	h.serve(t, b)
	h.eventually(t, "it is gone", func() bool { return len(h.gone) == 1 && h.gone[0] == io.EOF })
}
