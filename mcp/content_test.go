// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"strings"
	"testing"
)

// made is a tool that is ready to be called.
func made(t testing.TB, tool Tool) *Tool {
	t.Helper()
	if tool.Name == "" {
		tool.Name = "t"
	}
	new(compiler).compile([]Tool{tool})
	tool.compile(nil)
	if tool.made.err != nil {
		t.Fatal(tool.made.err)
	}
	return &tool
}

// make is the result that a client of a revision gets, or what is wrong with it.
func makeResult(t *Tool, revision, value string) string {
	m := &maker{tool: t, revision: revision, limit: t.shown()}
	result, err := m.make([]byte(value), maxVisits)
	if err != nil {
		return err.Error()
	}
	return string(result)
}

func TestContent_ThatNoClientCanReadIsAnErrorWithItsPlace(t *testing.T) {
	t.Parallel()
	tool := made(t, Tool{})
	const kinds = "audio, image, resource, resource_link, text"
	for block, want := range map[string]string{
		`5`:                               "result.content[2] must be an object",
		`{}`:                              "result.content[2].type must be one of " + kinds,
		`{"type":5}`:                      "result.content[2].type must be one of " + kinds,
		`{"type":"imge"}`:                 `result.content[2].type is "imge", and must be one of ` + kinds,
		`{"type":"text"}`:                 "result.content[2].text is missing",
		`{"type":"text","text":5}`:        "result.content[2].text must be a string",
		`{"type":"image","data":"aGk="}`:  "result.content[2].mimeType is missing",
		`{"type":"image","mimeType":"x"}`: "result.content[2].data is missing",
		`{"type":"image","mimeType":"x","data":"a"}`:                                          "result.content[2].data must be Base64",
		`{"type":"audio","mimeType":"x","data":"aGk"}`:                                        "result.content[2].data must be Base64",
		`{"type":"audio","mimeType":"x","data":"a\nk="}`:                                      "result.content[2].data must be Base64",
		`{"type":"resource"}`:                                                                 "result.content[2].resource is missing",
		`{"type":"resource","resource":[]}`:                                                   "result.content[2].resource must be an object",
		`{"type":"resource","resource":{"text":"x"}}`:                                         "result.content[2].resource.uri must be a string",
		`{"type":"resource","resource":{"uri":"a:b"}}`:                                        "result.content[2].resource must have a text or a blob",
		`{"type":"resource","resource":{"uri":"a:b","blob":"?"}}`:                             "result.content[2].resource.blob must be Base64",
		`{"type":"resource_link","uri":"a:b"}`:                                                "result.content[2].name is missing",
		`{"type":"text","text":"x","annotations":[]}`:                                         "result.content[2].annotations must be an object",
		`{"type":"text","text":"x","_meta":5}`:                                                "result.content[2]._meta must be an object",
		`{"type":"` + strings.Repeat("x", 2*maxInfo) + `"}`:                                   `result.content[2].type is "` + strings.Repeat("x", maxInfo-1) + `…, and must be one of ` + kinds,
		`{"type":"image","mimeType":"image/png","data":"aGk\/","annotations":{"priority":1}}`: "",
		`{"type":"audio","mimeType":"audio/wav","data":""}`:                                   "",
		`{"type":"resource","resource":{"uri":"a:b","text":""}}`:                              "",
		`{"type":"resource_link","uri":"a:b","name":"n","_meta":{}}`:                          "",
	} {
		value := `{"content":[{"type":"text","text":""},` + block + `]}`
		if want == "" {
			want = value
		}
		if got := makeResult(tool, revisionStateless, value); got != want {
			t.Errorf("%s\n got %s\nwant %s", block, got, want)
		}
	}
}

