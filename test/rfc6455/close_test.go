// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"fmt"
	"testing"

	"claudecoded/test/wire"
)

// closing is the exchange of two Close frames with these payloads.
func closing(name, sent, answered string) exchange {
	return exchange{name, wire.Frame(wire.Close, sent), wire.Plain(wire.Close, answered), true}
}

func TestClose_IsAnsweredWithItsCodeAndReason(t *testing.T) {
	t.Parallel()
	cases := []exchange{closing("no payload", "", wire.CloseBody(1000, ""))}
	for _, code := range []int{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999} {
		for _, reason := range []string{"", "a reason", "κόσμε 🤭"} {
			body := wire.CloseBody(code, reason)
			cases = append(cases, closing(fmt.Sprintf("%d %q", code, reason), body, body))
		}
	}
	longest := wire.CloseBody(1000, body(maxControl-2))
	run(t, append(cases, closing("a reason of 123 bytes", longest, longest)))
}

// Codes that are not sent (RFC 6455, 7.4), or that nobody registered.
func TestClose_WithACodeThatIsNotSentIsRefused(t *testing.T) {
	t.Parallel()
	var cases []exchange
	for _, code := range []int{0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535} {
		for _, reason := range []string{"", "a reason"} {
			cases = append(cases, refused(fmt.Sprintf("%d %q", code, reason), 1002,
				wire.Frame(wire.Close, wire.CloseBody(code, reason))))
		}
	}
	run(t, cases)
}

func TestClose_ThatIsMalformedIsRefused(t *testing.T) {
	t.Parallel()
	cases := []exchange{
		refused("1 byte", 1002, wire.Frame(wire.Close, "\x03")),
		refused("a reason of 124 bytes", 1002, wire.Frame(wire.Close, wire.CloseBody(1000, body(124)))),
	}
	for class, texts := range invalid {
		cases = append(cases, refused("a reason with "+class, 1007, wire.Frame(wire.Close, wire.CloseBody(1000, texts[0]))))
	}
	run(t, cases)
}

func TestClose_EndsWhatIsSent(t *testing.T) {
	t.Parallel()
	goodbye := wire.Frame(wire.Close, wire.CloseBody(1000, "bye"))
	answer := wire.Plain(wire.Close, wire.CloseBody(1000, "bye"))
	text, echo := wire.Frame(wire.Text, "data"), wire.Plain(wire.Text, "data")
	run(t, []exchange{
		{"data behind it is ignored", wire.Joined(goodbye, text), answer, true},
		{"a ping behind it is ignored", wire.Joined(goodbye, wire.Frame(wire.Ping, "p")), answer, true},
		{"a broken frame behind it is ignored", wire.Joined(goodbye, wire.Frame(0x83, "")), answer, true},
		{"a second one is ignored", wire.Joined(goodbye, goodbye), answer, true},
		{"data before it in the same write is echoed", wire.Joined(text, goodbye), wire.Joined(echo, answer), true},
		{"everything at once", wire.Joined(text, wire.Frame(wire.Ping, "p"), text, goodbye, text),
			wire.Joined(echo, wire.Plain(wire.Pong, "p"), echo, answer), true},
		{"in a message that is not whole", wire.Joined(wire.Frame(wire.TextPart, "half"), goodbye), answer, true},
		refused("nothing is run behind a broken frame", 1002, wire.Joined(text, wire.Frame(0x83, ""), text, goodbye), echo),
	})
}

// A megabyte behind the Close frame, which the server has no reason to take.
func TestClose_ReachesAClientThatStillSends(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.Loose = true
	c.Send(wire.Frame(wire.Close, wire.CloseBody(1000, "bye")), wire.Frame(wire.Binary, body(1<<20)))
	c.Expect(wire.Plain(wire.Close, wire.CloseBody(1000, "bye")))
	c.ExpectEnd()
}

// The answer to a request leaves before the Close frame does, even when it is long.
func TestClose_WaitsForTheEchoBeforeIt(t *testing.T) {
	t.Parallel()
	message := body(4 << 20)
	c := open(t)
	c.Send(wire.Frame(wire.Binary, message), wire.Frame(wire.Close, wire.CloseBody(4321, "")))
	c.Expect(wire.Plain(wire.Binary, message))
	c.Expect(wire.Plain(wire.Close, wire.CloseBody(4321, "")))
	c.ExpectEnd()
}

func TestClose_OfTheSocketAloneEndsTheConnection(t *testing.T) {
	t.Parallel()
	for name, send := range map[string][]byte{
		"after nothing":         nil,
		"after a message":       wire.Frame(wire.Text, ""),
		"after half a header":   {wire.Text},
		"after half a frame":    wire.Frame(wire.Text, "whole")[:8],
		"after half a message":  wire.Frame(wire.TextPart, "half"),
		"after half a ping":     wire.Frame(wire.Ping, "whole")[:8],
		"after a lonely length": {wire.Text, 0xFF, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t)
			c.Send(send)
			if err := c.TCP.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			// The echo may have left before the end of the stream was seen.
			if got := string(c.Read()); got != "" && got != "\x81\x00" {
				t.Errorf("the answer is %q", got)
			}
		})
	}
}
