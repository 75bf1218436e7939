// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import "unicode/utf8"

// appendQuoted appends p as a JSON string, repaired to UTF-8.
func appendQuoted(dst, p []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	good := 0 // p[good:i] needs no change and is not yet appended
	for i := 0; i < len(p); {
		c := p[i]
		n := 1
		if c >= utf8.RuneSelf {
			if n = sequence(p[i:]); n > 0 {
				i += n
				continue
			}
			n = -n
		} else if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, p[good:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			if c < ' ' {
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				dst = utf8.AppendRune(dst, utf8.RuneError)
			}
		}
		i += n
		good = i
	}
	dst = append(dst, p[good:]...)
	return append(dst, '"')
}

// appendValid appends p with one U+FFFD in the place of each ill-formed sequence.
func appendValid(dst, p []byte) []byte {
	if utf8.Valid(p) {
		return append(dst, p...)
	}
	good := 0
	for i := 0; i < len(p); {
		n := 1
		if p[i] >= utf8.RuneSelf {
			n = sequence(p[i:])
		}
		if n > 0 {
			i += n
			continue
		}
		dst = append(dst, p[good:i]...)
		dst = utf8.AppendRune(dst, utf8.RuneError)
		i -= n
		good = i
	}
	return append(dst, p[good:]...)
}

// sequence is the length of the UTF-8 sequence that p starts with, negative if it
// is ill-formed: then it is the longest run that begins a well-formed sequence
// (the Unicode Standard, 3.9, "U+FFFD Substitution of Maximal Subparts").
func sequence(p []byte) int {
	if r, n := utf8.DecodeRune(p); r != utf8.RuneError || n > 1 {
		return n
	}
	n := 1
	for n < len(p) && !utf8.FullRune(p[:n+1]) {
		n++
	}
	return -n
}
