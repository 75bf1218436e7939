// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// FuzzReader: however a stream is cut, the events are the same, and what the reader
// keeps never exceeds what it was given.
func FuzzReader(f *testing.F) {
	for i, c := range frames {
		f.Add(unhex(f, c.hex), uint16(i), uint16(3*i))
	}
	f.Add(join(text(strings.Repeat("é", 40000)), frag(false, ws.OpBinary, strings.Repeat("x", 700)),
		frag(true, ws.OpPing, ""), frag(true, ws.OpContinuation, "end")), uint16(1000), uint16(7))
	f.Fuzz(func(t *testing.T, stream []byte, cut, read uint16) {
		const limit = 1 << 16
		want := feed(t, NewReader(limit), stream)
		at := min(int(cut), len(stream))
		if got := feed(t, NewReader(limit), stream[:at], stream[at:]); !slices.Equal(got, want) {
			t.Errorf("cut at %d: %q, whole: %q", at, got, want)
		}
		r := NewReader(limit)
		if got := feed(t, r, split(stream, 1+int(read))...); !slices.Equal(got, want) {
			t.Errorf("in reads of %d: %q, whole: %q", 1+int(read), got, want)
		}
		if n := r.Buffered(); n > len(stream) || n > limit+ws.MaxHeaderSize+ws.MaxControlFramePayloadSize {
			t.Errorf("%d bytes kept of %d", n, len(stream))
		}
	})
}

// FuzzHead: a head is the same whatever follows and however much of it arrived before,
// an upgrade is accepted only with the right token, and a reply has the fields it was
// meant to have.
func FuzzHead(f *testing.F) {
	for _, c := range upgrades {
		f.Add([]byte(request(c.edits...)))
	}
	f.Add([]byte("GET / HT"))
	f.Add([]byte("GET / HTTP/1.1\nUpgrade: websocket\r\n\r\n\x81\x80"))
	f.Add([]byte(request("Sec-WebSocket-Protocol: a\x0bb\nEvil: x", "Host: [::1]:", "Connection:\rupgrade")))
	f.Fuzz(func(t *testing.T, p []byte) {
		before := bytes.Clone(p)
		h, n, err := ParseHead(p)
		if !bytes.Equal(p, before) {
			t.Fatal("ParseHead changed its input")
		}
		if h == nil {
			if n != 0 || (err == nil) != (len(p) < MaxHead) {
				t.Fatalf("no head in %d bytes: %d, %v", len(p), n, err)
			}
			return
		}
		if n > MaxHead || !bytes.HasSuffix(p[:n], []byte("\r\n\r\n")) {
			t.Fatalf("a head of %d bytes ends in %q", n, p[max(0, n-4):n])
		}
		if again, m, _ := ParseHead(p[:n]); m != n || !reflect.DeepEqual(again, h) {
			t.Fatal("the bytes behind the head changed it")
		}
		if early, _, _ := ParseHead(p[:n-1]); early != nil {
			t.Fatal("the head ended before its last byte")
		}
		h.Fault()
		h.WantsWebSocket()
		up, ref := CheckUpgrade(h, UpgradeRules{Token: testToken})
		if ref != nil {
			return
		}
		if !bytes.Contains(p[:n], []byte(testToken)) || len(up.Key) != 24 {
			t.Fatalf("accepted %q with the key %q", p[:n], up.Key)
		}
		fields := 4
		if up.Protocol != "" {
			fields = 5
		}
		if reply := AppendUpgradeReply(nil, up); bytes.Count(reply, []byte("\n")) != fields+1 {
			t.Fatalf("the reply is %q", reply)
		}
	})
}

// FuzzValidUTF8 compares with the definition, tried out.
func FuzzValidUTF8(f *testing.F) {
	for _, c := range repairs {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		got, want := ValidUTF8(p), slowRepair(p)
		if !bytes.Equal(got, want) || !utf8.Valid(got) {
			t.Errorf("%q became %q, want %q", p, got, want)
		}
	})
}
