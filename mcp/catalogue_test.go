// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestSchema_RepairsEmptyLuaTablesWhereOnlyObjectsMakeSense(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, want string }{
		{`{"type":"object"}`, `{"type":"object"}`},
		{`{"type":"object","properties":[]}`, `{"type":"object","properties":{}}`},
		{` {"type":"object","properties": [ ] } `, `{"type":"object","properties":{}}`},
		{`{"type":"object","properties":{"any":[]}}`, `{"type":"object","properties":{"any":{}}}`},
		{`{"type":"object","properties":{"o":{"type":"object","properties":[],"required":[]}}}`,
			`{"type":"object","properties":{"o":{"type":"object","properties":{},"required":[]}}}`},
		{`{"type":"object","properties":{"a":{"type":"array","items":[]}}}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		{`{"type":"object","properties":{"a":{"items":[{"properties":[]},[]]}}}`,
			`{"type":"object","properties":{"a":{"items":[{"properties":{}},{}]}}}`},
		{`{"type":"object","anyOf":[{"properties":[]},[]],"$defs":[],"if":[]}`,
			`{"type":"object","anyOf":[{"properties":{}},{}],"$defs":{},"if":{}}`},
		{`{"type":"object","pr\u006fperties":[]}`, `{"type":"object","pr\u006fperties":{}}`},
		// Here [] may be meant.
		{`{"type":"object","default":[],"enum":[[]],"examples":[{"properties":[]}],"required":[],"allOf":[]}`,
			`{"type":"object","default":[],"enum":[[]],"examples":[{"properties":[]}],"required":[],"allOf":[]}`},
		// A property may be called as a keyword is.
		{`{"type":"object","properties":{"properties":{"default":[]},"items":{"const":[]}}}`,
			`{"type":"object","properties":{"properties":{"default":[]},"items":{"const":[]}}}`},
		{`{"type":"object","additionalProperties":false,"properties":{"x":{"additionalProperties":[]}}}`,
			`{"type":"object","additionalProperties":false,"properties":{"x":{"additionalProperties":{}}}}`},
	} {
		got, err := checkSchema([]byte(c.schema))
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\n got %s, %v\nwant %s", c.schema, got, err, c.want)
		}
		if checkJSON(got) != nil {
			t.Errorf("%s: no longer JSON: %s", c.schema, got)
		}
	}
}

func TestCatalogue_RefusesWhatItCannotHold(t *testing.T) {
	t.Parallel()
	schema := func(s string) Tool { return Tool{Name: "t", InputSchema: []byte(s), IDE: true} }
	for _, c := range []struct {
		tool Tool
		want error
	}{
		{schema(`{`), errSchemaJSON},
		{schema(`{"type":"object"}{}`), errSchemaJSON},
		{schema(`{"type":"object","x":"\ud800"}`), errSchemaJSON},
		{schema(strings.Repeat(`{"not":`, maxDepth) + `{}` + strings.Repeat(`}`, maxDepth)), errSchemaJSON},
		{schema(`{"type":"object","x":"` + strings.Repeat("x", maxSchema) + `"}`), errSchemaSize},
		{schema(`[]`), errSchemaType},
		{schema(`null`), errSchemaType},
		{schema(`{"type":["object"]}`), errSchemaType},
		{Tool{Name: strings.Repeat("n", 129)}, errToolName},
		{Tool{Name: "t\n"}, errToolName},
		{Tool{Name: "tä"}, errToolName},
		{Tool{Name: "t", Description: strings.Repeat("d", maxDescription+1)}, errDescription},
	} {
		w := newWorld(t)
		left := w.server.SetCatalogue([]Tool{ideTool("before"), c.tool, ideTool("after")})
		if len(left) != 1 || left[0].Name != c.tool.Name || !errors.Is(left[0].Err, c.want) {
			t.Errorf("%.60s %.60s: %v, want %v", c.tool.Name, c.tool.InputSchema, left, c.want)
		}
		if n := len(w.server.tools.byName) - 1; n != 2 {
			t.Errorf("%.60s: %d tools stayed", c.tool.InputSchema, n)
		}
	}
}

func TestDetails_OfAToolAreBounded(t *testing.T) {
	t.Parallel()
	of := func(size int) []byte {
		return []byte(`{"title":"` + strings.Repeat("x", size-len(`{"title":""}`)) + `"}`)
	}
	w := newWorld(t)
	left := w.server.SetCatalogue([]Tool{
		{Name: "fits", InputSchema: []byte(`{"type":"object"}`), Annotations: of(maxDetail)},
		{Name: "long", InputSchema: []byte(`{"type":"object"}`), Annotations: of(maxDetail + 1)},
	})
	if len(left) != 1 || left[0].Name != "long" || left[0].Err.Error() != "annotations has more than 32768 bytes" {
		t.Errorf("left out %v", left)
	}
}

func TestCall_OfAnUnknownToolNamesABeginning(t *testing.T) {
	t.Parallel()
	w := ideWorld(t)
	name := strings.Repeat("n", 2*maxMethod)
	got := w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `"}}`)
	if want := withID("1", `"error":{"code":-32601,"message":"Tool not found: `+name[:maxMethod]+`"}}`); got != want {
		t.Errorf("got %s", got)
	}
}

func TestCatalogue_IsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tools := make([]Tool, maxTools+2)
	for i := range tools {
		tools[i] = ideTool(fmt.Sprint("t", i))
	}
	left := w.server.SetCatalogue(tools)
	if len(left) != 2 || left[0] != (Rejected{fmt.Sprint("t", maxTools), errCatalogue}) {
		t.Errorf("left out %v", left)
	}
}

func TestTools_AreListedInTheOrderOfRegistration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Open(1)
	var want []string
	var tools []Tool
	for i := range 50 {
		name := fmt.Sprintf("t%d", i*37%50)
		tools = append(tools, ideTool(name))
		want = append(want, `{"name":"`+name+`","inputSchema":{"type":"object"}}`)
	}
	w.server.SetCatalogue(tools)
	got := w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if got != withID("1", `"result":{"tools":[`+strings.Join(want, ",")+`]}}`) {
		t.Errorf("got %s", got)
	}
}

// A list larger than the client takes is an error, not a lost connection.
func TestTools_ListAboveTheClientsLimitIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Open(1)
	var tools []Tool
	for i := range maxTools {
		tool := ideTool(fmt.Sprint("t", i))
		tool.Description = strings.Repeat("d", 20<<10)
		tools = append(tools, tool)
	}
	w.server.SetCatalogue(tools)
	got := w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.HasPrefix(got, withID("1", `"error":{"code":-32000,"message":"the answer has `)) {
		t.Errorf("got %.200s", got)
	}
}
