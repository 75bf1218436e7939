// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func mustAccept(t testing.TB, schema string) *acceptance {
	t.Helper()
	a, err := accept([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestArguments_AreCompletedAsTheToolSeesThem(t *testing.T) {
	t.Parallel()
	a := mustAccept(t, `{"type":"object","properties":{
		"n":{"type":"integer","default":7},"s":{"type":"string"},"nothing":{"default":null},"any":true,
		"o":{"type":"object","default":{"deep":1},"properties":{"x":{"default":false}}},
		"list":{"type":"array","items":{"properties":{"k":{"default":[]}}}}}}`)
	for in, want := range map[string]string{
		`{}`:                                  `{"n":7,"o":{"deep":1}}`,
		`{"n":null,"s":null,"o":{}}`:          `{"n":7,"o":{"x":false}}`,
		`{"n":1,"o":{"x":true,"y":null}}`:     `{"n":1,"o":{"x":true}}`,
		`{"n":1,"o":{"x":1},"extra":[null]}`:  `{"n":1,"o":{"x":1},"extra":[null]}`,
		`{"n":1,"o":{"x":0},"list":[{},[1]]}`: `{"list":[{"k":[]},[1]],"n":1,"o":{"x":0}}`,
		`{"n" : 1, "o":{"x":1} }`:             `{"n" : 1, "o":{"x":1} }`,
		`{"s":"<&> \ud83e\udd2d","n":1.0}`:    `{"n":1.0,"o":{"deep":1},"s":"<&> 🤭"}`,
		`{"n":12345678901234567890}`:          `{"n":12345678901234567890,"o":{"deep":1}}`,
	} {
		got, err := a.complete([]byte(in), maxVisits)
		if err != nil || string(got) != want {
			t.Errorf("%s:\n got %s, %v\nwant %s", in, got, err, want)
		}
	}
	// Nothing that one call adds stays for the next.
	if got, _ := a.complete([]byte(`{}`), maxVisits); string(got) != `{"n":7,"o":{"deep":1}}` {
		t.Errorf("the second time: %s", got)
	}
}

func TestArguments_NumbersAreBounded(t *testing.T) {
	t.Parallel()
	a := mustAccept(t, `{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":{"multipleOf":0.1}}`)
	for n, refused := range map[string]bool{
		"1e400": false, "1e+400": false, "1E-400": false, "1e401": true, "1e-401": true,
		"1e99999999999999999999": true, "1" + strings.Repeat("0", maxDigits): true,
	} {
		if _, err := a.complete([]byte(`{"n":`+n+`}`), maxVisits); errors.Is(err, errNumber) != refused {
			t.Errorf("%.20s: %v", n, err)
		}
	}
	// Many of the largest that pass are checked in no time.
	numbers := make([]string, 1000)
	for i := range numbers {
		numbers[i] = fmt.Sprintf(`"n%d":1e400`, i)
	}
	start := time.Now()
	if _, err := a.complete([]byte("{"+strings.Join(numbers, ",")+"}"), maxVisits); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

func TestArguments_FaultsAreBounded(t *testing.T) {
	t.Parallel()
	a := mustAccept(t, `{"type":"object","additionalProperties":{"type":"integer"}}`)
	var members []string
	for i := range 100 {
		members = append(members, fmt.Sprintf(`"%d%s":"x"`, i, strings.Repeat("ä", maxProblem)))
	}
	_, err := a.complete([]byte("{"+strings.Join(members, ",")+"}"), maxVisits)
	if err == nil {
		t.Fatal("no fault")
	}
	text := err.Error()
	if got := strings.Count(text, "; ") + 1; got != maxProblems {
		t.Errorf("%d faults named", got)
	}
	if len(text) > maxProblems*(maxProblem+len("…; ")) || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}

func TestArguments_FaultsOfAChoiceAreBoundedTogether(t *testing.T) {
	t.Parallel()
	var choices []string
	for i := range 100 {
		choices = append(choices, fmt.Sprintf(`{"const":"%d%s"}`, i, strings.Repeat("ä", 20)))
	}
	_, err := mustAccept(t, `{"type":"object","properties":{"a":{"anyOf":[`+strings.Join(choices, ",")+`]}}}`).
		complete([]byte(`{"a":1}`), maxVisits)
	if err == nil {
		t.Fatal("no fault")
	}
	if text := err.Error(); len(text) > 2*maxProblem+len("…") || !strings.HasSuffix(text, "…") || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}

func TestFaults_OfAnyKindAreBounded(t *testing.T) {
	t.Parallel()
	if text := faults(errors.New(strings.Repeat("x", 2*maxProblem))).Error(); text != strings.Repeat("x", maxProblem)+"…" {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}

func TestSchema_NumbersAreBounded(t *testing.T) {
	t.Parallel()
	for n, refused := range map[string]bool{"1e400": false, "1e401": true, "1e999999": true, "1e9999999": true} {
		_, err := acceptTool("input", []byte(`{"type":"object","properties":{"n":{"multipleOf":`+n+`}}}`))
		if want := "the input schema is no JSON Schema: " + errNumber.Error(); (err != nil) != refused || err != nil && err.Error() != want {
			t.Errorf("%s: %v", n, err)
		}
	}
}

func TestCatalogue_CompilesASchemaOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	tool := func(schema string) []Tool { return []Tool{{Name: "t", InputSchema: []byte(schema)}} }
	w.server.SetCatalogue(tool(`{"type":"object"}`))
	first := w.server.tools.byName["t"].made.accepts
	w.server.SetCatalogue(tool(`{"type":"object"}`))
	if w.server.tools.byName["t"].made.accepts != first {
		t.Error("the same schema was compiled again")
	}
	w.server.SetCatalogue(tool(`{"type":"object","properties":{}}`))
	if w.server.tools.byName["t"].made.accepts == first {
		t.Error("another schema was not compiled")
	}
}

func TestTools_ANameTooLongWithItsPrefixIsNotListedOverHTTP(t *testing.T) {
	t.Parallel()
	fits, long := strings.Repeat("n", maxToolName-len(toolPrefix)), strings.Repeat("n", maxToolName-len(toolPrefix)+1)
	w := httpWorld(newWorld(t), fits, long)
	listing := string(w.server.tools.list(statelessDialect))
	if !strings.Contains(listing, `"`+toolPrefix+fits+`"`) || strings.Contains(listing, long) {
		t.Errorf("listed %s", listing)
	}
}

// BenchmarkAccept is what a catalogue costs the loop, for each tool that is new.
func BenchmarkAccept(b *testing.B) {
	schema := []byte(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"line":{"type":"integer","default":1},"how":{"enum":["a","b"]}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := accept(schema); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkComplete(b *testing.B) {
	a := mustAccept(b, `{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"line":{"type":"integer","default":1}}}`)
	for _, arguments := range []string{`{"path":"/a/b/c.go"}`, `{"path":"` + strings.Repeat("x", 1<<20) + `","line":1}`} {
		b.Run(fmt.Sprint(len(arguments)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.complete([]byte(arguments), maxVisits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzArguments has any schema that a catalogue takes check any arguments: nothing
// panics, and what passes is an object still.
func FuzzArguments(f *testing.F) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"type":"integer","default":1}},"required":["a"]}`,
		`{"type":"object","$defs":{"n":{"$anchor":"x","type":"object","properties":{"c":{"$ref":"#/$defs/n"}}}},"properties":{"a":{"$ref":"#x"}}}`,
		`{"type":"object","$id":"http://a/b","allOf":[{"$ref":"#"}],"if":{"minProperties":1},"then":{"maxProperties":2}}`,
		`{"type":"object","$schema":"http://json-schema.org/draft-04/schema#","patternProperties":{"^a":{"uniqueItems":true,"multipleOf":0.5}}}`,
		`{"type":"object","properties":{"a":{"minimum":1e400,"enum":[1e400,"\u0000"]}},"unevaluatedProperties":false,"dependentRequired":{"a":["b"]}}`,
	} {
		f.Add([]byte(schema), []byte(`{"a":1}`))
		f.Add([]byte(schema), []byte(`{"a":{"c":{"c":null}},"ab":[1,1.0,"x"]}`))
	}
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		if !utf8.Valid(schema) || !utf8.Valid(arguments) {
			return
		}
		a, err := acceptTool("input", schema)
		if arguments = trimSpace(arguments); err != nil || checkJSON(arguments) != nil || !isObject(arguments) {
			return
		}
		completed, err := a.complete(arguments, visitsFor(len(arguments)))
		if err != nil {
			if len(err.Error()) > maxProblems*(maxProblem+len("…; ")) {
				t.Fatalf("%d bytes of faults", len(err.Error()))
			}
			return
		}
		if checkJSON(completed) != nil || !isObject(completed) {
			t.Fatalf("%q became %q", arguments, completed)
		}
	})
}
