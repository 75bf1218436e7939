// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// repairs are the examples of the Unicode Standard, 3.9, tables 3-8 to 3-11, and
// what buffers hold; each ? is a U+FFFD.
var repairs = []struct{ in, want string }{
	{"", ""},
	{"plain", "plain"},
	{"é€🤭\uFFFD", "é€🤭\uFFFD"},
	{"\xff\xfe", "??"},
	{"caf\xe9 au lait", "caf? au lait"},
	{"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82A", "????????A"},
	{"\xed\xa0\x80\xed\xbf\xbf\xed\xafA", "????????A"},
	{"\xf4\x91\x92\x93\xffA\x80\xbfB", "?????A??B"},
	{"\xe1\x80\xe2\xf0\x91\x92\xf1\xbfA", "????A"},
	{"cut \xf0\x9f\xa4", "cut ?"},
	{"\xf0\x9f\xa4é", "?é"},
	{"\xe2\x82(", "?("},
	{"\xf5\x80\x80\x80", "????"},
}

func TestValidUTF8_ReplacesEachIllFormedSequence(t *testing.T) {
	t.Parallel()
	for _, c := range repairs {
		want := bytes.ReplaceAll([]byte(c.want), []byte("?"), []byte("\uFFFD"))
		if got := ValidUTF8([]byte(c.in)); !bytes.Equal(got, want) {
			t.Errorf("%q became %q, want %q", c.in, got, want)
		}
		if got := AppendValidUTF8([]byte("dst"), []byte(c.in)); !bytes.Equal(got, append([]byte("dst"), want...)) {
			t.Errorf("%q was appended as %q", c.in, got)
		}
	}
}

func TestValidUTF8_ReturnsValidTextItself(t *testing.T) {
	t.Parallel()
	p := []byte("déjà vu")
	if got := ValidUTF8(p); &got[0] != &p[0] || len(got) != len(p) {
		t.Error("valid text was copied")
	}
	bad := []byte("a\xffb")
	if ValidUTF8(bad); string(bad) != "a\xffb" {
		t.Error("the ill-formed text itself was changed")
	}
}

// slowRepair is AppendValidUTF8 from its definition: a run is the beginning of a
// well-formed sequence if some continuation bytes make it one.
func slowRepair(p []byte) (out []byte) {
	begins := func(q []byte) bool {
		for _, a := range []byte{0x80, 0x90, 0xa0, 0xbf} {
			for _, b := range []byte{0x80, 0xbf} {
				for n := 1; n <= 3; n++ {
					s := append(bytes.Clone(q), []byte{a, b, b}[:n]...)
					if utf8.Valid(s) && utf8.RuneCount(s) == 1 {
						return true
					}
				}
			}
		}
		return false
	}
	for len(p) > 0 {
		n := min(len(p), utf8.UTFMax)
		for n > 0 && !(utf8.Valid(p[:n]) && utf8.RuneCount(p[:n]) == 1) {
			n--
		}
		if n > 0 {
			out, p = append(out, p[:n]...), p[n:]
			continue
		}
		n = min(len(p), utf8.UTFMax)
		for n > 1 && !begins(p[:n]) {
			n--
		}
		out, p = append(out, "\uFFFD"...), p[n:]
	}
	return out
}

func TestTextCheck_JudgesPartsAsTheirWhole(t *testing.T) {
	t.Parallel()
	for _, c := range repairs {
		p := []byte(c.in)
		for n := range len(p) + 1 {
			for m := range n + 1 {
				var text textCheck
				for _, part := range [][]byte{p[:m], p[m:n], p[n:]} {
					text.add(part)
				}
				if got, want := text.end(), utf8.Valid(p); got != want || text != (textCheck{}) {
					t.Errorf("%q in parts cut at %d and %d: valid is %v, %v is left", c.in, m, n, got, text)
				}
			}
		}
	}
}
