// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"bytes"
	"encoding/json"
)

// object is the members of a JSON object as they are written, under exactly their names;
// of two with the same name the last. Messages can be large and little of them is of
// interest, so what is inside a member is not looked at.
type object map[string]json.RawMessage

// readObject reads a valid JSON text; it is nil unless that is an object.
func readObject(text []byte) object {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 || text[0] != '{' {
		return nil
	}
	o := object{}
	for rest := text[1:]; ; {
		rest = bytes.TrimLeft(rest, " \t\r\n,")
		if rest[0] == '}' {
			return o
		}
		n := valueLength(rest)
		key := rest[:n]
		rest = bytes.TrimLeft(rest[n:], " \t\r\n:")
		n = valueLength(rest)
		o[readText(key)] = json.RawMessage(rest[:n:n])
		rest = rest[n:]
	}
}

// valueLength is the length of the value that a valid JSON text begins with.
func valueLength(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			i = stringEnd(text, i)
		case '{', '[':
			depth++
			continue
		case '}', ']', ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i // of a number or a word
			}
			if c == '}' || c == ']' {
				depth--
				break
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// stringEnd is where the string that begins at i ends.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		skip := bytes.IndexByte(text[i:], '"')
		if skip < 0 {
			return len(text) - 1
		}
		i += skip
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return len(text) - 1
}

// readText is what a JSON string says, empty if it is none.
func readText(text []byte) (s string) {
	if len(text) > 1 && text[0] == '"' && bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	_ = json.Unmarshal(text, &s)
	return s
}

// member is an object inside, empty if it is none.
func (o object) member(name string) object { return readObject(o[name]) }

// text is a string inside, empty if it is none.
func (o object) text(name string) string { return readText(o[name]) }
