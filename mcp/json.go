// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The functions below read JSON text that was validated before. Given anything
// else they stay within its bounds and come to an end, and that is all.

var jsonNull = []byte("null")

func isString(v []byte) bool { return len(v) > 0 && v[0] == '"' }
func isObject(v []byte) bool { return len(v) > 0 && v[0] == '{' }
func isArray(v []byte) bool  { return len(v) > 0 && v[0] == '[' }
func isNull(v []byte) bool   { return string(v) == "null" }
func isNumber(v []byte) bool { return len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') }

// isText reports whether v is the JSON string that means text. text is short
// and plain ASCII.
func isText(v []byte, text string) bool {
	if !isString(v) || len(v) < 2+len(text) || len(v) > 2+6*len(text) {
		return false
	}
	if string(v[1:len(v)-1]) == text {
		return true
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return false
	}
	var buf [256]byte
	// Room for one character more, however long: one that is cut off would not count.
	return string(appendText(buf[:0], v, len(text)+utf8.UTFMax)) == text
}

func trimSpace(v []byte) []byte { return bytes.Trim(v, " \t\r\n") }

func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// members yields the members of an object, the names still quoted, or the
// elements of an array, with a nil name. It yields nothing for a scalar.
func members(container []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		if !isObject(container) && !isArray(container) {
			return
		}
		for i := skipSpace(container, 1); i < len(container) && container[i] != container[0]+2; {
			var name []byte
			if isObject(container) {
				end := endOfValue(container, i)
				name = container[i:end]
				i = skipSpace(container, end)
				i = skipSpace(container, i+1) // the colon
			}
			end := endOfValue(container, i)
			if end <= i || !yield(name, container[i:end]) {
				return
			}
			i = skipSpace(container, end)
			i = skipSpace(container, i+1) // the comma, or the closing bracket
		}
	}
}

// member is the value of the last member of that name, or nil.
func member(object []byte, name string) (value []byte) {
	if !isObject(object) {
		return nil
	}
	for quoted, v := range members(object) {
		if isText(quoted, name) {
			value = v
		}
	}
	return value
}

// endOfValue is the index behind the value that starts at i.
func endOfValue(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			i = endOfString(b, i)
		case c == '{' || c == '[':
			depth++
			i++
		case c == '}' || c == ']':
			depth--
			i++
		case inScalar(c):
			for i < len(b) && inScalar(b[i]) {
				i++
			}
		default: // a space, comma or colon inside a container
			i++
		}
		if depth <= 0 {
			return i
		}
	}
	return len(b)
}

func inScalar(c byte) bool { return c > ' ' && strings.IndexByte(`{}[],:"`, c) < 0 }

func endOfString(b []byte, i int) int {
	for i++; i < len(b); {
		if i += plain(b[i:]); i == len(b) {
			break
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		i++
	}
	return len(b)
}

// appendText appends what a JSON string means, at most limit bytes of it, cut
// between characters. quoted includes its quotes.
func appendText(dst, quoted []byte, limit int) []byte {
	if len(quoted) < 2 {
		return dst
	}
	if len(quoted)-2 <= limit && bytes.IndexByte(quoted, '\\') < 0 {
		return append(dst, quoted[1:len(quoted)-1]...)
	}
	from := len(dst)
	for s := quoted[1 : len(quoted)-1]; len(s) > 0; {
		end := len(dst)
		if s[0] == '\\' {
			var r rune
			r, s = unescape(s)
			dst = utf8.AppendRune(dst, r)
		} else {
			_, n := utf8.DecodeRune(s)
			dst, s = append(dst, s[:n]...), s[n:]
		}
		if len(dst)-from > limit {
			return dst[:end]
		}
	}
	return dst
}

var shortEscapes = [256]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape reads the escape that s starts with and returns what follows it.
func unescape(s []byte) (rune, []byte) {
	n, err := escapeLen(s)
	if err != nil {
		return utf8.RuneError, nil
	}
	if n == 2 {
		return shortEscapes[s[1]], s[2:]
	}
	r, _ := hex4(s)
	if n == 12 {
		low, _ := hex4(s[6:])
		r = 0x10000 + (r-0xD800)<<10 + (low - 0xDC00)
	}
	return r, s[n:]
}

// hex4 reads the \uXXXX that b starts with.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// appendQuoted appends text as a JSON string. Bytes that are not UTF-8 pass
// through: whoever puts them on a wire replaces them.
func appendQuoted[T string | []byte](dst []byte, text T) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, digits[c>>4], digits[c&15])
		}
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"')
}

// appendNumber appends a finite number the way JavaScript prints it.
func appendNumber(dst []byte, f float64) []byte {
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}
