// Copyright (c) 2026 the claudecoded authors. MIT license.

package facade_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// scripted is a tool whose execute is the Lua code of the global body.
const scripted = `
	body = ""
	require("mcp-tools").register({ name = "t", description = "d", ide = true, execute = function(...)
		return assert(loadstring("local cb, args, ctx = ... " .. body))(...)
	end })
`

// begin is how the answer to request 7 begins.
const begin = `{"jsonrpc":"2.0","id":7,`

// text is the result that is one text.
func text(s string) string {
	quoted, _ := json.Marshal(s)
	return `"result":{"content":[{"type":"text","text":` + string(quoted) + `}]}}`
}

// failure is the error of a tool that failed with a text.
func failure(s string) string {
	quoted, _ := json.Marshal(s)
	return `"error":{"code":-32000,"message":` + string(quoted) + `,"data":` + string(quoted) + `}}`
}

const nothing = `"error":{"code":-32603,"message":"Internal error","data":"Tool handler returned unexpected format"}}`

// answers is what each way of a tool to end becomes.
var answers = []struct{ name, body, want string }{
	{"text", `cb("a\nb")`, text("a\nb")},
	{"an empty text", `cb("")`, text("")},
	{"a result of MCP", `cb({ content = { { type = "text", text = "x" } }, isError = true })`,
		`"result":{"content":[{"type":"text","text":"x"}],"isError":true}}`},
	{"number", `cb(1.5)`, text("1.5")},
	{"false", `cb(false)`, text("false")},
	{"twice", `cb("first") cb("second")`, text("first")},
	{"an error behind the callback", `cb("first") error("late", 0)`, failure("Tool execution error: late")},
	{"nothing", `cb()`, nothing},
	{"null", `cb(vim.NIL)`, nothing},
	{"NaN", `cb({ x = 0 / 0 })`, failure("result.x: NaN has no JSON form")},
	{"infinity", `cb(1 / 0)`, failure("result: an infinite number has no JSON form")},
	{"function", `cb({ items = { print } })`, failure("result.items[1]: a function has no JSON form")},
	{"cycle", `local t = {} t.t = t cb(t)`, failure("result.t: a table that contains itself has no JSON form")},
	{"sparse", `cb({ 1, nil, 3, [9] = 1 })`, failure("result: a list with holes has no JSON form")},
	{"mixed", `cb({ a = { 1, b = 2 } })`, failure("result.a: a table with both names and indexes has no JSON form")},
	{"an empty list", `cb({ a = {} })`, text(`{"a":[]}`)},
	{"an empty object", `cb({ a = vim.empty_dict() })`, text(`{"a":{}}`)},
	{"{}", `cb({})`, text(`[]`)},
	{"an empty dict", `cb(vim.empty_dict())`, text(`{}`)},
	{"null in a list", `cb({ 1, vim.NIL })`, text(`[1,null]`)},
	{"bytes that are no UTF-8", `cb("a\255b")`, text("a�b")},
	{"such bytes in a table", `cb({ ["k\255"] = "a\255b" })`, text(`{"k�":"a�b"}`)},
	{"15 digits", `cb({ 123456789012345 })`, text(`[123456789012345]`)},
	{"16 digits", `cb({ -9007199254740991 })`, text(`[-9007199254740991]`)},
	{"digits of a float", `cb({ 0.1, 1 / 3 })`, text(`[0.1,0.3333333333333333]`)},
	{"a slash and a quote", `cb({ 'a/"b\\' })`, text(`["a/\"b\\"]`)},
	{"raised text", `error("bad", 0)`, failure("Tool execution error: bad")},
	{"a raised error", `error({ code = -5, message = "m", data = { 1 } })`, `"error":{"code":-5,"message":"m","data":[1]}}`},
	{"another raised table", `error({ 7 })`, failure("Tool execution error: { 7 }")},
	{"an error", `cb(nil, "bad")`, failure("bad")},
	{"an error beside a result", `cb("result", "bad")`, failure("bad")},
	{"an error table", `cb(nil, { code = -7, message = "m" })`, `"error":{"code":-7,"message":"m"}}`},
	{"an error with data that has no form", `cb(nil, { code = -7, message = "m", data = { 0 / 0 } })`,
		`"error":{"code":-7,"message":"m","data":"{ nan }"}}`},
	{"an empty error", `cb(nil, "")`, failure("Tool failed")},
	{"a number as error", `cb(nil, 5)`, failure("5")},
	{"a missing argument", `cb(args.none == nil)`, text("true")},
}

// digits are the arguments of a call of t, which gives them back.
const digits = `{"fifteen":123456789012345,"list":[-999999999999999,9007199254740991],"float":0.1,"exponent":1e15,"text":"é\u0000\ud83d\ude00"}`

func TestRegistry_ArgumentsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, scripted+`body = "cb(args)"`)
		for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
			give(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":` + digits + `}}`)
			var got struct {
				Result struct{ Content []struct{ Text string } }
			}
			if err := json.Unmarshal([]byte(p.read()), &got); err != nil || len(got.Result.Content) != 1 {
				t.Fatalf("%s: %v %v", way, err, got)
			}
			want := spelled(t, strings.Replace(digits, "1e15", "1000000000000000", 1))
			if text := spelled(t, got.Result.Content[0].Text); text != want {
				t.Errorf("%s:\n got %s\nwant %s", way, text, want)
			}
		}
	})
}

