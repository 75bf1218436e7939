// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"strconv"
	"unicode/utf8"
)

const (
	// maxLoggedKeys and maxLoggedKey bound one line of the log, in keys and in
	// bytes of a key: the keys are the client's.
	maxLoggedKeys = 32
	maxLoggedKey  = 64
)

// sizes describes a JSON value for the log without showing it: the keys of an
// object with the bytes of a string, the entries of an array or object.
func sizes(value []byte) string {
	value = trimSpace(value)
	if !isObject(value) {
		return string(appendSize(nil, value))
	}
	b, n := []byte{}, 0
	for name, v := range members(value) {
		if n++; n > maxLoggedKeys {
			b = append(b, " …"...)
			break
		}
		if n > 1 {
			b = append(b, ' ')
		}
		b = appendText(b, name, maxLoggedKey)
		b = append(b, ':')
		b = appendSize(b, v)
	}
	return string(b)
}

func appendSize(dst, value []byte) []byte {
	switch {
	case isString(value):
		dst = strconv.AppendInt(dst, int64(textLen(value)), 10)
		return append(dst, 'B')
	case isObject(value), isArray(value):
		n := 0
		for range members(value) {
			n++
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
		return append(dst, " entries"...)
	case isNumber(value):
		return append(dst, "number"...)
	case isNull(value), len(value) == 0:
		return append(dst, "null"...)
	default:
		return append(dst, "boolean"...)
	}
}

// textLen is the number of bytes a JSON string means.
func textLen(quoted []byte) int {
	if len(quoted) < 2 {
		return 0
	}
	n := 0
	for s := quoted[1 : len(quoted)-1]; len(s) > 0; {
		if s[0] != '\\' {
			n, s = n+1, s[1:]
			continue
		}
		var r rune
		r, s = unescape(s)
		n += utf8.RuneLen(r)
	}
	return n
}
