// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"testing"
)

// Every byte at every place of a word, behind bytes that come close to special ones.
func TestPlain_StopsAtTheFirstSpecialByte(t *testing.T) {
	t.Parallel()
	for _, filler := range []byte{'a', ' ', '!', '#', '[', ']', 0x7f, 0x80, 0xa2, 0xdc, 0xff} {
		for c := range 256 {
			for at := range 19 {
				text := bytes.Repeat([]byte{filler}, 20)
				text[at] = byte(c)
				want := 20
				if c == '"' || c == '\\' || c < ' ' {
					want = at
				}
				if got := plain(text); got != want {
					t.Fatalf("%q: %d, not %d", text, got, want)
				}
			}
		}
	}
}

func TestNumber_FollowsTheGrammar(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		"0": true, "-0": true, "10": true, "-1.5": true, "1e5": true, "1E+05": true, "0.0e-0": true, "123456789012345678901234567890": true,
		"": false, "-": false, "+1": false, "01": false, "-01": false, "1.": false, ".5": false, "1e": false, "1e+": false, "0x1": false,
		"1.0.1": false, "1-1": false, "NaN": false, "Infinity": false, "1 1": false, "1e5.5": false,
	} {
		if err := checkJSON([]byte(text)); (err == nil) != valid {
			t.Errorf("%q: %v", text, err)
		}
	}
}
