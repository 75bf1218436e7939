// Copyright (c) 2026 the claudecoded authors. MIT license.

package registry

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/stage"
)

// described is a tool that says all there is to say.
const described = `
	tool("full", print, {
		title = "All of it",
		args = { a = { type = "string", required = true } },
		output_schema = { type = "object", properties = {} },
		annotations = { title = "All", readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false },
		_meta = { ["anthropic/searchHint"] = "all" },
		icons = { { src = "data:,", mimeType = "image/png", sizes = { "any" } } },
	})
`

func TestTools_AreListedAsTheRevisionKnowsThem(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"name": `"nvim_full"`, "description": `"d"`, "title": `"All of it"`,
		"inputSchema":  `{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`,
		"outputSchema": `{"properties":{},"type":"object"}`,
		"annotations":  `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true,"title":"All"}`,
		"_meta":        `{"anthropic/searchHint":"all"}`,
		"icons":        `[{"mimeType":"image/png","sizes":["any"],"src":"data:,"}]`,
	}
	known := map[string][]string{
		"2024-11-05": {"name", "description", "inputSchema"},
		"2025-03-26": {"name", "description", "inputSchema", "annotations"},
		"2025-06-18": {"name", "description", "inputSchema", "annotations", "title", "outputSchema", "_meta"},
		"2025-11-25": {"name", "description", "inputSchema", "annotations", "title", "outputSchema", "_meta", "icons"},
		"2026-07-28": {"name", "description", "inputSchema", "annotations", "title", "outputSchema", "_meta", "icons"},
	}
	each(t, described, func(t *testing.T, s *scene) {
		for _, revision := range revisions {
			var list struct{ Tools []map[string]json.RawMessage }
			if err := json.Unmarshal([]byte(s.client(revision).ask("tools/list", "").result()), &list); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(list.Tools, func(tool map[string]json.RawMessage) bool { return string(tool["name"]) == `"nvim_full"` })
			if i < 0 {
				t.Fatalf("%s: not listed", revision)
			}
			for name, value := range want {
				if !slices.Contains(known[revision], name) {
					value = ""
				}
				if got := string(list.Tools[i][name]); sorted(got) != value {
					t.Errorf("%s: %s is %s, want %s", revision, name, got, value)
				}
			}
		}
	})
}

