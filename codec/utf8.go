// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import "unicode/utf8"

// ValidUTF8 returns p itself if it is valid UTF-8, else a repaired copy, as
// AppendValidUTF8 makes it.
func ValidUTF8(p []byte) []byte {
	if utf8.Valid(p) {
		return p
	}
	return AppendValidUTF8(make([]byte, 0, len(p)+utf8.UTFMax), p)
}

// AppendValidUTF8 appends p with one U+FFFD in the place of each ill-formed sequence.
// A sequence is a maximal subpart (the Unicode Standard, 3.9, "U+FFFD Substitution of
// Maximal Subparts"): the longest run that begins a well-formed sequence without
// completing it, or else one byte. So a code point cut short is one U+FFFD, while
// overlong forms, surrogates and code points above U+10FFFF are one for each byte.
func AppendValidUTF8(dst, p []byte) []byte {
	good := 0 // p[good:i] is valid and not yet appended
	for i := 0; i < len(p); {
		if p[i] < utf8.RuneSelf {
			i++
			continue
		}
		if r, n := utf8.DecodeRune(p[i:]); r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		dst = append(dst, p[good:i]...)
		dst = utf8.AppendRune(dst, utf8.RuneError)
		i += illFormed(p[i:])
		good = i
	}
	return append(dst, p[good:]...)
}

// illFormed is the length of the ill-formed sequence at the start of p. FullRune is
// false exactly for what begins a well-formed sequence without completing it.
func illFormed(p []byte) int {
	n := 1
	for n < len(p) && !utf8.FullRune(p[:n+1]) {
		n++
	}
	return n
}
