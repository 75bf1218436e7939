// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"fmt"
	"testing"

	"claudecoded/test/wire"
)

// maxControl is the longest payload of a control frame (RFC 6455, 5.5).
const maxControl = 125

func TestPing_IsAnsweredWithItsPayload(t *testing.T) {
	t.Parallel()
	var send, want []byte
	for n := range maxControl + 1 {
		send = append(send, wire.Frame(wire.Ping, body(n))...)
		want = append(want, wire.Plain(wire.Pong, body(n))...)
	}
	binary := "\x00\xFF\xFE\xFD\xFC\xFB\x00\xFF"
	cases := []exchange{
		{"every size", send, want, false},
		{"of bytes that are no text", wire.Frame(wire.Ping, binary), wire.Plain(wire.Pong, binary), false},
		{"unmasked", wire.Plain(wire.Ping, "ping"), wire.Plain(wire.Pong, "ping"), false},
	}
	for n := range maxControl + 1 {
		cases = append(cases, exchange{fmt.Sprintf("of %d bytes", n), wire.Frame(wire.Ping, body(n)), wire.Plain(wire.Pong, body(n)), false})
	}
	run(t, cases[:3])
	run(t, []exchange{cases[3], cases[4], cases[len(cases)-2], cases[len(cases)-1]})
}

func TestPing_TenInOneWriteAreAnsweredInOrder(t *testing.T) {
	t.Parallel()
	var send, want []byte
	for i := range 10 {
		send = append(send, wire.Frame(wire.Ping, fmt.Sprintf("ping %d", i))...)
		want = append(want, wire.Plain(wire.Pong, fmt.Sprintf("ping %d", i))...)
	}
	run(t, []exchange{{"ten", send, want, false}})
}

func TestPong_ThatNobodyAskedForIsIgnored(t *testing.T) {
	t.Parallel()
	ping, pong := wire.Frame(wire.Ping, "p"), wire.Plain(wire.Pong, "p")
	run(t, []exchange{
		{"empty", wire.Frame(wire.Pong, ""), nil, false},
		{"with a payload", wire.Frame(wire.Pong, "nobody asked"), nil, false},
		{"of 125 bytes", wire.Frame(wire.Pong, body(maxControl)), nil, false},
		{"before a ping", wire.Joined(wire.Frame(wire.Pong, "nobody asked"), ping), pong, false},
		{"between pings", wire.Joined(ping, wire.Frame(wire.Pong, "p"), ping), wire.Joined(pong, pong), false},
	})
}

// A length of 126 means that a longer field follows, so the frame is refused as soon as
// its second byte shows that it is longer than a control frame may be.
func TestControl_PayloadOver125BytesIsRefused(t *testing.T) {
	t.Parallel()
	var cases []exchange
	for name, first := range map[string]byte{"ping": wire.Ping, "pong": wire.Pong, "close": wire.Close} {
		for _, n := range []int{126, 127, 1000, 65536} {
			cases = append(cases, refused(fmt.Sprintf("%s of %d bytes", name, n), 1002, wire.Frame(first, body(n))))
		}
	}
	text := wire.Frame(wire.Text, "before")
	cases = append(cases, refused("after a message", 1002,
		wire.Joined(text, wire.Frame(wire.Ping, body(126)), wire.Frame(wire.Ping, "p")), wire.Plain(wire.Text, "before")))
	run(t, cases)
}
