// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// script is Lua code and what vim.inspect makes of its result, on one line.
type script struct{ name, code, want string }

// run runs scripts in one editor. registry, settle and tool are at hand: tool(execute,
// more) registers a tool called t.
func run(t *testing.T, scripts []script) {
	t.Helper()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `
			registry = require("mcp-tools.registry")
			tool = function(execute, more)
				registry.register(vim.tbl_extend("force", { name = "t", description = "d", execute = execute }, more or {}))
			end
			-- Waits until all that is scheduled so far has run.
			settle = function()
				local settled
				vim.schedule(function()
					settled = true
				end)
				assert(vim.wait(20000, function() return settled end, 1))
			end
			show = function(code)
				registry.clear()
				registry.clear_pending()
				local result = vim.F.pack_len(pcall(assert(loadstring(code))))
				if not result[1] then
					return "raises " .. tostring(result[2]):gsub("^[^:]+:%d+: ", "")
				end
				return (vim.inspect(result[2]):gsub("%s+", " "))
			end
		`)
		for _, s := range scripts {
			t.Run(s.name, func(t *testing.T) {
				if diff := cmp.Diff(s.want, value[string](e, "return show(...)", s.code)); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
}

func TestRegister_ChecksTheTool(t *testing.T) {
	run(t, []script{
		{"no name", `registry.register({ description = "d", execute = print })`, "raises Tool must have a name"},
		{"no description", `registry.register({ name = "t", execute = print })`, "raises Tool must have a description"},
		{"no execute", `registry.register({ name = "t", description = "d" })`, "raises Tool must have an execute function"},
		{"execute is no function", `tool(5)`, "raises execute must be a function"},
		{"a name that clients refuse", `registry.register({ name = "a b", description = "d", execute = print })`,
			`raises Tool a b: name must be letters, digits, _ - and . only, 123 at most, not "a b"`},
		{"a name that is too long", `registry.register({ name = ("x"):rep(124), description = "d", execute = print })
			`, `raises Tool ` + strings.Repeat("x", 124) + `: name must be letters, digits, _ - and . only, 123 at most, not "` + strings.Repeat("x", 124) + `"`},
		{"a name that is none", `registry.register({ name = 5, description = "d", execute = print })`,
			"raises Tool 5: name must be letters, digits, _ - and . only, 123 at most, not 5"},
		{"a field of another type", `tool(print, { timeout = "5" })`, `raises Tool t: timeout must be a non-negative number, not "5"`},
		{"a policy nobody knows", `tool(print, { policy = "alow" })`, `raises Tool t: policy must be one of: allow, ask, deny, not "alow"`},
		{"arguments that are no list", `tool(print, { policy_args = "a" })`, `raises Tool t: policy_args must be a list of names, not "a"`},
		{"paths that say nothing", `tool(print, { paths = { "/a" } })`, `raises Tool t: paths must be a function, not { "/a" }`},
		{"an annotation", `tool(print, { annotations = { readOnlyHint = "yes" } })`,
			`raises Tool t: annotations.readOnlyHint must be a boolean, not "yes"`},
		{"an icon", `tool(print, { icons = { {} } })`, `raises Tool t: icons[1].src must be a string`},
		{"an argument", `tool(print, { args = { a = "string" } })`, `raises Tool t: args.a must be a table`},
		{"a list of arguments", `tool(print, { args = { { type = "string" } } })`, `raises Tool t: args[1]: the name of an argument must be a string`},
		{"what is refused is not there", `pcall(tool, print, { timeout = "5" }) return registry.has("t")`, `false`},
		{"every field that there is", `tool(print, { title = "T", args = {}, output_schema = { type = "object" }, annotations = { title = "A",
			readOnlyHint = true }, icons = { { src = "data:," } }, _meta = { a = 1 }, ide = true, mcp = false, ui = true, timeout = 0,
			result_limit = 0, policy = "ask", policy_args = { "a" }, paths = print, input_schema = false }) return registry.has("t")`, `true`},
		{"a schema without a JSON form", `tool(print, { args = { a = { type = "string", default = print } } })`,
			"raises schema of t.properties.a.default: a function has no JSON form"},
		{"it is listed without its functions", `tool(print, { args = { a = { type = "string" } } }) return registry.list()`,
			`{ t = { args = { a = { type = "string" } }, description = "d", name = "t" } }`},
		{"again, it replaces", `tool(print) tool(print, { description = "e" }) return { registry.count(), registry.list().t.description }`,
			`{ 1, "e" }`},
		{"unregistered", `tool(print) registry.unregister("t") registry.unregister("t") return { registry.count(), registry.has("t") }`,
			`{ 0, false }`},
		{"the public module is the same registry",
			`require("mcp-tools").register({ name = "p", description = "d", execute = print })
			local there = registry.has("p")
			require("mcp-tools").unregister("p")
			return { there, require("mcp-tools").list_tools() }`, `{ true, {} }`},
	})
}

func TestExecute_AnswersAtOnceOrLater(t *testing.T) {
	run(t, []script{
		{"unknown", `return registry.execute("nope", {})`, `{ done = true, error = "Unknown tool: nope" }`},
		{"at once", `tool(function(cb) cb({ ok = 1 }) end) return registry.execute("t", {})`,
			`{ done = true, result = { ok = 1 } }`},
		{"nothing", `tool(function(cb) cb() end) return registry.execute("t")`, `{ done = true }`},
		{"false", `tool(function(cb) cb(false) end) return registry.execute("t")`, `{ done = true, result = false }`},
		{"an error wins", `tool(function(cb) cb(1, "bad") end) return registry.execute("t", {})`,
			`{ done = true, error = "bad" }`},
		{"an error table stays one", `tool(function(cb) cb(nil, { code = -1, message = "m" }) end) return registry.execute("t", {})`,
			`{ done = true, error = { code = -1, message = "m" } }`},
		{"raising wins over an answer", `tool(function(cb) cb(1) error("x", 0) end) return registry.execute("t", {})`,
			`{ done = true, error = "Tool execution error: x" }`},
		{"raising an error table", `tool(function() error({ code = -5, message = "m" }) end) return registry.execute("t", {})`,
			`{ done = true, error = { code = -5, message = "m" } }`},
		{"raising something else", `tool(function() error({ 1 }) end) return registry.execute("t", {})`,
			`{ done = true, error = "Tool execution error: { 1 }" }`},
		{"answering during vim.wait is at once",
			`tool(function(cb)
				vim.schedule(function() cb("w") end)
				vim.wait(1000, function() return false end, 1)
			end)
			vim.wait(0)
			return registry.execute("t", {}).result`, `"w"`},
		{"later", `local later
			tool(function(cb) later = cb end, { timeout = 5 })
			local answer = registry.execute("t", {})
			local id, first = answer.task_id, registry.get_result(answer.task_id).done
			later("r")
			vim.wait(20000, function() return registry.get_result(id).done end, 1)
			return { answer.pending, answer.timeout, first, registry.pending_count() }`, `{ true, 5, false, 0 }`},
		{"later, fetched once", `local later
			tool(function(cb) later = cb end)
			local id = registry.execute("t", {}).task_id
			later(nil, "e")
			local answer
			vim.wait(20000, function() answer = registry.get_result(id) return answer.done end, 1)
			return { answer.error, registry.get_result(id).error == "Unknown or expired task: " .. id }`, `{ "e", true }`},
		{"later, pushed at once", `local later, pushed
			tool(function(cb) later = cb end)
			registry.execute("t", {}, { on_done = function(outcome) pushed = outcome.result end })
			later({ 1 })
			return { pushed, registry.pending_count() }`,
			`{ { 1 }, 0 }`},
		{"later, pushed outside of a fast event", `local pushed, fast
			tool(function(cb)
				local timer = vim.uv.new_timer()
				timer:start(1, 0, function() timer:close() fast = vim.in_fast_event() cb({ 1 }) end)
			end)
			registry.execute("t", {}, { on_done = function(outcome)
				pushed = { outcome.result, vim.in_fast_event() }
			end })
			vim.wait(20000, function() return pushed end, 1)
			return { fast, pushed, registry.pending_count() }`,
			`{ true, { { 1 }, false }, 0 }`},
		{"twice: the first counts", `tool(function(cb) cb(1) cb(2) end)
			local answer = registry.execute("t", {})
			vim.wait(20000, function() return #notified > 0 end, 1)
			return { answer.result, notified[1].text, notified[1].level }`,
			`{ 1, "[mcp-tools] Warning: callback called multiple times for t", 3 }`},
		{"no id is an unknown one", `return { registry.get_result(nil).error, registry.get_result(5).error, registry.cancel_task(nil) }`,
			`{ "Unknown or expired task: nil", "Unknown or expired task: 5", { cancelled = true } }`},
		{"ids count up for every call", `tool(function(cb) cb() end)
			tool(function() end, { name = "p" })
			local one = tonumber(registry.execute("p", {}).task_id)
			registry.execute("t", {})
			return tonumber(registry.execute("p", {}).task_id) - one`, `2`},
		{"too many", `tool(function() end)
			require("mcp-tools.tasks").max_pending = 2
			registry.execute("t") registry.execute("t")
			local answer = registry.execute("t")
			require("mcp-tools.tasks").max_pending = 1024
			return answer`, `{ done = true, error = "Too many calls are pending" }`},
	})
}

func TestExecute_PreparesTheArguments(t *testing.T) {
	args := `tool(function(cb, args) cb(args) end, { args = {
		need = { type = "string", required = true },
		also = { type = "string", required = true },
		list = { type = "array", default = { 1 } },
	} }) `
	run(t, []script{
		{"missing, in a fixed order", args + `return registry.execute("t", {}).error`, `"Missing required argument: also"`},
		{"null is missing", args + `return registry.execute("t", { also = "x", need = vim.NIL }).error`,
			`"Missing required argument: need"`},
		{"defaults, and what nobody declared", args + `return registry.execute("t", { also = "x", need = "", more = 1 }).result`,
			`{ also = "x", list = { 1 }, more = 1, need = "" }`},
		{"null takes the default", args + `return registry.execute("t", { also = "x", need = "", list = vim.NIL }).result.list`,
			`{ 1 }`},
		{"false is a value", `tool(function(cb, args) cb(args.b) end, { args = { b = { type = "boolean", default = true } } })
			return registry.execute("t", { b = false }).result`, `false`},
		{"a default is not shared", `tool(function(cb, args) table.insert(args.l, 1) cb(#args.l) end, { args = { l = { type = "array", default = {} } } })
			registry.execute("t", {})
			return registry.execute("t", {}).result`, `1`},
	})
}

func TestExecute_RefusesALateCall(t *testing.T) {
	late := `{ done = true, error = "The caller of t does not wait any more" }`
	ran := `tool(function(cb) cb("ran") end) `
	run(t, []script{
		{"no time is left", ran + `return registry.execute("t", {}, { remaining_ms = 0 })`, late},
		{"time is left", ran + `return registry.execute("t", {}, { remaining_ms = 1 }).result`, `"ran"`},
		{"expired", ran + `return registry.execute("t", {}, { remaining_ms = 9, expires_unix_ms = os.time() * 1000 - 1 })`, late},
		{"not expired", ran + `return registry.execute("t", {}, { expires_unix_ms = os.time() * 1000 + 60000 }).result`, `"ran"`},
	})
}

func TestContext_SaysHowLongTheCallerStillWaits(t *testing.T) {
	waits := func(call string) string {
		return `tool(function(cb, _, ctx) cb(ctx.remaining_ms or "for ever") end)
			local seconds, microseconds = vim.uv.gettimeofday()
			local now = seconds * 1000 + microseconds / 1000
			local left = registry.execute("t", {}, ` + call + `).result
			return type(left) == "number" and left == math.floor(left) and math.ceil(left / 1000) or left`
	}
	run(t, []script{
		{"without an end", waits(`{}`), `"for ever"`},
		{"as long as it said", waits(`{ remaining_ms = 5000 }`), `5`},
		{"less if the call was long on its way", waits(`{ remaining_ms = 9000, expires_unix_ms = now + 3000 }`), `3`},
		{"never more than it said", waits(`{ remaining_ms = 2000, expires_unix_ms = now + 9000 }`), `2`},
		{"until a moment", waits(`{ expires_unix_ms = now + 4000 }`), `4`},
	})
}

func TestContext_TellsTheToolAboutItsCall(t *testing.T) {
	run(t, []script{
		{"client", `tool(function(cb, _, ctx) cb(ctx.client) end) return registry.execute("t", {}, { client = "client_4" }).result`,
			`"client_4"`},
		{"progress", `local steps, later = {}, nil
			tool(function(cb, _, ctx) ctx.progress(1, 3, "one") ctx.progress(2) later = function() cb() ctx.progress(3) end end)
			registry.execute("t", {}, { on_progress = function(...) table.insert(steps, { ... }) end })
			vim.wait(20000, function() return #steps == 2 end, 1)
			later()
			settle()
			return steps`, `{ { 1, 3, "one" }, { 2 } }`},
		{"cancelled", `local context, later, told = nil, nil, 0
			tool(function(cb, _, ctx)
				context, later = ctx, cb
				ctx.on_cancel(function() told = told + 1 end)
			end)
			local id = registry.execute("t", {}, { on_done = function() told = told + 100 end }).task_id
			local before = context.cancelled()
			local answer = registry.cancel_task(id)
			registry.cancel_task(id)
			later("dropped")
			context.on_cancel(function() told = told + 10 end)
			settle()
			return { before, answer, context.cancelled(), told, registry.pending_count(), #notified }`,
			`{ false, { cancelled = true }, true, 11, 0, 0 }`},
		{"cancelled while it runs", `local id
			tool(function(cb, _, ctx)
				registry.cancel_task(id)
				cb(ctx.cancelled())
			end)
			return registry.execute("t", {}, { on_start = function(task) id = task end })`, `{ done = true, result = true }`},
		{"a hook that raises does not stop the others", `local told
			tool(function(_, _, ctx)
				ctx.on_cancel(function() error("x", 0) end)
				ctx.on_cancel(function() told = true end)
			end)
			registry.cancel_task(registry.execute("t").task_id)
			vim.wait(20000, function() return #notified > 0 end, 1)
			return { told, table.remove(notified).text }`, `{ true, "[mcp-tools] Warning: on_cancel: x" }`},
	})
}

func TestCatalogue_DescribesToolsInOrder(t *testing.T) {
	schema := func(more string) string {
		return `tool(print, { ` + more + ` }) return vim.json.decode(registry.catalogue()[1].input_schema)`
	}
	run(t, []script{
		{"order and flags", `tool(print, { name = "b" })
			tool(print, { name = "a", ide = true, ui = true, timeout = 0, input_schema = false })
			tool(print, { name = "b", timeout = 7 })
			return vim.tbl_map(function(one)
				return { one.name, one.ide, one.ui, one.timeout_ms or "-", #one.input_schema > 0 }
			end, registry.catalogue())`, `{ { "b", false, false, 7, true }, { "a", true, true, 0, false } }`},
		{"large numbers, names in order", `tool(print, { args = { n = { type = "integer", maximum = 9007199254740991, minimum = -123456789012345, default = 0.1 } } })
			return registry.catalogue()[1].input_schema`,
			`'{"properties":{"n":{"default":0.1,"maximum":9007199254740991,"minimum":-123456789012345,"type":"integer"}},"type":"object"}'`},
		{"no arguments", schema(``), `{ properties = vim.empty_dict(), type = "object" }`},
		{"arguments", schema(`args = { b = { type = "array", items = {}, required = true }, a = { type = "string", enum = { "x" }, required = true } }`),
			`{ properties = { a = { enum = { "x" }, type = "string" }, b = { items = vim.empty_dict(), type = "array" } }, required = { "a", "b" }, type = "object" }`},
		{"a schema of one's own", schema(`input_schema = { type = "object", properties = {}, anyOf = { {} }, ["$defs"] = { x = { properties = {} } } }`),
			`{ ["$defs"] = { x = { properties = vim.empty_dict() } }, anyOf = { vim.empty_dict() }, properties = vim.empty_dict(), type = "object" }`},
	})
}

func TestRegister_TellsTheDaemonOnceForMany(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.start()
		e.lua(nil, `
			for _, name in ipairs({ "a", "b", "c" }) do
				require("mcp-tools").register({ name = name, description = "d", execute = function() end })
			end
		`)
		if tools := e.awaitTold("catalogue", 2)["tools"].([]any); len(tools) != len(builtinTools)+3 {
			t.Errorf("%d tools", len(tools))
		}
		e.lua(nil, `require("mcp-tools").unregister("b")`)
		if tools := e.awaitTold("catalogue", 3)["tools"].([]any); len(tools) != len(builtinTools)+2 {
			t.Errorf("%d tools", len(tools))
		}
		if n := len(e.told()); n != 4 {
			t.Errorf("told %d messages", n)
		}
	})
}

