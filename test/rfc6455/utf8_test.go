// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/wire"
)

// valid are texts of every length of sequence, and the first and last code points of
// each length and beside the gaps (the Unicode Standard, table 3-7).
var valid = []string{
	"Hello-µ@ßöäüàá-UTF-8!!",
	"κόσμε",
	"日本語のテキスト",
	"🤭 and 👩‍🚀 and \U0010FFFF",
	"\x00", "\x7F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFD", "\uFFFE", "\uFFFF",
	"\U00010000", "\U0001FFFE", "\U0003FFFF", "\U000FFFFF", "\U0010FFFE",
	"\uFEFFa byte order mark",
}

// invalid are the ways in which bytes are no UTF-8.
var invalid = map[string][]string{
	"a continuation alone":       {"\x80", "\xBF", "\x80\xBF\x80", "a\x80"},
	"a start alone":              {"\xC2", "\xDF ", "\xE0 ", "\xEF\xBF ", "\xF0 ", "\xF4\x8F\xBF "},
	"cut short":                  {"\xC3", "\xE2\x82", "\xF0\x9F\xA4", "κόσμ\xCE", "\xF4\x8F\xBF"},
	"a start after a start":      {"\xC3\x28", "\xC3\xC3\xA4", "\xE2\xE2\x82\xAC", "\xF0\xF0\x9F\xA4\xAD"},
	"overlong":                   {"\xC0\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF"},
	"a surrogate":                {"\xED\xA0\x80", "\xED\xAD\xBF", "\xED\xB0\x80", "\xED\xBF\xBF", "\xED\xA0\xBD\xED\xB8\x80"},
	"above U+10FFFF":             {"\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF7\xBF\xBF\xBF"},
	"of five or six bytes":       {"\xF8\x88\x80\x80\x80", "\xFB\xBF\xBF\xBF\xBF", "\xFC\x84\x80\x80\x80\x80", "\xFD\xBF\xBF\xBF\xBF\xBF"},
	"never a byte of it":         {"\xFE", "\xFF", "\xFE\xFE\xFF\xFF"},
	"between good text":          {"κόσμε\xED\xA0\x80edited", "κόσμε\xF4\x90\x80\x80edited", "abc\xFFdef"},
	"Latin-1 instead of UTF-8":   {"\xE4\xF6\xFC", "caf\xE9"},
	"UTF-16 instead of UTF-8":    {"\xFF\xFEh\x00i\x00", "\xFE\xFF\x00h\x00i"},
	"good text and half a point": {"all of this is fine \xF0\x9F"},
}

// split is a text message in the parts that end at the places of cuts.
func split(text string, cuts ...int) (stream []byte) {
	first, from := byte(wire.TextPart), 0
	for _, cut := range cuts {
		stream = append(stream, wire.Frame(first, text[from:cut])...)
		first, from = wire.MorePart, cut
	}
	return append(stream, wire.Frame(first|0x80, text[from:])...)
}

// everywhere cuts a text into parts of one byte.
func everywhere(text string) (cuts []int) {
	for i := range len(text) - 1 {
		cuts = append(cuts, i+1)
	}
	return cuts
}

func TestUTF8_ValidTextIsEchoedHoweverItIsFragmented(t *testing.T) {
	t.Parallel()
	var cases []exchange
	for _, text := range valid {
		echo := wire.Plain(wire.Text, text)
		send, want := wire.Joined(split(text), split(text, everywhere(text)...)), wire.Joined(echo, echo)
		for _, cut := range everywhere(text) {
			send = wire.Joined(send, split(text, cut), split(text, cut, cut))
			want = wire.Joined(want, echo, echo)
		}
		cases = append(cases, exchange{fmt.Sprintf("%+q", text), send, want, false})
	}
	run(t, cases)
}

func TestUTF8_InvalidTextIsRefusedHoweverItIsFragmented(t *testing.T) {
	t.Parallel()
	for class, texts := range invalid {
		for _, text := range texts {
			t.Run(fmt.Sprintf("%s %q", class, text), func(t *testing.T) {
				streams := [][]byte{split(text), split(text, everywhere(text)...)}
				for _, cut := range everywhere(text) {
					streams = append(streams, split(text, cut))
				}
				for _, send := range streams {
					c := open(t)
					c.Send(send)
					c.Expect(wire.Failure(1007))
					c.ExpectEnd()
				}
			})
			if t.Failed() {
				return
			}
		}
	}
}

// The parts of a long text, and the reads it comes in, end in the middle of code points.
func TestUTF8_LongTextIsEchoedWhateverCutsIt(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("né🤭", 10<<20/7)
	var cuts []int
	for at := 1021; at < len(text); at += 1021 {
		cuts = append(cuts, at)
	}
	c := open(t)
	for _, send := range [][]byte{split(text), split(text, cuts...)} {
		c.SendIn(7<<10, send)
		c.Expect(wire.Plain(wire.Text, text))
	}
	c.Leave()
}

func TestUTF8_IsJudgedOnTheWholeMessage(t *testing.T) {
	t.Parallel()
	good, bad := "fine", "\xC3\x28"
	echo := wire.Plain(wire.Text, good)
	run(t, []exchange{
		{"a part ends inside a code point", split("\U0001F92D", 1, 2, 3), wire.Plain(wire.Text, "\U0001F92D"), false},
		refused("a message after a good one", 1007, wire.Joined(split(good), split(bad)), echo),
		refused("a message before a good one", 1007, wire.Joined(split(bad), split(good))),
		refused("a ping is answered before the message ends", 1007,
			wire.Joined(wire.Frame(wire.TextPart, bad), wire.Frame(wire.Ping, "p"), wire.Frame(wire.LastPart, "")),
			wire.Plain(wire.Pong, "p")),
		refused("the other half never comes", 1007, wire.Joined(wire.Frame(wire.TextPart, "\xC3"), wire.Frame(wire.LastPart, ""))),
	})
}

func TestUTF8_OfBinaryMessagesDoesNotMatter(t *testing.T) {
	t.Parallel()
	var send, want []byte
	for _, texts := range invalid {
		for _, text := range texts {
			send = append(send, wire.Frame(wire.Binary, text)...)
			want = append(want, wire.Plain(wire.Binary, text)...)
		}
	}
	run(t, []exchange{{"all", send, want, false}})
}
