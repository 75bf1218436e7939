// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
)

// frames is the table of what streams mean. Each is also cut at every byte by
// TestReader_EverySplitGivesTheSameEvents, and seeds FuzzReader.
var frames = []struct {
	name, hex string
	want      []string
}{
	// RFC 6455, 5.7
	{"unmasked text", "81 05 48656c6c6f", []string{`text "Hello"`}},
	{"masked text", "81 85 37fa213d 7f9f4d5158", []string{`text "Hello"`}},
	{"fragmented unmasked text", "01 03 48656c 80 02 6c6f", []string{`text "Hello"`}},
	{"unmasked ping, masked pong", "89 05 48656c6c6f 8a 85 37fa213d 7f9f4d5158", []string{`ping "Hello"`, `pong "Hello"`}},

	{"unmasked 2 bytes", "81 02 6869", []string{`text "hi"`}},
	{"empty text", "81 80 00000000", []string{`text ""`}},
	{"empty binary", "82 80 00000000", []string{`binary ""`}},
	{"empty ping between texts", "8181 00000000 61 8980 00000000 8181 00000000 62", []string{`text "a"`, `ping ""`, `text "b"`}},
	{"length of 5 in 16 bits", "81 fe 0005 00000000 48656c6c6f", []string{`text "Hello"`}},
	{"length of 5 in 64 bits", "81 ff 0000000000000005 00000000 48656c6c6f", []string{`text "Hello"`}},
	{"half a header is held", "81 fe", nil},

	{"control frames between fragments", "0181 00000000 61 8981 00000000 70 0081 00000000 62 8a80 00000000 8081 00000000 63", []string{`ping "p"`, `pong ""`, `text "abc"`}},
	{"binary in fragments", "0281 00000000 61 8081 00000000 62", []string{`binary "ab"`}},
	{"empty fragments", "0180 00000000 0080 00000000 8080 00000000", []string{`text ""`}},
	{"message after a fragmented one", "0181 00000000 61 8080 00000000 8181 00000000 62", []string{`text "a"`, `text "b"`}},
	{"a fragment ends inside a code point", "0181 00000000 c3 8081 00000000 a9", []string{`text "é"`}},

	{"reserved data opcode", "83 80 00000000", []string{"violation 1002 Reserved opcode 0x3"}},
	{"reserved control opcode", "8b 80 00000000", []string{"violation 1002 Reserved opcode 0xB"}},
	{"RSV1", "c1 80 00000000", []string{"violation 1002 RSV bits set"}},
	{"RSV2", "a1 80 00000000", []string{"violation 1002 RSV bits set"}},
	{"RSV3 on a ping", "99 80 00000000", []string{"violation 1002 RSV bits set"}},
	{"ping of 126 bytes", "89 fe 007e 00000000", []string{"violation 1002 Control frame payload over 125 bytes"}},
	{"ping of 2^64-1 bytes", "89 ff ffffffffffffffff 00000000", []string{"violation 1002 Control frame payload over 125 bytes"}},
	{"fragmented close", "08 80 00000000", []string{"violation 1002 Fragmented control frame"}},
	{"fragmented ping", "09 80 00000000", []string{"violation 1002 Fragmented control frame"}},
	{"continuation of nothing", "80 81 00000000 61", []string{"violation 1002 Continuation frame without a message to continue"}},
	{"continuation after a whole message", "8181 00000000 61 8080 00000000", []string{`text "a"`, "violation 1002 Continuation frame without a message to continue"}},
	{"text inside a fragmented message", "0181 00000000 61 8181 00000000 62", []string{"violation 1002 Data frame inside a fragmented message"}},
	{"binary inside a fragmented message", "0181 00000000 61 8281 00000000 62", []string{"violation 1002 Data frame inside a fragmented message"}},

	{"text that is not UTF-8", "81 82 00000000 c328", []string{"violation 1007 Text message is not valid UTF-8"}},
	{"fragments that are not UTF-8", "0181 00000000 c3 8081 00000000 28", []string{"violation 1007 Text message is not valid UTF-8"}},
	{"a surrogate", "81 83 00000000 eda080", []string{"violation 1007 Text message is not valid UTF-8"}},
	{"an overlong form", "81 82 00000000 c080", []string{"violation 1007 Text message is not valid UTF-8"}},
	{"above U+10FFFF", "81 84 00000000 f4908080", []string{"violation 1007 Text message is not valid UTF-8"}},
	{"binary need not be UTF-8", "82 82 00000000 c328", []string{`binary "\xc3("`}},

	{"16 GiB", "82 ff 0000000400000000 00000000", []string{"violation 1009 Message over 104857600 bytes"}},
	{"one byte over the limit", "81 ff 0000000006400001 00000000", []string{"violation 1009 Message over 104857600 bytes"}},
	{"the limit itself is held", "81 ff 0000000006400000 00000000", nil},
	{"one byte over in fragments", "0181 00000000 61 80 ff 0000000006400000 00000000", []string{"violation 1009 Message over 104857600 bytes"}},
	{"a length of 2^61 and more", "81 ff 2424ebb535b8385d 00000000", []string{"violation 1009 Message over 104857600 bytes"}},
	{"a length of 2^64-1", "81 ff ffffffffffffffff 00000000", []string{"violation 1009 Message over 104857600 bytes"}},
	{"a length of 2^63", "81 ff 8000000000000000 00000000", []string{"violation 1009 Message over 104857600 bytes"}},

	{"close without payload", "88 80 00000000", []string{`close 1005 ""`}},
	{"close of 1 byte", "88 81 00000000 03", []string{"violation 1002 Close payload of 1 byte"}},
	{"close with a code", "88 82 00000000 03e8", []string{`close 1000 ""`}},
	{"close with a reason", "88 85 00000000 03e9 627965", []string{`close 1001 "bye"`}},
	{"close with a bad reason", "88 84 00000000 03e8 c328", []string{"violation 1007 Close reason is not valid UTF-8"}},
	{"close with a code out of range", "88 82 00000000 03e7", []string{`close 999 ""`}},
	{"close with the code for none", "88 82 00000000 03ed", []string{"violation 1002 Close code 1005 on the wire"}},
	{"nothing after a violation", "83 80 00000000 8181 00000000 61", []string{"violation 1002 Reserved opcode 0x3"}},
}