// TestTools_OfTheIDESocketAloneAreNotOfferedOverHTTP: what Claude Code calls by itself to show an
// edit would be a second way to do so for a model.
func TestTools_OfTheIDESocketAloneAreNotOfferedOverHTTP(t *testing.T) {
	t.Parallel()
	each(t, `tool("mine", function(cb) cb("ok") end, { ide = true, mcp = false })`, func(t *testing.T, s *scene) {
		ide := stage.Connect(t, s.lock)
		own, err := ide.Tools(stage.Within(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"openDiff", "closeAllDiffTabs", "mine"} {
			if !slices.ContainsFunc(own, func(tool claude.Tool) bool { return tool.Name == name }) {
				t.Errorf("%s is not listed on the IDE socket", name)
			}
		}
		if _, err := ide.Call(stage.Within(t), "mine", struct{}{}); err != nil {
			t.Error(err)
		}
		for _, revision := range revisions {
			c := s.client(revision)
			list := c.ask("tools/list", "").result()
			for _, name := range []string{"openDiff", "closeAllDiffTabs", "close_tab", "mine"} {
				if strings.Contains(list, `"nvim_`+name+`"`) {
					t.Errorf("%s: %s is listed", revision, name)
				}
				called := c.ask("tools/call", `"name":"nvim_`+name+`","arguments":{}`, "Mcp-Name", "nvim_"+name).reply()
				if called.Error == nil || called.Error.Code != -32602 || !strings.HasPrefix(called.Error.Message, "Unknown tool: ") {
					t.Errorf("%s: %s answered %+v", revision, name, called)
				}
			}
			if !strings.Contains(list, `"nvim_getDiagnostics"`) {
				t.Errorf("%s: the others are not listed", revision)
			}
		}
	})
}

func TestTools_ThatAreMalformedAreLeftOutAndTheUserIsTold(t *testing.T) {
	t.Parallel()
	const code = `
		_G.notified = {}
		vim.notify = function(message) table.insert(notified, message) end
		tool("before", print)
		tool("hint", print, { annotations = { title = "a", readOnlyHint = false } })
		tool("icon", print, { icons = { { src = "data:,", mimeType = 5 } } })
		tool("output", print, { output_schema = { type = "array" } })
		tool("after", print)
		local ok, err = pcall(tool, "meta", print, { _meta = { f = print } })
		table.insert(notified, tostring(err))`
	each(t, code, func(t *testing.T, s *scene) {
		names := s.client("2025-11-25").listed()
		names = slices.DeleteFunc(names, func(name string) bool { return name != strings.ToLower(name) || !strings.HasPrefix(name, "nvim_") })
		for _, name := range []string{"icon", "output", "meta"} {
			if slices.Contains(names, "nvim_"+name) {
				t.Errorf("%s is listed", name)
			}
		}
		if !slices.Contains(names, "nvim_before") || !slices.Contains(names, "nvim_after") {
			t.Errorf("listed %q", names)
		}
		const icon, output = `"icon" was left out: icons[1].mimeType must be a string`, `"output" was left out: the output schema must be an object with "type": "object"`
		for _, want := range []string{
			"2 tools were left out (:checkhealth mcp-tools): " + icon + "; " + output,
			`_meta of meta.f: a function has no JSON form`,
		} {
			s.eventually(`table.concat(notified, "\n"):find([[` + want + `]], 1, true) ~= nil`)
		}
		// What else is registered is no reason to tell it again.
		s.e.Lua(nil, `tool("more", print, { output_schema = { type = "string" } })`)
		s.eventually(`table.concat(notified, "\n"):find('the tool "more" was left out', 1, true) ~= nil`)
		s.e.Command("checkhealth mcp-tools")
		var health, told string
		s.e.Lua(&health, `return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
		s.e.Lua(&told, `return table.concat(notified, "\n")`)
		if strings.Count(told, "left out") != 4 { // of which two are in one line
			t.Errorf("told %q", told)
		}
		for _, want := range []string{
			`WARNING "icon" is left out, no client is offered it: icons[1].mimeType must be a string`,
			`WARNING "more" is left out`, "OK your own: after, before",
		} {
			if !strings.Contains(health, want) {
				t.Errorf("%q is not in\n%s", want, health)
			}
		}
	})
}

func TestLongResult_IsCutAndReadOn(t *testing.T) {
	t.Parallel()
	const code = `
		_G.long = ("0123456789abcdé\n"):rep(8000)
		tool("long", function(cb) cb(long) end)
		tool("whole", function(cb) cb(long) end, { result_limit = 0 })
		tool("structured", function(cb) cb({ text = long }) end, { output_schema = { type = "object" } })`
	each(t, code, func(t *testing.T, s *scene) {
		want := strings.Repeat("0123456789abcdé\n", 8000)
		for _, revision := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
			c := s.client(revision)
			var got strings.Builder
			pages := 0
			for text := c.call("nvim_long", "{}").text(); ; pages++ {
				shown, arguments, more := strings.Cut(text, "\n\n[The result goes on: ")
				got.WriteString(shown)
				if len(shown) > 48<<10 {
					t.Fatalf("%s: a page of %d bytes", revision, len(shown))
				}
				if !more {
					break
				}
				arguments = strings.TrimSuffix(arguments[strings.Index(arguments, "{"):], "]")
				text = c.call("nvim_result_rest", arguments).text()
			}
			if got.String() != want || pages != 2 {
				t.Errorf("%s: %d bytes in %d pages more", revision, got.Len(), pages)
			}
			if got := c.call("nvim_whole", "{}").text(); got != want {
				t.Errorf("%s: %d bytes of the whole", revision, len(got))
			}
			var structured struct {
				StructuredContent, Text struct{ Text string }
				Content                 []struct{ Text string }
			}
			if err := json.Unmarshal([]byte(c.call("nvim_structured", "{}").result()), &structured); err != nil {
				t.Fatal(err)
			}
			text := structured.Content[0].Text
			if revision == "2024-11-05" { // all it knows is the text
				if !strings.Contains(text, "[The result goes on: ") {
					t.Errorf("%s: not cut", revision)
				}
				continue
			}
			if err := json.Unmarshal([]byte(text), &structured.Text); err != nil || structured.Text.Text != want || structured.StructuredContent.Text != want {
				t.Errorf("%s: the structured result is cut: %v", revision, err)
			}
		}
	})
}
