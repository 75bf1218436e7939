// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/wire"
)

// script is a stream of frames from words such as "TEXT a", in which a lower-case word
// clears FIN: text, binary, more and PING, TEXT, MORE (which ends a message) and so on.
func script(frames ...string) (stream []byte) {
	first := map[string]byte{
		"text": wire.TextPart, "binary": wire.BinaryPart, "more": wire.MorePart, "ping": 0x09, "pong": 0x0A, "close": 0x08,
		"TEXT": wire.Text, "BINARY": wire.Binary, "MORE": wire.LastPart, "PING": wire.Ping, "PONG": wire.Pong, "CLOSE": wire.Close,
	}
	for _, f := range frames {
		word, payload, _ := strings.Cut(f, " ")
		stream = append(stream, wire.Frame(first[word], payload)...)
	}
	return stream
}

// The server runs a message once it is whole, and answers a ping at once.
func TestFragments_AreJoinedWithControlFramesBetween(t *testing.T) {
	t.Parallel()
	text := func(s string) []byte { return wire.Plain(wire.Text, s) }
	pong := func(s string) []byte { return wire.Plain(wire.Pong, s) }
	run(t, []exchange{
		{"two parts", script("text ab", "MORE cd"), text("abcd"), false},
		{"binary", script("binary ab", "more cd", "MORE ef"), wire.Plain(wire.Binary, "abcdef"), false},
		{"a ping between", script("text ab", "PING p", "MORE cd"), wire.Joined(pong("p"), text("abcd")), false},
		{"a pong between", script("text ab", "PONG p", "MORE cd"), text("abcd"), false},
		{"pings between all", script("text a", "PING 1", "more b", "PING 2", "more c", "PING 3", "MORE d"),
			wire.Joined(pong("1"), pong("2"), pong("3"), text("abcd")), false},
		{"no bytes at the end", script("text ab", "MORE"), text("ab"), false},
		{"no bytes at the start", script("text", "MORE ab"), text("ab"), false},
		{"no bytes in the middle", script("text a", "more", "more", "MORE b"), text("ab"), false},
		{"no bytes at all", script("text", "more", "PING p", "MORE"), wire.Joined(pong("p"), text("")), false},
		{"two messages", script("text a", "MORE b", "binary c", "MORE d"), wire.Joined(text("ab"), wire.Plain(wire.Binary, "cd")), false},
		{"a whole one after it", script("text a", "MORE b", "TEXT c"), wire.Joined(text("ab"), text("c")), false},
		{"a Close between", script("text a", "CLOSE "+wire.CloseBody(1000, ""), "MORE b"),
			wire.Plain(wire.Close, wire.CloseBody(1000, "")), true},
	})
}

func TestFragments_OutOfOrderAreRefused(t *testing.T) {
	t.Parallel()
	echo := wire.Plain(wire.Text, "x")
	run(t, []exchange{
		refused("the end of nothing", 1002, script("MORE a", "TEXT b")),
		refused("the middle of nothing", 1002, script("more a", "TEXT b")),
		refused("an empty end of nothing", 1002, script("MORE")),
		refused("an end after a whole message", 1002, script("TEXT x", "MORE a"), echo),
		refused("a second end", 1002, script("text x", "MORE", "MORE a"), echo),
		refused("text in a text", 1002, script("text a", "TEXT b", "MORE c")),
		refused("a part of text in a text", 1002, script("text a", "text b", "MORE c")),
		refused("binary in a text", 1002, script("text a", "BINARY b", "MORE c")),
		refused("a part of binary in a text", 1002, script("text a", "binary b", "MORE c")),
		refused("text in a binary", 1002, script("binary a", "more b", "TEXT c", "MORE d")),
		refused("text in a text behind a ping", 1002, script("text a", "PING p", "TEXT b"), wire.Plain(wire.Pong, "p")),
	})
}

func TestFragments_OfControlFramesAreRefused(t *testing.T) {
	t.Parallel()
	run(t, []exchange{
		refused("a ping in parts", 1002, script("ping a", "MORE b")),
		refused("a pong in parts", 1002, script("pong a", "MORE b")),
		refused("a Close in parts", 1002, script("close "+wire.CloseBody(1000, ""), "MORE b")),
		refused("an empty ping", 1002, script("ping")),
		refused("a ping in parts inside a message", 1002, script("text a", "ping p", "MORE b")),
	})
}

func TestFragments_OfALongMessageKeepOrderWithPingsBetween(t *testing.T) {
	t.Parallel()
	const parts = 50
	part := body(200 << 10 / parts)
	var send, want []byte
	for i := range parts {
		first := byte(wire.MorePart)
		switch i {
		case 0:
			first = wire.TextPart
		case parts - 1:
			first = wire.LastPart
		}
		if i > 0 {
			ping := fmt.Sprintf("ping %d", i)
			send = append(send, wire.Frame(wire.Ping, ping)...)
			want = append(want, wire.Plain(wire.Pong, ping)...)
		}
		send = append(send, wire.Frame(first, part)...)
	}
	want = append(want, wire.Plain(wire.Text, strings.Repeat(part, parts))...)
	c := open(t)
	for _, chop := range []int{0, 7 << 10, 100} {
		c.SendIn(chop, send)
		c.Expect(want)
	}
	c.Leave()
}

// manyParts is a message in count parts of n bytes each.
func manyParts(first byte, count, n int) (send []byte) {
	part := body(n)
	send = append(send, wire.Frame(first&^0x80, part)...)
	more := wire.Frame(wire.MorePart, part)
	for range count - 2 {
		send = append(send, more...)
	}
	return append(send, wire.Frame(wire.LastPart, part)...)
}

func TestFragments_ThereMayBe65536(t *testing.T) {
	t.Parallel()
	const count = 65536
	for _, n := range []int{0, 1, 64} {
		t.Run(fmt.Sprintf("of %d bytes", n), func(t *testing.T) {
			c := open(t)
			c.Send(manyParts(wire.Text, count, n))
			c.Expect(wire.Plain(wire.Text, strings.Repeat(body(n), count)))
			c.Leave()
		})
	}
}