func TestReader_ReadsTheTable(t *testing.T) {
	t.Parallel()
	for _, c := range frames {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, feed(t, NewReader(MaxMessage), unhex(t, c.hex))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReader_EverySplitGivesTheSameEvents(t *testing.T) {
	t.Parallel()
	for _, c := range frames {
		stream := unhex(t, c.hex)
		for n := 1; n <= len(stream); n++ {
			if diff := cmp.Diff(c.want, feed(t, NewReader(MaxMessage), split(stream, n)...)); diff != "" {
				t.Errorf("%s in reads of %d bytes: %s", c.name, n, diff)
			}
			if diff := cmp.Diff(c.want, feed(t, NewReader(MaxMessage), stream[:n], stream[n:])); diff != "" {
				t.Errorf("%s cut at %d: %s", c.name, n, diff)
			}
		}
	}
}

func TestReader_ReadsEveryLengthBoundary(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 124, 125, 126, 127, 65535, 65536, 65537, 1<<20 - 1, 1 << 20, 1<<20 + 1, 5 << 20} {
		s := strings.Repeat("é", n/2) + strings.Repeat("x", n%2)
		stream := join(text(s), frag(true, ws.OpPing, "p"), text("end"))
		want := []string{`text ` + show(Event{Kind: Text, Payload: []byte(s)})[5:], `ping "p"`, `text "end"`}
		for _, read := range []int{7 << 10, 64 << 10, len(stream)} {
			if diff := cmp.Diff(want, feed(t, NewReader(MaxMessage), split(stream, read)...)); diff != "" {
				t.Errorf("%d bytes in reads of %d: events differ", n, read)
			}
		}
	}
}

func TestReader_JoinsFragmentsOfAnySize(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 3, 511, 512, 4096, growLimit - 1, growLimit, growLimit + 1} {
		count := min(3000, 4*growLimit/size+2)
		var want strings.Builder
		stream := frag(false, ws.OpText, "")
		for i := range count {
			piece := strings.Repeat(string(rune('a'+i%26)), size)
			want.WriteString(piece)
			stream = append(stream, frag(i == count-1, ws.OpContinuation, piece)...)
		}
		got := feed(t, NewReader(MaxMessage), split(stream, 64<<10)...)
		if len(got) != 1 || got[0] != show(Event{Kind: Text, Payload: []byte(want.String())}) {
			t.Errorf("%d fragments of %d bytes were not joined to their text", count, size)
		}
	}
}

