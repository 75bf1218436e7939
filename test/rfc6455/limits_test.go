// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"

	"claudecoded/test/wire"
)

// maxMessage is the longest message that a client may send.
const maxMessage = 100 << 20

// Every one of these is refused before a byte of its payload was sent.
func TestLimits_AMessageThatIsTooLongIsRefusedByItsHeader(t *testing.T) {
	t.Parallel()
	begun := script("text a", "more b")
	lengths := map[string]uint64{
		"one more": maxMessage + 1, "16 GiB": 16 << 30, "2^63 - 1": 1<<63 - 1, "2^63": 1 << 63, "2^64 - 1": 1<<64 - 1,
	}
	for _, digits := range []string{"2424EBB535B8385D", "8000000000000001"} {
		length, err := hex.DecodeString(digits)
		if err != nil {
			t.Fatal(err)
		}
		lengths[digits] = binary.BigEndian.Uint64(length)
	}
	var cases []exchange
	for name, n := range lengths {
		for kind, first := range map[string]byte{"text": wire.Text, "binary": wire.Binary, "text part": wire.TextPart} {
			masked := append(wire.Header(first, n, 8), "mask"...)
			masked[1] |= 0x80
			cases = append(cases,
				refused(kind+" of "+name, 1009, wire.Header(first, n, 8)),
				refused("masked "+kind+" of "+name, 1009, masked))
		}
		cases = append(cases, refused("more of "+name, 1009, wire.Joined(begun, wire.Header(wire.MorePart, n, 8))))
	}
	cases = append(cases,
		refused("fragments that add up to one more", 1009, wire.Joined(begun, wire.Header(wire.MorePart, maxMessage-1, 8))),
		refused("a last fragment that adds up to one more", 1009, wire.Joined(begun, wire.Header(wire.LastPart, maxMessage-1, 8))),
		refused("after a message", 1009, wire.Joined(wire.Frame(wire.Text, "a"), wire.Header(wire.Text, maxMessage+1, 8)),
			wire.Plain(wire.Text, "a")),
	)
	run(t, cases)
}

// What a header announces is waited for, and the connection answers meanwhile only in the
// gaps that RFC 6455, 5.4, leaves: between frames.
func TestLimits_AnAnnouncedMessageIsWaitedFor(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Send(script("text a", "more b"), wire.Header(wire.MorePart, 2, 8))
	c.Send([]byte("c"))
	c.Send([]byte("d"), wire.Frame(wire.Ping, "p"))
	c.Expect(wire.Plain(wire.Pong, "p"))
	c.Send(wire.Header(wire.LastPart, maxMessage-4, 8), []byte("e"))
	// Half a header, and a whole one without its payload, keep other clients waiting no more
	// than this one.
	other := open(t)
	other.Send([]byte{wire.Text, 0xFE})
	open(t).ExpectAlive()
	other.Send([]byte{0, 2, 0, 0, 0, 0, 'o', 'k'})
	other.Expect(wire.Plain(wire.Text, "ok"))
	other.Leave()
}

func TestLimits_ARequestHeadMayHave16KiB(t *testing.T) {
	t.Parallel()
	const limit = 16 << 10
	room := limit - len(wire.Request(token, "Padding: "))
	whole := wire.Request(token, "Padding: "+strings.Repeat("x", room))
	c := wire.Dial(t, port)
	c.Send(whole)
	c.Expect([]byte(wire.Accepted))
	c.Leave()

	const refusal = "HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: text/plain\r\n" +
		"Connection: close\r\nContent-Length: 22\r\n\r\nRequest head too large"
	for name, head := range map[string][]byte{
		"one byte more":    wire.Request(token, "Padding: "+strings.Repeat("x", room+1)),
		"no end at all":    []byte(strings.Repeat("x", limit)),
		"only blank lines": []byte(strings.Repeat("\n", limit)),
	} {
		t.Run(name, func(t *testing.T) {
			c := wire.Dial(t, port)
			c.Loose = true
			c.Send(head)
			c.Expect([]byte(refusal))
			c.ExpectEnd()
		})
	}
}
