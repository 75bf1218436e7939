// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"strings"
	"testing"
)

func TestGuard_AcceptsExactlyRFC8259(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{}`, `[]`, `0`, `-0`, `""`, `true`, ` null `, "\t\r\n{ }\n", `1.5e+3`, `[[],{},[{}]]`, `{"a":{"b":[1,2]}}`,
		`"\ud83e\udd2d"`, `"\u0000"`, `"\\\"\/\b\f\n\r\t"`, `{"":0}`, `{"a":1,"a":2}`, `"\\"`, "\"\u007f\u2028é\"",
	} {
		if err := checkJSON([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		``, ` `, `{`, `}`, `[`, `]`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{1:1}`, `[1 2]`, `1 2`, `{}{}`, `[}`, `{]`,
		`01`, `+1`, `1.`, `.5`, `1e`, `-`, `--1`, `1.2.3`, `1.0.1`, `NaN`, `Infinity`, `nul`, `nulL`, `truex`, `tru`, `[true1]`, `0x10`,
		"\"\n\\n\"", "{\"\x1f\\n\":1}", "\"\\u0041\x00\\n\"", `"`, `"\"`, `"\x"`, `"\u12"`, `"\u12G4"`, "\"\n\"", "\"\x01\"", `'a'`, "{\"a\x00\":1}", "\ufeff{}", "//x\n1", `[1]]`, `"\`, `"\u`,
	} {
		if err := checkJSON([]byte(text)); err != errSyntax {
			t.Errorf("%q: %v, want errSyntax", text, err)
		}
	}
}

func TestGuard_RefusesLoneSurrogates(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`"\ud83e"`, `"\udd2d"`, `"\udd2d\ud83e"`, `"\udd2d\udd2d"`, `"\ud83e\ud83e"`, `"\ud83ex"`, `"\ud83e\n"`, `"\ud83e\u0041"`, `{"\uDFFF":1}`, `"\uD800\u"`,
	} {
		if err := checkJSON([]byte(text)); err != errSurrogate {
			t.Errorf("%s: %v, want errSurrogate", text, err)
		}
	}
}

func TestGuard_BoundsDepthAndValues(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	many := func(n int) string { return "[" + strings.Repeat("1,", n-2) + "1]" }
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"128 arrays", nested(128), nil},
		{"129 arrays", nested(129), errBounds},
		{"128 objects", objects(128), nil},
		{"129 objects", objects(129), errBounds},
		{"262144 values", many(262144), nil},
		{"262145 values", many(262145), errBounds},
		{"129 open brackets", strings.Repeat("[", 129), errBounds},
		{"128 open brackets", strings.Repeat("[", 128), errSyntax},
	} {
		if err := checkJSON([]byte(c.text)); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestGuard_FindsMembersAndTheLastDuplicateWins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		slot slot
		want string
	}{
		{`{"id":1}`, slotID, `1`},
		{`{ "id" : [1, {"id":2}] }`, slotID, `[1, {"id":2}]`},
		{`{"id":1,"id":2}`, slotID, `2`},
		{`{"id":1,"\u0069d":"x"}`, slotID, `"x"`},
		{`{"id":1,"id\u0100":2}`, slotID, `1`},
		{`{"id":1,"id\ud83d\ude00":2}`, slotID, `1`},
		{`{"\u0069\u0064":3}`, slotID, `3`},
		{`{"Id":1}`, slotID, ``},
		{`{"params":{"id":1}}`, slotID, ``},
		{`[{"id":1}]`, slotID, ``},
		{`{"params":{"name":"a"}}`, slotName, `"a"`},
		{`{"params":{"name":"a","n\u0061me":"b"}}`, slotName, `"b"`},
		{`{"params":{"name":"a"},"params":{"arguments":{}}}`, slotName, ``},
		{`{"params":{"name":"a"},"params":5}`, slotName, ``},
		{`{"params":5,"params":{"name":"a"}}`, slotName, `"a"`},
		{`{"params":{"name":"a"},"id":0}`, slotParams, `{"name":"a"}`},
		{`{"name":"a","params":{}}`, slotName, ``},
		{`{"params":[{"name":"a"}]}`, slotName, ``},
		{`{"params":{"arguments":{"name":"b"},"name":"a"}}`, slotName, `"a"`},
		{`{"params":{"x":{"name":"b"}}}`, slotName, ``},
		{`{"other":{"name":"b"}}`, slotName, ``},
		{`{"params":{"name":{}},"other":{"name":"b"}}`, slotName, `{}`},
		{`{"params":{"arguments": {"a" : "}"} }}`, slotArguments, `{"a" : "}"}`},
		{`{"params":{"_meta":[]}}`, slotMeta, `[]`},
	} {
		var m message
		if err := m.scan([]byte(c.text)); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		if got := string(m.at[c.slot]); got != c.want {
			t.Errorf("%s: slot %d is %q, want %q", c.text, c.slot, got, c.want)
		}
	}
}

func BenchmarkGuard(b *testing.B) {
	for _, size := range []int{100, 1 << 20, 8 << 20} {
		text := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openDiff","arguments":{"new_file_contents":"` +
			strings.Repeat(`line of code\n`, size/14) + `"}}}`)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var m message
			for b.Loop() {
				if err := m.scan(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