func TestResult_IsMadeFitForEachRevision(t *testing.T) {
	t.Parallel()
	free := made(t, Tool{})
	strict := made(t, Tool{OutputSchema: []byte(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)})
	loose := made(t, Tool{OutputSchema: []byte(`{"type":"object"}`)})
	text := func(s string) string { return fmt.Sprintf(`"content":[{"type":"text","text":%q}]`, s) }
	const link = `{"type":"resource_link","uri":"file:///a","name":"a"}`
	const audio = `{"type":"audio","mimeType":"audio/wav","data":""}`
	const broken = "result.structuredContent does not keep to the tool's output schema: "
	for _, c := range []struct {
		tool                  *Tool
		revision, value, want string
	}{
		{free, "2025-11-25", `"hi"`, `{` + text("hi") + `}`},
		{free, "2025-11-25", `null`, `{"content":[]}`},
		{free, "2025-11-25", ``, `{"content":[]}`},
		{free, "2025-11-25", `{"a":[1]}`, `{` + text(`{"a":[1]}`) + `}`},
		{free, "2025-11-25", `{"content":"x"}`, `{` + text(`{"content":"x"}`) + `}`},
		{free, "2025-11-25", `{"content":[],"isError":true}`, `{"content":[],"isError":true}`},
		{free, "2025-11-25", `{"content":[],"isError":false}`, `{"content":[]}`},
		{free, "2025-11-25", `{"content":[],"isError":1}`, "result.isError must be a boolean"},
		{free, "2025-11-25", `{"content":[],"_meta":[]}`, `{"content":[]}`},
		{free, "2025-11-25", `{"content":[],"_meta":{"a":1},"x":null}`, `{"content":[],"_meta":{"a":1}}`},
		{free, "2025-11-25", `{"content":[],"_meta":5}`, "result._meta must be an object"},
		{free, "2025-11-25", `{"structuredContent":{"a":1},"content":5}`, "result.content must be an array"},
		// The structured part brings a text, for clients that do not know it.
		{free, "2025-11-25", `{"structuredContent":{"a":1}}`, `{` + text(`{"a":1}`) + `,"structuredContent":{"a":1}}`},
		{free, "2025-11-25", `{"structuredContent":{"a":1},` + text("one") + `}`, `{` + text("one") + `,"structuredContent":{"a":1}}`},
		{free, "2025-03-26", `{"structuredContent":{"a":1}}`, `{` + text(`{"a":1}`) + `}`},
		{free, "2025-11-25", `{"structuredContent":[1]}`, `{` + text(`[1]`) + `}`},
		{free, "2026-07-28", `{"structuredContent":[1]}`, `{` + text(`[1]`) + `,"structuredContent":[1]}`},
		{free, "2025-11-25", `{"structuredContent":[]}`, `{` + text(`{}`) + `,"structuredContent":{}}`},
		// With an output schema, what a tool returns is the structured part.
		{strict, "2025-11-25", `{"n":1}`, `{` + text(`{"n":1}`) + `,"structuredContent":{"n":1}}`},
		{strict, "2024-11-05", `{"n":1}`, `{` + text(`{"n":1}`) + `}`},
		{strict, "2025-11-25", `{"n":"x"}`, broken + "n: got string, want integer"},
		{strict, "2024-11-05", `{"n":"x"}`, broken + "n: got string, want integer"},
		{strict, "2025-11-25", `{}`, broken + "missing property 'n'"},
		{strict, "2025-11-25", `"text"`, broken + "got string, want object"},
		{strict, "2025-11-25", `{` + text("x") + `}`, errNoStructure.Error()},
		{strict, "2025-11-25", `null`, errNoStructure.Error()},
		{strict, "2025-11-25", `{` + text("x") + `,"isError":true}`, `{` + text("x") + `,"isError":true}`},
		{loose, "2025-11-25", `[]`, `{` + text(`{}`) + `,"structuredContent":{}}`},
		{loose, "2025-11-25", `{"n":null}`, `{` + text(`{"n":null}`) + `,"structuredContent":{"n":null}}`},
		{loose, "2025-11-25", `{"n":1e9999}`, broken + errNumber.Error()},
		// What a revision does not know is said in words.
		{free, "2025-06-18", `{"content":[` + link + `]}`, `{"content":[` + link + `]}`},
		{free, "2025-03-26", `{"content":[` + link + `,` + audio + `]}`, `{"content":[{"type":"text","text":"[Resource link: a] file:///a"},` + audio + `]}`},
		{free, "2024-11-05", `{"content":[` + audio + `]}`, `{` + text("[Audio of the type audio/wav]") + `}`},
	} {
		if got := makeResult(c.tool, c.revision, c.value); got != c.want {
			t.Errorf("%s, %s\n got %s\nwant %s", c.revision, c.value, got, c.want)
		}
	}
}

func TestContent_OnTheIDESocketIsCheckedToo(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("t"))
	got := w.finish(w.callTool("1", "t", "{}").Token, Outcome{Result: []byte(`{"content":[{"type":"imge"}]}`)})
	if !strings.Contains(got, `"error":{"code":-32000,"message":"t returned what no client can read: result.content[1].type is `) {
		t.Errorf("got %s", got)
	}
	if got := w.finish(w.callTool("3", "t", "{}").Token, Outcome{Result: []byte(`{"content":{"a":1}}`)}); !strings.Contains(got, `"text":"{\"content\":{\"a\":1}}"`) {
		t.Errorf("a value with a member of that name: %s", got)
	}
	const whole = `{"content":[{"type":"text","text":"x"}],"more":[]}`
	if got := w.finish(w.callTool("2", "t", "{}").Token, Outcome{Result: []byte(whole)}); !strings.Contains(got, whole) {
		t.Errorf("got %s", got)
	}
}

func TestContent_InItsPlaceIsBounded(t *testing.T) {
	t.Parallel()
	object := `{"name":"` + strings.Repeat("x", 2*maxDescription) + `"}`
	if got := textOf([]byte(object), "name"); len(got) != maxDescription {
		t.Errorf("%d bytes", len(got))
	}
}
