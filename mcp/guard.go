// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "errors"

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

// scan validates text and keeps in m where the members are that the server reads.
func (m *message) scan(text []byte) error {
	m.at = [numSlots][]byte{}
	s := scanner{text: text, found: &m.at}
	return s.run()
}

// scanner is one linear pass over a JSON text, without recursion. It checks the whole
// grammar of RFC 8259, the bounds and that surrogates come in pairs, and records the
// members of the top-level object and of its params. What needs no look at single
// tokens, the runs of plain characters in strings, is skipped eight bytes at a time.
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
				return s.end()
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
		return true, s.number()
	}
}

// end checks that nothing follows the value but space.
func (s *scanner) end() error {
	if s.space(); s.pos < len(s.text) {
		return errSyntax
	}
	return nil
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
