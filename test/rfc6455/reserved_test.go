// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"fmt"
	"testing"

	"claudecoded/test/wire"
)

// around are the places of a broken frame: alone, after a message, and after a message
// and with a ping behind it, which nobody answers any more.
func around(name string, broken []byte) []exchange {
	text, echo := wire.Frame(wire.Text, "small"), wire.Plain(wire.Text, "small")
	return []exchange{
		refused(name, 1002, broken),
		refused(name+" after a message", 1002, wire.Joined(text, broken), echo),
		refused(name+" between a message and a ping", 1002,
			wire.Joined(text, broken, wire.Frame(wire.Ping, "p")), echo),
	}
}

func TestReservedBits_AreRefusedOnEveryFrame(t *testing.T) {
	t.Parallel()
	var cases []exchange
	for name, first := range map[string]byte{
		"text": wire.Text, "binary": wire.Binary, "ping": wire.Ping, "pong": wire.Pong, "close": wire.Close,
		"text part": wire.TextPart, "binary part": wire.BinaryPart,
	} {
		for bits := byte(1); bits < 8; bits++ {
			cases = append(cases, around(fmt.Sprintf("%s with %03b", name, bits), wire.Frame(first|bits<<4, "small"))...)
		}
	}
	for bits := byte(1); bits < 8; bits++ {
		cases = append(cases, refused(fmt.Sprintf("continuation with %03b", bits), 1002,
			wire.Joined(wire.Frame(wire.TextPart, "a"), wire.Frame(wire.LastPart|bits<<4, "b"))))
	}
	run(t, cases)
}

func TestReservedOpcodes_AreRefused(t *testing.T) {
	t.Parallel()
	var cases []exchange
	for _, opcode := range []byte{0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF} {
		for _, payload := range []string{"", "payload"} {
			name := fmt.Sprintf("opcode %X with %d bytes", opcode, len(payload))
			cases = append(cases, around(name, wire.Frame(0x80|opcode, payload))...)
			cases = append(cases,
				refused(name+" as a part", 1002, wire.Frame(opcode, payload)),
				refused(name+" inside a message", 1002,
					wire.Joined(wire.Frame(wire.TextPart, "a"), wire.Frame(0x80|opcode, payload), wire.Frame(wire.LastPart, "b"))))
		}
	}
	run(t, cases)
}
