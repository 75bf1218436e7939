// Copyright (c) 2026 the claudecoded authors. MIT license.

package facade_test

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// blocking is a tool t that waits in a coroutine, which co holds.
const blocking = `
	require("claudecode.tools").register("t", { type = "object", description = "d" }, function()
		co = coroutine.running()
		return coroutine.yield()
	end, true)
`

const unexpected = `"error":{"code":-32603,"message":"Internal error","data":"Deferred response completed with unexpected format"}}`

// resolutions are ways to end the call that waits in co.
var resolutions = []struct{ name, code, want string }{
	{"resumed with a result", `coroutine.resume(co, { content = {} })`, `"result":{"content":[]}}`},
	{"resumed with an error", `coroutine.resume(co, { error = { code = -3, message = "m" } })`, `"error":{"code":-3,"message":"m"}}`},
	{"resumed with neither", `coroutine.resume(co, { other = 1 })`, unexpected},
	{"resumed with nothing", `coroutine.resume(co)`, unexpected},
	{"resumed with false", `coroutine.resume(co, false)`, `"error":{"code":-32000,"message":"Tool failed"}}`},
	{"answered", `_G.claude_deferred_responses[tostring(co)]({ content = {} })`, `"result":{"content":[]}}`},
	{"answered with an error", `_G.claude_deferred_responses[tostring(co)]({ error = { code = -3, message = "m" } })`,
		`"error":{"code":-3,"message":"m"}}`},
	{"answered with neither", `_G.claude_deferred_responses[tostring(co)]("x")`, unexpected},
	{"answered twice", `local answer = _G.claude_deferred_responses[tostring(co)]
		answer({ content = {} }) answer({ content = { 1 } })`, `"result":{"content":[]}}`},
	{"answered and resumed", `_G.claude_deferred_responses[tostring(co)]({ content = {} }) coroutine.resume(co, { content = { 1 } })`,
		`"result":{"content":[]}}`},
}

func TestDeferred_IsAnsweredOnceHoweverItIsResolved(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, blocking)
		for _, r := range resolutions {
			for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
				p.Lua(nil, `co = nil`)
				give(call("7"))
				p.eventually(`co ~= nil and type(_G.claude_deferred_responses[tostring(co)]) == "function"`)
				give(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
				if got := p.read(); got != `{"id":8,"jsonrpc":"2.0","result":{}}` {
					t.Errorf("%s, %s: another request was answered %s", r.name, way, got)
				}
				p.Lua(nil, r.code)
				if got, want := p.read(), spelled(t, begin+r.want); got != want {
					t.Errorf("%s, %s:\n got %s\nwant %s", r.name, way, got, want)
				}
				give(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
				if got := p.read(); got != `{"id":9,"jsonrpc":"2.0","result":{}}` {
					t.Errorf("%s, %s: answered again with %s", r.name, way, got)
				}
			}
		}
		p.eventually(`next(_G.claude_deferred_responses) == nil and require("mcp-tools.registry").pending_count() == 0`)
	})
}

func TestDeferred_AHandlerThatDoesNotWaitIsAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, `
			handler = function() end
			require("claudecode.tools").register("t", nil, function(args) return handler(args) end, true)
		`)
		for code, want := range map[string]string{
			`return { content = {} }`:                     `"result":{"content":[]}}`,
			`return false, "bad"`:                         failure("bad"),
			`return`:                                      nothing,
			`error({ code = -4, message = "m" })`:         `"error":{"code":-4,"message":"m"}}`,
			`error("bad", 0)`:                             failure("bad"),
			`coroutine.wrap(function() end)() return "x"`: text("x"),
		} {
			p.Lua(nil, `handler = assert(loadstring(...))`, code)
			for way, give := range map[string]func(string){"socket": p.send, "Lua": p.handle} {
				give(call("7"))
				if got := p.read(); got != spelled(t, begin+want) {
					t.Errorf("%s, %s: %s", code, way, got)
				}
			}
		}
	})
}

func TestDeferred_EndsWithItsClient(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for way, give := range map[string]func(*peer, string){"socket": (*peer).send, "Lua": (*peer).handle} {
			p := serve(t, nvim, blocking)
			give(p, call("7"))
			p.eventually(`co ~= nil and require("mcp-tools.registry").pending_count() == 1`)
			if err := p.conn.Close(); err != nil {
				t.Fatal(err)
			}
			p.eventually(`next(_G.claude_deferred_responses) == nil and require("mcp-tools.registry").pending_count() == 0`)
			if got := value[bool](p.Editor, `return coroutine.resume(co, { content = {} })`); !got {
				t.Errorf("%s: the coroutine failed", way)
			}
		}
	})
}

func TestDeferred_OfANotificationIsAnsweredByNothing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, blocking)
		p.handle(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"t"}}`)
		p.Lua(nil, `coroutine.resume(co, { content = {} })`)
		p.eventually(`next(_G.claude_deferred_responses) == nil and require("mcp-tools.registry").pending_count() == 0`)
		p.handle(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if got := p.read(); got != `{"id":9,"jsonrpc":"2.0","result":{}}` {
			t.Error(got)
		}
	})
}

func TestHandleInvoke_DefersToGetResultIfNobodyAnswers(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, blocking)
		got := inspect(p.Editor, `
			local registry = require("mcp-tools.registry")
			local answer = require("claudecode.tools").handle_invoke({ id = "client_1" }, { name = "t", arguments = {} })
			local same = answer.coroutine == co
			coroutine.resume(co, { content = { 1 } })
			local outcome
			vim.wait(5000, function()
				outcome = registry.get_result(answer.task_id)
				return outcome.done
			end, 1)
			return { answer._deferred, answer.client, same, outcome.result, registry.pending_count() }
		`)
		if want := `{ true, { id = "client_1" }, true, { content = { 1 } }, 0 }`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

func TestSetupDeferredResponse_AnswersUnderTheCoroutinesName(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		p := serve(t, nvim, "")
		p.Lua(nil, `
			local co = coroutine.create(function() end)
			require("claudecode.server")._setup_deferred_response({ client = "client_1", id = 7, coroutine = co })
			_G.claude_deferred_responses[tostring(co)]({ content = {} })
		`)
		if got := p.read(); got != `{"id":7,"jsonrpc":"2.0","result":{"content":[]}}` {
			t.Error(got)
		}
	})
}
