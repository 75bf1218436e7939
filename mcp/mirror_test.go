// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"strings"
	"testing"
)

func TestMirrors_AreForWhatAClientCanFind(t *testing.T) {
	t.Parallel()
	property := func(p string) string { return `{"type":"object","properties":{"a":` + p + `}}` }
	for schema, want := range map[string]error{
		property(`{"type":"string","x-mcp-header":"Region"}`):                                     nil,
		property(`{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}}`):    nil,
		property(`{"default":"x-mcp-header"}`):                                                    nil,
		property(`{"type":"string","x-mcp-header":"` + strings.Repeat("x", maxToolName) + `"}`):   nil,
		property(`{"type":"string","x-mcp-header":"` + strings.Repeat("x", maxToolName+1) + `"}`): errMirrorName,
		property(`{"type":"string","x-mcp-header":""}`):                                           errMirrorName,
		property(`{"type":"string","x-mcp-header":5}`):                                            errMirrorName,
		property(`{"type":"string","x-mcp-header":"a b"}`):                                        errMirrorName,
		property(`{"type":"string","x-mcp-header":"a\r\nb"}`):                                     errMirrorName,
		property(`{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}`): errMirrorName,
		property(`{"type":"number","x-mcp-header":"A"}`):                                          errMirrorType,
		property(`{"type":["string"],"x-mcp-header":"A"}`):                                        errMirrorType,
		property(`{"type":"array","items":{"type":"string","x-mcp-header":"A"}}`):                 errMirrorPlace,
		property(`{"anyOf":[{"type":"string","x-mcp-header":"A"}]}`):                              errMirrorPlace,
		`{"type":"object","x-mcp-header":"A"}`:                                                    errMirrorPlace,
		`{"type":"object","$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`:                    errMirrorPlace,
		`{"type":"object","if":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}`:        errMirrorPlace,
	} {
		tools := []Tool{{Name: "t", InputSchema: []byte(schema)}}
		new(compiler).compile(tools)
		if got := tools[0].made.err; !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", schema, got, want)
		}
	}
}

func TestMirrors_MustSayWhatTheBodySays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.SetCatalogue([]Tool{{Name: "t", InputSchema: []byte(`{"type":"object","properties":{
		"s":{"type":"string","x-mcp-header":"S"},"n":{"type":"integer","x-mcp-header":"N"},
		"b":{"type":"boolean","x-mcp-header":"B"},
		"o":{"type":"object","properties":{"ä":{"type":"string","x-mcp-header":"Deep"}}}}}`)}})
	for _, c := range []struct {
		arguments, header string
		ok                bool
	}{
		{`{}`, ``, true},
		{`{"s":"us"}`, `s=us`, true},
		{`{"s":"us"}`, ``, false},
		{`{"s":"us"}`, `s=eu`, false},
		{`{"s":"us"}`, `s=US`, false},
		{`{"s":null}`, ``, true},
		{`{"s":null}`, `s=null`, false},
		{`{}`, `s=us`, false},
		{`{"s":"\u00e4"}`, `s==?base64?w6Q=?=`, true},
		{`{"s":"=?base64?%?="}`, `s==?base64?%?=`, false},
		{`{"s":""}`, `s=`, true},
		{`{"n":42}`, `n=42`, true},
		{`{"n":42}`, `n=42.0`, true},
		{`{"n":42}`, `n=43`, false},
		{`{"n":42}`, `n=NaN`, false},
		{`{"n":[42]}`, `n=[42]`, false},
		{`{"b":true}`, `b=true`, true},
		{`{"b":true}`, `b=1`, false},
		{`{"o":{"ä":"x"}}`, `deep=x`, true},
		{`{"o":{"ä":"x"}}`, ``, false},
		{`{"o":5}`, ``, true}, // no argument is there; the schema has its say afterwards
	} {
		header := map[string]string{
			"content-type": typeJSON, "accept": "*/*", "mcp-protocol-version": revisionStateless,
			"mcp-method": "tools/call", "mcp-name": "nvim_t",
		}
		for field := range strings.FieldsSeq(c.header) {
			name, value, _ := strings.Cut(field, "=")
			header["mcp-param-"+name] = value
		}
		f := w.request("r", "POST", "/mcp", header, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_t","arguments":`+c.arguments+`,`+statelessMeta+`}}`)
		refused := f.status == 400 && strings.Contains(f.said[0], `"code":-32020`)
		if refused == c.ok {
			t.Errorf("%s with %s: %d %s", c.arguments, c.header, f.status, f.said)
		}
		f.leave()
	}
}