// limits shows the timeouts of three tools with an option: of one that has its own, one
// that has none, and one of the IDE socket.
func limits(option string) string {
	return `local config = require("mcp-tools.config")
		config.setup(` + option + `)
		tool(print, { name = "own", timeout = 0 })
		tool(print, { name = "none" })
		tool(print, { name = "ide", ide = true })
		local limits = vim.tbl_map(function(one) return one.timeout_ms or "-" end, registry.catalogue())
		config.setup()
		return limits`
}

func TestToolTimeout_LimitsToolsThatSetNone(t *testing.T) {
	run(t, []script{
		{"left to the daemon", limits(`{}`), `{ 0, "-", "-" }`},
		{"given", limits(`{ bridge = { tool_timeout = 5000 } }`), `{ 0, 5000, "-" }`},
		{"none", limits(`{ bridge = { tool_timeout = 0 } }`), `{ 0, 0, "-" }`},
		{"nonsense is no limit", limits(`{ bridge = { tool_timeout = "long" } }`), `{ 0, "-", "-" }`},
		{"less than nothing is none", limits(`{ bridge = { tool_timeout = -1 } }`), `{ 0, "-", "-" }`},
		{"the option has a default all the same", `return require("mcp-tools.config").get("bridge.tool_timeout")`, `300000`},
	})
}

