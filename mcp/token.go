// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

// str skips the string that starts at pos (RFC 8259 section 7).
func (s *scanner) str() error {
	i := s.pos + 1
	for {
		if i += plain(s.text[i:]); i == len(s.text) {
			return errSyntax
		}
		switch s.text[i] {
		case '"':
			s.pos = i + 1
			return nil
		case '\\':
			n, err := escapeLen(s.text[i:])
			if err != nil {
				return err
			}
			i += n
		default: // a control character
			return errSyntax
		}
	}
}

// plain is how many bytes b starts with that stand for themselves in a string: none is a
// quotation mark, a backslash or a control character.
func plain(b []byte) (n int) {
	for ; len(b)-n >= 8; n += 8 {
		if found := special(binary.LittleEndian.Uint64(b[n:])); found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for ; n < len(b); n++ {
		if c := b[n]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return n
}

const (
	// ones has 1 in each byte, tops the highest bit of each.
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// special sets the highest bit of the bytes of w that are special in a string, at least
// of the first: a borrow may also set those of bytes behind it.
func special(w uint64) uint64 {
	quote, backslash := w^(ones*'"'), w^(ones*'\\')
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (w-ones*' ')&^w) & tops
}

// escapeLen is the length of the escape b starts with, a surrogate pair being
// one. A lone surrogate names no character (RFC 8259 section 8.2), and Lua's
// decoder refuses it, so nothing behind the guard ever meets one.
func escapeLen(b []byte) (int, error) {
	if len(b) < 2 {
		return 0, errSyntax
	}
	if b[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, b[1]) < 0 {
			return 0, errSyntax
		}
		return 2, nil
	}
	r, ok := hex4(b)
	switch {
	case !ok:
		return 0, errSyntax
	case r < 0xD800 || r > 0xDFFF:
		return 6, nil
	}
	low, ok := hex4(b[6:])
	if r > 0xDBFF || !ok || low < 0xDC00 || low > 0xDFFF {
		return 0, errSurrogate
	}
	return 12, nil
}

// number skips the number that starts at pos (RFC 8259 section 6).
func (s *scanner) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return errSyntax
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return errSyntax
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return errSyntax
		}
	}
	return nil
}

// digits skips digits and reports whether there was one.
func (s *scanner) digits() bool {
	from := s.pos
	for s.pos < len(s.text) && s.text[s.pos] >= '0' && s.text[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > from
}
