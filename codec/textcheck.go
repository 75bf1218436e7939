// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import "unicode/utf8"

// textCheck judges the UTF-8 of a text that comes in parts, each while the processor's
// cache still holds it. A part may end inside a code point.
type textCheck struct {
	cut [utf8.UTFMax]byte // a code point that the last part did not complete
	n   int               // bytes of it
	bad bool
}

// add takes the next part.
func (t *textCheck) add(p []byte) {
	for t.n > 0 && len(p) > 0 {
		t.cut[t.n] = p[0]
		t.n++
		p = p[1:]
		if utf8.FullRune(t.cut[:t.n]) {
			t.bad = t.bad || !utf8.Valid(t.cut[:t.n])
			t.n = 0
		}
	}
	whole := len(p) - cutRune(p)
	t.bad = t.bad || !utf8.Valid(p[:whole])
	t.n += copy(t.cut[t.n:], p[whole:])
}

// end reports whether the text is valid UTF-8, and forgets it.
func (t *textCheck) end() bool {
	valid := !t.bad && t.n == 0
	*t = textCheck{}
	return valid
}

// cutRune is the number of bytes at p's end that begin a code point without completing it.
func cutRune(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if end := p[len(p)-n:]; utf8.RuneStart(end[0]) {
			if utf8.FullRune(end) {
				return 0
			}
			return n
		}
	}
	return 0
}