func TestSetup_OfMCPToolsTellsADaemonThatRuns(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `require("mcp-tools").register({ name = "a", description = "d", execute = function() end })`)
		e.start()
		e.lua(nil, `require("mcp-tools").setup({ bridge = { tool_timeout = 5000 } })`)
		told := e.awaitTold("catalogue", 2)["tools"].([]any)
		if got := told[0].(map[string]any); got["name"] != "a" || got["timeout_ms"] != 5000.0 {
			t.Errorf("told of %v", got)
		}
	})
}

func TestLogLevel_OfTheBridgeWinsIfItIsGiven(t *testing.T) {
	for _, row := range []struct{ options, level, file string }{
		{`{}`, "debug", "plugin.log"},
		{`{ bridge = { port = 0 } }`, "debug", "plugin.log"},
		{`{ bridge = { log_level = "warn", log_file = "bridge.log" } }`, "warn", "bridge.log"},
	} {
		nvimtest.Each(t, func(t *testing.T, nvim string) {
			e := start(t, nvim, options{})
			e.lua(nil, `
				fake.log_level, fake.daemon.log_file = "debug", "plugin.log"
				require("claudecode").setup(fake)
				require("mcp-tools").setup(`+row.options+`)
				require("mcp-tools").start()
			`)
			started := e.awaitTold("start", 1)
			if started["log_level"] != row.level || filepath.Base(started["log_file"].(string)) != row.file {
				t.Errorf("%s: %v, %v", row.options, started["log_level"], started["log_file"])
			}
		})
	}
}

