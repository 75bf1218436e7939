// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// MaxHead is the largest request head, in bytes, with the blank line that ends it.
const MaxHead = 16 << 10

// ErrHeadTooLarge is what ParseHead returns for a longer head, and what may be
// answered to it (RFC 6585, 5).
var ErrHeadTooLarge = &Refusal{Status: 431, Reason: "Request head too large"}

const blanks = " \t\v\f"

// Head is the request line and the header of an HTTP/1.1 request. It is read
// leniently, for the clients of the WebSocket: any run of CR and LF ends a line, what
// is no header field is passed over, and a request line that is not three words leaves
// Method, Target and Version empty. Fault tells what RFC 9112 would have refused.
type Head struct {
	Method, Target, Version string

	line, header string
	fields       []Field
	room         [16]Field // of fields, for most requests
}

// ParseHead reads the request head at the start of p, n bytes long, and copies it:
// it keeps nothing of p and does not touch the bytes behind the head. While the blank
// line that ends the head has not arrived, n is 0 and err nil. The only error is
// ErrHeadTooLarge.
func ParseHead(p []byte) (h *Head, n int, err error) {
	const blankLine = "\r\n\r\n"
	end := bytes.Index(p[:min(len(p), MaxHead)], []byte(blankLine))
	if end < 0 {
		if len(p) >= MaxHead {
			return nil, 0, ErrHeadTooLarge
		}
		return nil, 0, nil
	}
	h = &Head{line: string(p[:end])}
	if i := strings.IndexAny(h.line, "\r\n"); i >= 0 {
		h.line, h.header = h.line[:i], h.line[i:]
	}
	words := strings.FieldsFunc(h.line, isBlank)
	if len(words) == 3 && strings.Trim(h.line, blanks) == h.line {
		h.Method, h.Target, h.Version = words[0], words[1], words[2]
	}
	h.split()
	return h, end + len(blankLine), nil
}

// BareHead is the head at the start of p if a blank line ends it whose line ends are bare
// LFs, as only a client that breaks RFC 9112 sends. Else it is nil.
func BareHead(p []byte) *Head {
	before, _, found := bytes.Cut(p[:min(len(p), MaxHead)], []byte("\n\n"))
	if !found {
		return nil
	}
	h, _, _ := ParseHead(append(bytes.Clone(before), "\n\r\n\r\n"...))
	return h
}

// Get returns the last value of the field called name, in any case, and whether
// there is one. Blanks before a value are dropped and those behind it kept; a field
// with nothing behind its colon counts as absent, one with only blanks is a blank.
func (h *Head) Get(name string) (value string, ok bool) {
	for i := range h.fields {
		if f := &h.fields[i]; sameName(f.Name, name) {
			value, ok = f.Value, true
		}
	}
	return value, ok
}

// Count is the number of fields called name.
func (h *Head) Count(name string) int {
	n := 0
	for range h.Values(name) {
		n++
	}
	return n
}

// Values yields the values of the fields called name, in order.
func (h *Head) Values(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range h.fields {
			if sameName(f.Name, name) && !yield(f.Value) {
				return
			}
		}
	}
}

// WantsWebSocket reports whether the request is a GET that asks for an upgrade, with
// an Upgrade field or any that belongs to the WebSocket handshake.
func (h *Head) WantsWebSocket() bool {
	if h.Method != "GET" {
		return false
	}
	const family = "Sec-WebSocket-"
	return slices.ContainsFunc(h.fields, func(f Field) bool {
		return sameName(f.Name, "Upgrade") || len(f.Name) >= len(family) && sameName(f.Name[:len(family)], family)
	})
}

// Fault names the first thing in the head that RFC 9112 does not allow, or is "".
func (h *Head) Fault() string {
	if h.line != h.Method+" "+h.Target+" "+h.Version || !isToken(h.Method) || hasControl(h.Target) {
		return "Malformed request line"
	}
	if h.header == "" {
		return ""
	}
	for line := range strings.SplitSeq(strings.TrimPrefix(h.header, "\r\n"), "\r\n") {
		name, value, colon := strings.Cut(line, ":")
		switch {
		case !colon || !isToken(name):
			return "Malformed header line"
		case hasControl(value):
			return "Control character in a header value"
		}
	}
	return ""
}

// split reads the header fields.
func (h *Head) split() {
	h.fields = h.room[:0]
	for rest := h.header; rest != ""; {
		var line string
		line, rest = cutLineEnd(rest)
		name, raw, _ := strings.Cut(line, ":")
		value := raw
		for value != "" && isBlank(rune(value[0])) {
			value = value[1:]
		}
		if value == "" && raw != "" {
			value = raw[len(raw)-1:]
		}
		if name != "" && value != "" {
			h.fields = append(h.fields, Field{name, value})
		}
	}
}

// cutLineEnd cuts s around its first CR or LF.
func cutLineEnd(s string) (line, rest string) {
	end := strings.IndexByte(s, '\n')
	if end < 0 {
		end = len(s)
	}
	if cr := strings.IndexByte(s[:end], '\r'); cr >= 0 {
		end = cr
	}
	return s[:end], s[min(end+1, len(s)):]
}

// sameName compares the names of fields, which are ASCII (RFC 9110, 5.1).
func sameName(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

func isBlank(r rune) bool { return strings.ContainsRune(blanks, r) }

// isToken reports whether s is a token (RFC 9110, 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
			continue
		}
		if strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
