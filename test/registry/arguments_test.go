// Copyright (c) 2026 the claudecoded authors. MIT license.

package registry

import (
	"net/http"
	"strings"
	"testing"
)

// counts registers tools that give their arguments back, and count their calls.
const counts = `
	_G.calls = 0
	local function give(cb, args)
		calls = calls + 1
		cb({ args = args })
	end
	tool("simple", give, { args = {
		path = { type = "string", required = true, min = 1 },
		line = { type = "integer", min = 1, max = 9, default = 3 },
		how = { type = "string", enum = { "split", "tab" } },
		tags = { type = "array", items = { type = "string" }, max = 2 },
		more = { type = "object", default = {} },
		at = { type = "object", properties = {
			row = { type = "integer", required = true }, column = { type = "integer", default = 1 },
		} },
		edits = { type = "array", items = { type = "object", properties = { text = { type = "string", required = true } } } },
	} })
	tool("schema", give, { input_schema = {
		["$schema"] = "https://json-schema.org/draft/2020-12/schema",
		type = "object",
		["$defs"] = { size = { type = "integer", minimum = 1, default = 5 } },
		properties = { a = { ["$ref"] = "#/$defs/size" }, b = { oneOf = { { type = "string" }, { ["$ref"] = "#/$defs/size" } } } },
		dependentRequired = { b = { "a" } },
		additionalProperties = false,
	} })
	tool("region", give, { args = { region = { type = "string", ["x-mcp-header"] = "Region" } } })
`

func TestArguments_AreCheckedBeforeNeovimIsAsked(t *testing.T) {
	t.Parallel()
	const bad = "Error: invalid arguments for nvim_"
	each(t, counts, func(t *testing.T, s *scene) {
		for _, revision := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
			c := s.client(revision)
			for _, row := range []struct{ tool, arguments, want string }{
				{"simple", `{"path":"a"}`, `{"args":{"line":3,"more":{},"path":"a"}}`},
				{"simple", `{"path":"a","line":null,"at":{"row":2}}`, `{"args":{"at":{"column":1,"row":2},"line":3,"more":{},"path":"a"}}`},
				{"simple", `{}`, bad + "simple: missing property 'path'"},
				{"simple", `{"path":null}`, bad + "simple: missing property 'path'"},
				{"simple", `{"path":""}`, bad + "simple: path: minLength: got 0, want 1"},
				{"simple", `{"path":"a","line":1.5}`, bad + "simple: line: got number, want integer"},
				{"simple", `{"path":"a","line":"1"}`, bad + "simple: line: got string, want integer"},
				{"simple", `{"path":"a","line":10}`, bad + "simple: line: maximum: got 10, want 9"},
				{"simple", `{"path":"a","how":"float"}`, bad + "simple: how: value must be one of 'split', 'tab'"},
				{"simple", `{"path":"a","tags":["x",1]}`, bad + "simple: tags[1]: got number, want string"},
				{"simple", `{"path":"a","tags":["x","y","z"]}`, bad + "simple: tags: maxItems: got 3, want 2"},
				{"simple", `{"path":"a","at":{"column":1}}`, bad + "simple: at: missing property 'row'"},
				{"simple", `{"path":"a","edits":[{"text":"x"},{}]}`, bad + "simple: edits[1]: missing property 'text'"},
				{"schema", `{"a":1}`, `{"args":{"a":1}}`},
				{"schema", `{"a":0,"c":1}`, bad + "schema: a: minimum: got 0, want 1; additional properties 'c' not allowed"},
				{"schema", `{"b":"x"}`, bad + "schema: properties 'a' required, if 'b' exists"},
				{"schema", `{"a":1,"b":[]}`, bad + "schema: one of these: b: got array, want integer, or b: got array, want string"},
			} {
				var before, after int
				s.e.Lua(&before, "return calls")
				a := c.call("nvim_"+row.tool, row.arguments)
				got := a.result()
				s.e.Lua(&after, "return calls")
				failed := strings.Contains(got, `"isError":true`)
				if text := sorted(textOf(t, got)); text != row.want {
					t.Errorf("%s, %s %s:\n got %s\nwant %s", revision, row.tool, row.arguments, text, row.want)
				}
				if asked := after > before; asked == failed || failed != strings.HasPrefix(row.want, bad) {
					t.Errorf("%s, %s %s: asked %v, failed %v", revision, row.tool, row.arguments, asked, failed)
				}
			}
		}
	})
}

func TestArguments_InTheHeaderMustBeThoseOfTheBody(t *testing.T) {
	t.Parallel()
	each(t, counts, func(t *testing.T, s *scene) {
		c := s.client("2026-07-28")
		if got := c.call("nvim_region", `{"region":"eu"}`, "Mcp-Param-Region", "eu").text(); got != `{"args":{"region":"eu"}}` {
			t.Error(got)
		}
		for _, header := range [][]string{{"Mcp-Param-Region", "us"}, nil} {
			a := c.call("nvim_region", `{"region":"eu"}`, header...)
			if r := a.reply(); a.status != http.StatusBadRequest || r.Error == nil || r.Error.Code != -32020 {
				t.Errorf("%v: %d %+v", header, a.status, r)
			}
		}
		// Older revisions do not know of it.
		if got := s.client("2025-11-25").call("nvim_region", `{"region":"eu"}`).text(); got != `{"args":{"region":"eu"}}` {
			t.Error(got)
		}
	})
}