func TestSetup_OfMCPToolsCountsOnce(t *testing.T) {
	run(t, []script{
		{"the first options stay", `local mcp, config = require("mcp-tools"), require("mcp-tools.config")
			mcp.setup({ bridge = { port = 5 } })
			mcp.setup({ bridge = { port = 6 } })
			return { config.get("bridge.port"), config.get("tools.dap"), config.get("no.such") or "nil", registry.count() }`,
			`{ 5, false, "nil", 0 }`},
	})
}

func TestValues_NameThePlaceWithoutAJSONForm(t *testing.T) {
	deep := func(n int) string {
		return strings.Repeat("{", n) + strings.Repeat("}", n)
	}
	problem := func(name, value, want string) script {
		return script{name, `local function id(...) return ... end
			local loop = {} loop.next = { loop }
			return require("mcp-tools.values").problem(` + value + `, "result")`, want}
	}
	run(t, []script{
		problem("plain", `{ a = 1, b = { true, "x", vim.NIL, 1.5 }, c = {}, d = vim.empty_dict(), e = "\255\0" }`, "nil"),
		problem("nil", `nil`, "nil"),
		problem("function", `{ items = { 1, 2, { cb = print } } }`, `"result.items[3].cb: a function has no JSON form"`),
		problem("function itself", `print`, `"result: a function has no JSON form"`),
		problem("odd name", `{ ["a b"] = { print } }`, `'result["a b"][1]: a function has no JSON form'`),
		problem("thread", `{ coroutine.create(print) }`, `"result[1]: a thread has no JSON form"`),
		problem("userdata", `vim.uv.new_timer()`, `"result: a userdata has no JSON form"`),
		problem("cdata", `require("ffi").new("int64_t", 1)`, `"result: a cdata has no JSON form"`),
		problem("NaN", `{ x = 0 / 0 }`, `"result.x: NaN has no JSON form"`),
		problem("infinity", `{ -1 / 0 }`, `"result[1]: an infinite number has no JSON form"`),
		problem("cycle", `loop`, `"result.next[1]: a table that contains itself has no JSON form"`),
		problem("shared is no cycle", `id({ loop.x, a = {}, b = {} })`, "nil"),
		problem("mixed", `{ a = { 1, x = 2 } }`, `"result.a: a table with both names and indexes has no JSON form"`),
		problem("sparse", `{ [1] = 1, [3] = 3 }`, `"result: a list with holes has no JSON form"`),
		problem("other keys", `{ [true] = 1 }`, `"result: a table with the key true has no JSON form"`),
		problem("index 0", `{ [0] = 1 }`, `"result: a table with the key 0 has no JSON form"`),
		problem("deep", deep(128), "nil"),
		problem("too deep", deep(129), `"result`+strings.Repeat("[1]", 128)+`: more than 128 levels deep"`),
	})
}

func TestValues_BoundTheWorkOfSharedTables(t *testing.T) {
	run(t, []script{
		{"2^40 ways lead to one table", `local shared = {}
			for _ = 1, 40 do shared = { shared, shared } end
			return require("mcp-tools.values").problem(shared, "r"):match("more than %d+ values$")`,
			`"more than 1048576 values"`},
	})
}