func TestReader_RefusesTheSumOfFragmentsFromTheHeader(t *testing.T) {
	t.Parallel()
	const limit = 100
	first := frag(false, ws.OpText, strings.Repeat("x", 60))
	for n, want := range map[int][]string{40: nil, 41: {"violation 1009 Message over 100 bytes"}} {
		r := NewReader(limit)
		header := frag(true, ws.OpContinuation, strings.Repeat("y", n))[:6]
		if diff := cmp.Diff(want, feed(t, r, first, header)); diff != "" {
			t.Errorf("60 bytes, then %d announced: %s", n, diff)
		}
	}
}

func TestReader_ControlFramesDoNotCountForTheMessage(t *testing.T) {
	t.Parallel()
	got := feed(t, NewReader(5), frag(false, ws.OpText, "full!"), frag(true, ws.OpPing, "longer"), frag(true, ws.OpContinuation, ""))
	if diff := cmp.Diff([]string{`ping "longer"`, `text "full!"`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReader_SmallMessageIsNotCopied(t *testing.T) {
	t.Parallel()
	p := join(text("one"), text("two"))
	r := NewReader(MaxMessage)
	ev, n, err := r.Next(p)
	if err != nil || string(ev.Payload) != "one" || &ev.Payload[0] != &p[6] {
		t.Fatalf("payload %q, %v: not the bytes of the read", ev.Payload, err)
	}
	_ = append(ev.Payload, "spoilt"...)
	if ev, _, err = r.Next(p[n:]); err != nil || string(ev.Payload) != "two" {
		t.Errorf("appending to a payload spoilt the next frame: %q, %v", ev.Payload, err)
	}
}

func TestReader_CollectedMessageIsTheCallersToKeep(t *testing.T) {
	t.Parallel()
	r := NewReader(MaxMessage)
	var kept []Event
	for _, stream := range [][]byte{text("first"), frag(true, ws.OpPing, "second"), frag(true, ws.OpPong, "third"), text("fourth")} {
		for _, chunk := range split(stream, 4) {
			ev, _, err := r.Next(chunk)
			if err != nil {
				t.Fatal(err)
			}
			if ev.Kind != NeedMore {
				kept = append(kept, ev)
			}
			for i := range chunk {
				chunk[i] = 0xaa
			}
		}
	}
	var got []string
	for _, ev := range kept {
		got = append(got, show(ev))
	}
	if diff := cmp.Diff([]string{`text "first"`, `ping "second"`, `pong "third"`, `text "fourth"`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestReader_ViolationIsFinal(t *testing.T) {
	t.Parallel()
	r := NewReader(MaxMessage)
	_, _, first := r.Next(text("x")[:3])
	if first != nil {
		t.Fatal(first)
	}
	r.Release()
	_, n, broken := r.Next(unhex(t, "8380 00000000 8181"))
	if broken == nil || broken.Error() != "Reserved opcode 0x3" || n != 6 {
		t.Fatalf("consumed %d, %v", n, broken)
	}
	r.Release()
	ev, n, err := r.Next(text("x"))
	if err != broken || ev.Kind != NeedMore || n != len(text("x")) {
		t.Errorf("after a violation Next gave %v, %d, %v", ev, n, err)
	}
}

func TestReader_ReleaseForgetsWhatWasKept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream []byte
		kept   int
	}{
		"header":   {unhex(t, "81fe00"), 3},
		"frame":    {text("hello")[:9], 3},
		"fragment": {frag(false, ws.OpText, "hello"), 5},
		"control":  {frag(true, ws.OpPing, "hello")[:8], 2},
	} {
		r := NewReader(MaxMessage)
		if got := feed(t, r, c.stream); got != nil || r.Buffered() != c.kept {
			t.Errorf("%s: %v, %d bytes kept, want %d", name, got, r.Buffered(), c.kept)
		}
		r.Release()
		if r.Buffered() != 0 {
			t.Errorf("%s: %d bytes kept after Release", name, r.Buffered())
		}
		if diff := cmp.Diff([]string{`text "new"`}, feed(t, r, text("new"))); diff != "" {
			t.Errorf("%s: after Release: %s", name, diff)
		}
	}
}