func TestRegistry_TakesLargeArguments(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		const size = 12 << 20
		p := serve(t, nvim, scripted+`body = "cb(#args.text)"`)
		message := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":{"text":"` + strings.Repeat("x", size) + `"}}}`
		for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
			give(message)
			if got, want := p.read(), spelled(t, begin+text(fmt.Sprint(size))); got != want {
				t.Errorf("%s: %.300s", way, got)
			}
		}
	})
}

func TestContext_WorksOverTheSocket(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, scripted+`body = [[
			ctx.progress(1, 2, "half")
			context, told = ctx, ctx.client .. " " .. tostring(ctx.remaining_ms > 0 and ctx.remaining_ms <= 30000)
			ctx.on_cancel(function() told = told .. " cancelled " .. tostring(ctx.cancelled()) end)
		]]`)
		p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}`)
		want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"message":"half","progress":1,"progressToken":"p","total":2}}`
		if got := p.read(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		p.eventually(`told == "client_1 true"`)
		p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		p.eventually(`told == "client_1 true cancelled true"`)
		// Nothing of it reaches the client any more.
		p.Lua(nil, `context.progress(2)`)
		p.send(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
		if got := p.read(); got != `{"id":8,"jsonrpc":"2.0","result":{}}` {
			t.Error(got)
		}
		// One whose client leaves is cancelled too.
		p.send(call("9"))
		p.eventually(`told == "client_1 true"`)
		if err := p.conn.Close(); err != nil {
			t.Fatal(err)
		}
		p.eventually(`told == "client_1 true cancelled true"`)
		p.eventually(`require("mcp-tools.registry").pending_count() == 0`)
	})
}

// later makes a tool's code answer after it returned, once the message was handled.
func later(body string) string {
	return `vim.schedule(function() ` + body + ` end)`
}

func TestRegistry_AnswersAreTheSameOverTheSocketAndThroughLua(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, scripted)
		for _, a := range answers {
			bodies := map[string]string{"at once": a.body}
			if !strings.Contains(a.body, "error(") { // nobody is there to catch a later one
				bodies["later"] = later(a.body)
			}
			for when, body := range bodies {
				p.Lua(nil, `body = ...`, body)
				for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
					give(call("7"))
					want := spelled(t, begin+a.want)
					if got := p.read(); got != want {
						t.Errorf("%s, %s, %s:\n got %.300s\nwant %.300s", a.name, when, way, got, want)
					}
				}
			}
		}
		if n := value[int](p.Editor, `return require("mcp-tools.registry").pending_count()`); n != 0 {
			t.Errorf("%d calls are pending", n)
		}
	})
}

func TestRegistry_AResultThatIsTooLargeIsAnError(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, scripted+`body = "cb(('x'):rep(20 * 1024 * 1024))"`)
		size := len(begin+text("")) + (20 << 20)
		want := spelled(t, begin+failure(fmt.Sprintf("the answer has %d bytes, and this client takes %d", size, 16<<20)))
		for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
			give(call("7"))
			if got := p.read(); got != want {
				t.Errorf("%s:\n got %.300s\nwant %s", way, got, want)
			}
		}
		if n := value[int](p.Editor, `return #require("mcp-tools.registry").execute("t", {}).result`); n != 20<<20 {
			t.Errorf("the registry gave %d bytes", n)
		}
	})
}

func TestRegistry_ACallbackThatNeverComesEndsAtTheToolsTimeout(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, `
			told = {}
			require("mcp-tools").register({ name = "t", description = "d", ide = true, timeout = 2000, execute = function(cb, _, ctx)
				late = cb
				ctx.on_cancel(function() table.insert(told, tostring(ctx.cancelled())) end)
			end })
		`)
		p.send(call("1"))
		want := spelled(t, `{"jsonrpc":"2.0","id":1,`+failure("t: no answer within 2s"))
		if got := p.read(); got != want {
			t.Error(got)
		}
		p.eventually(`#told == 1`)
		p.Lua(nil, `late("dropped")`)
		// Through the registry nobody sets a limit, and what was asked for is kept.
		got := inspect(p.Editor, `
			local registry = require("mcp-tools.registry")
			local answer = registry.execute("t", {})
			local first = registry.get_result(answer.task_id)
			return { first, answer.timeout, registry.cancel_task(answer.task_id),
				registry.get_result(answer.task_id).error == "Unknown or expired task: " .. answer.task_id, told }
		`)
		if want := `{ { done = false }, 2000, { cancelled = true }, true, { "true", "true" } }`; got != want {
			t.Error(got)
		}
		p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if got := p.read(); got != `{"id":2,"jsonrpc":"2.0","result":{}}` {
			t.Errorf("an answer came late: %s", got)
		}
	})
}

func TestRegistry_WarnsOfASecondCallback(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, scripted+`
			notified = {}
			vim.notify = function(text) table.insert(notified, text) end
			body = "cb(1) cb(2)"
		`)
		p.send(call("1"))
		p.read()
		p.eventually(`#notified == 1`)
		got := value[[]string](p.Editor, `return notified`)
		if diff := cmp.Diff([]string{"[mcp-tools] Warning: callback called multiple times for t"}, got); diff != "" {
			t.Error(diff)
		}
	})
}
