// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"

	"github.com/valyala/fastjson"
)

const (
	// maxDepth is how deep the arrays and objects of one message may nest.
	maxDepth = 128
	// maxValues is how many values one message may hold: every object, array,
	// string, number and literal counts one, member names do not.
	maxValues = 262144
)

var (
	errSyntax    = errors.New("mcp: not JSON")
	errSurrogate = errors.New("mcp: lone surrogate in a JSON string")
	errBounds    = errors.New("mcp: JSON too deep or too many values")
)

// checkJSON reports what is wrong with text as one JSON value (RFC 8259): nil,
// errBounds, errSurrogate or errSyntax.
func checkJSON(text []byte) error {
	var m message
	return m.scan(text)
}

// scan validates text and keeps in m where the members are that the server
// reads. The pass of our own comes first because fastjson's validator recurses
// once per level and quotes the rest of its input in the error of a misspelt
// literal, at every level again; what the scanner lets through does neither.
func (m *message) scan(text []byte) error {
	m.at = [numSlots][]byte{}
	s := scanner{text: text, found: &m.at}
	if err := s.run(); err != nil {
		return err
	}
	// The error is dropped unread: it quotes the client's bytes.
	if fastjson.ValidateBytes(text) != nil {
		return errSyntax
	}
	return nil
}

// scanner is one linear pass over a JSON text. It checks the structure, the
// bounds, literals, surrogates and control characters (fastjson overlooks those
// before the last escape of a string), and records the members of the top-level
// object and of its params; numbers and the other escapes are left to fastjson.
type scanner struct {
	text  []byte
	pos   int
	found *[numSlots][]byte

	values int
	depth  int
	// open holds, for each level, the bracket that closes it.
	open [maxDepth]byte

	// slot and start say, for the two outer levels, which member the value in
	// progress belongs to and where it began.
	slot  [2]slot
	start [2]int
}

func (s *scanner) run() error {
	s.slot = [2]slot{slotNone, slotNone}
	s.space()
	for {
		ended, err := s.value()
		if err != nil {
			return err
		}
		for ended {
			s.record()
			if s.depth == 0 {
				return nil // fastjson refuses what follows
			}
			s.space()
			switch s.peek() {
			case s.open[s.depth-1]:
				s.pos++
				s.depth--
			case ',':
				s.pos++
				s.space()
				if err := s.key(); err != nil {
					return err
				}
				ended = false
			default:
				return errSyntax
			}
		}
	}
}

// value reads a scalar, an empty container or the opening of one that is not
// empty, and reports whether the value ended.
func (s *scanner) value() (ended bool, err error) {
	if s.values++; s.values > maxValues {
		return false, errBounds
	}
	switch c := s.peek(); c {
	case '{', '[':
		return s.openContainer(c)
	case '"':
		return true, s.str()
	case 't':
		return true, s.literal("true")
	case 'f':
		return true, s.literal("false")
	case 'n':
		return true, s.literal("null")
	default:
		from := s.pos
		for s.pos < len(s.text) && inNumber(s.text[s.pos]) {
			s.pos++
		}
		if s.pos == from {
			return false, errSyntax
		}
		return true, nil
	}
}

func (s *scanner) openContainer(bracket byte) (ended bool, err error) {
	if s.depth == maxDepth {
		return false, errBounds
	}
	s.open[s.depth] = bracket + 2 // '{' + 2 is '}', '[' + 2 is ']'
	s.depth++
	s.pos++
	s.space()
	if s.peek() == bracket+2 {
		s.pos++
		s.depth--
		return true, nil
	}
	return false, s.key()
}

// key reads a member's name and colon if the innermost container is an object.
func (s *scanner) key() error {
	if s.open[s.depth-1] != '}' {
		return nil
	}
	if s.peek() != '"' {
		return errSyntax
	}
	from := s.pos
	if err := s.str(); err != nil {
		return err
	}
	name := s.text[from:s.pos]
	s.space()
	if s.peek() != ':' {
		return errSyntax
	}
	s.pos++
	s.space()
	switch {
	case s.depth == 1:
		s.enter(findSlot(topMembers, name))
	case s.depth == 2 && s.slot[0] == slotParams:
		s.enter(findSlot(paramMembers, name))
	}
	return nil
}

func (s *scanner) enter(to slot) {
	s.slot[s.depth-1], s.start[s.depth-1] = to, s.pos
	if to == slotParams {
		// The last duplicate wins as a whole: nothing of an earlier params stays.
		clear(s.found[slotParams:])
	}
}

// record keeps the range of the value that just ended, if it is a known member's.
func (s *scanner) record() {
	if s.depth != 1 && s.depth != 2 {
		return
	}
	level := s.depth - 1
	if to := s.slot[level]; to != slotNone {
		s.found[to] = s.text[s.start[level]:s.pos]
		s.slot[level] = slotNone
	}
}

// str skips the string that starts at pos.
func (s *scanner) str() error {
	i := s.pos + 1
	for i < len(s.text) {
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
		default:
			if s.text[i] < ' ' {
				return errSyntax
			}
			i++
		}
	}
	return errSyntax
}

// escapeLen is the length of the escape b starts with, a surrogate pair being
// one. A lone surrogate names no character (RFC 8259 section 8.2), and Lua's
// decoder refuses it, so nothing behind the guard ever meets one.
func escapeLen(b []byte) (int, error) {
	if len(b) < 2 {
		return 0, errSyntax
	}
	if b[1] != 'u' {
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

func (s *scanner) literal(word string) error {
	if len(s.text)-s.pos < len(word) || string(s.text[s.pos:s.pos+len(word)]) != word {
		return errSyntax
	}
	s.pos += len(word)
	return nil
}

func (s *scanner) space() { s.pos = skipSpace(s.text, s.pos) }

// peek is the byte at pos, or 0 at the end, which no JSON token starts with.
func (s *scanner) peek() byte {
	if s.pos < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

func inNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}
