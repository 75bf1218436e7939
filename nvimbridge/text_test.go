// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAppendValid_ReplacesEachIllFormedSequenceOnce(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{
		"":                             "",
		"plain ü€😀":                    "plain ü€😀",
		"\xff":                         "�",
		"a\xe2\x82":                    "a�",   // cut short
		"a\xf0\x9f\x98b":               "a�b",  // cut short before another character
		"\xc0\x80":                     "��",   // overlong
		"\xed\xa0\x80":                 "���",  // surrogate
		"\xf4\x90\x80\x80":             "����", // above U+10FFFF
		"\x80\xe2\x82\xe2\x82":         "���",  // three faults
		"�":                            "�",    // a real one stays
		"\xf1\x80\x80\xe1\x80\xc2\x62": "���b", // the Unicode Standard, table 3-11
	} {
		if got := string(appendValid(nil, []byte(p))); got != want {
			t.Errorf("%q became %q, want %q", p, got, want)
		}
	}
}

func TestAppendQuoted_IsTheJSONOfTheRepairedText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SliceOf(rapid.Byte()).Draw(rt, "p")
		valid := appendValid(nil, p)
		if !utf8.Valid(valid) {
			rt.Fatalf("%q is not valid", valid)
		}
		var got string
		if err := json.Unmarshal(appendQuoted(nil, p), &got); err != nil || got != string(valid) {
			rt.Fatalf("%q, %v, want %q", got, err, valid)
		}
	})
}
