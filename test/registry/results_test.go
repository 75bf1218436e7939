// Copyright (c) 2026 the claudecoded authors. MIT license.

package registry

import (
	"fmt"
	"strings"
	"testing"
)

const textAlone = `{"content":[{"type":"text","text":%s}]}`

// TestResults_ComeInTheFormThatTheRevisionKnows has rows of what a tool answers with, in
// Lua, and what clients of the newest revision get; where another gets something else, that
// follows.
func TestResults_ComeInTheFormThatTheRevisionKnows(t *testing.T) {
	t.Parallel()
	const link = `{"name":"a","type":"resource_link","uri":"file:///a"}`
	rows := []struct {
		name, answer, want string
		others             map[string]string
	}{
		{name: "text", answer: `cb("hi\n")`, want: fmt.Sprintf(textAlone, `"hi\n"`)},
		{name: "nothing", answer: `cb()`, want: `{"content":[]}`},
		{name: "number", answer: `cb(9007199254740991)`, want: fmt.Sprintf(textAlone, `"9007199254740991"`)},
		{name: "table", answer: `cb({ a = { 1, vim.empty_dict() } })`, want: fmt.Sprintf(textAlone, `"{\"a\":[1,{}]}"`)},
		{name: "failure", answer: `cb(nil, "no")`, want: `{"content":[{"type":"text","text":"Error: no"}],"isError":true}`},
		{name: "failure with a text of its own", answer: `cb({ isError = true, content = { { type = "text", text = "no" } } })`,
			want: `{"content":[{"text":"no","type":"text"}],"isError":true}`},
		{name: "image", answer: `cb({ content = { { type = "image", mimeType = "image/png", data = vim.base64.encode("\0\255") } } })`,
			want: `{"content":[{"data":"AP8=","mimeType":"image/png","type":"image"}]}`},
		{name: "audio", answer: `cb({ content = { { type = "audio", mimeType = "audio/wav", data = "" } } })`,
			want:   `{"content":[{"data":"","mimeType":"audio/wav","type":"audio"}]}`,
			others: map[string]string{"2024-11-05": fmt.Sprintf(textAlone, `"[Audio of the type audio/wav]"`)}},
		{name: "resource", answer: `cb({ content = { { type = "resource", resource = { uri = "test://a", text = "x" } } } })`,
			want: `{"content":[{"resource":{"text":"x","uri":"test://a"},"type":"resource"}]}`},
		{name: "link", answer: `cb({ content = { { type = "resource_link", uri = "file:///a", name = "a" } } })`,
			want: `{"content":[` + link + `]}`, others: map[string]string{
				"2024-11-05": fmt.Sprintf(textAlone, `"[Resource link: a] file:///a"`),
				"2025-03-26": fmt.Sprintf(textAlone, `"[Resource link: a] file:///a"`),
			}},
		{name: "structured", answer: `cb({ structuredContent = { n = 1 } })`,
			want: `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`, others: map[string]string{
				"2024-11-05": fmt.Sprintf(textAlone, `"{\"n\":1}"`), "2025-03-26": fmt.Sprintf(textAlone, `"{\"n\":1}"`),
			}},
		{name: "malformed", answer: `cb({ content = { { type = "text", text = "x" }, { type = "imagine" } } })`,
			want: `{"content":[{"type":"text","text":"Error: nvim_t returned what no client can read: result.content[2].type is \"imagine\", and must be one of audio, image, resource, resource_link, text"}],"isError":true}`},
		{name: "no JSON", answer: `cb({ content = { { type = "text", text = print } } })`,
			want: `{"content":[{"type":"text","text":"Error: result.content[1].text: a function has no JSON form"}],"isError":true}`},
	}
	each(t, `tool("t", function(cb) assert(loadstring("local cb = ... " .. answer))(cb) end)`, func(t *testing.T, s *scene) {
		for _, revision := range revisions {
			c := s.client(revision)
			for _, row := range rows {
				s.e.Lua(nil, `_G.answer = ...`, row.answer)
				want := row.want
				if other := row.others[revision]; other != "" {
					want = other
				}
				if got := sorted(c.call("nvim_t", "{}").result()); got != sorted(want) {
					t.Errorf("%s, %s:\n got %s\nwant %s", revision, row.name, got, want)
				}
			}
		}
	})
}

func TestErrors_WithACodeOfTheToolsOwnAreJSONRPCErrors(t *testing.T) {
	t.Parallel()
	each(t, `tool("t", function(cb) cb(nil, { code = -31999, message = "no", data = { why = "so" } }) end)`, func(t *testing.T, s *scene) {
		for _, revision := range revisions {
			r := s.client(revision).call("nvim_t", "{}").reply()
			if r.Error == nil || r.Error.Code != -31999 || r.Error.Message != "no" || string(r.Error.Data) != `{"why":"so"}` {
				t.Errorf("%s: %+v", revision, r)
			}
		}
	})
}

func TestOutputSchema_MakesWhatAToolReturnsStructured(t *testing.T) {
	t.Parallel()
	const code = `
		local schema = { type = "object", properties = { n = { type = "integer" } }, required = { "n" } }
		tool("t", function(cb, args) cb(args.result) end, {
			output_schema = schema, input_schema = { type = "object", properties = { result = {} } },
		})`
	each(t, code, func(t *testing.T, s *scene) {
		c := s.client("2025-11-25")
		for arguments, want := range map[string]string{
			`{"result":{"n":1}}`: `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`,
			`{"result":{"structuredContent":{"n":2},"content":[{"type":"text","text":"two"}]}}`: `{"content":[{"text":"two","type":"text"}],"structuredContent":{"n":2}}`,
			`{"result":{"n":"x"}}`: "result.structuredContent does not keep to the tool's output schema: n: got string, want integer",
			`{"result":{}}`:        "does not keep to the tool's output schema: missing property 'n'",
			`{"result":"text"}`:    "does not keep to the tool's output schema: got string, want object",
			`{"result":{"isError":true,"content":[{"type":"text","text":"no"}]}}`: `{"content":[{"text":"no","type":"text"}],"isError":true}`,
			`{"result":{"content":[{"type":"text","text":"no"}]}}`:                "result.structuredContent is missing",
		} {
			got := c.call("nvim_t", arguments).result()
			if strings.HasPrefix(want, "{") {
				got, want = sorted(got), sorted(want)
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s:\n got %s\nwant %s", arguments, got, want)
			}
		}
	})
}
