// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

func TestAppendFrame_WritesTheExamplesOfTheRFC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op      ws.OpCode
		payload []byte
		want    string
	}{
		{ws.OpText, []byte("Hello"), "81 05 48656c6c6f"},
		{ws.OpPing, []byte("Hello"), "89 05 48656c6c6f"},
		{ws.OpPong, nil, "8a 00"},
		{ws.OpBinary, make([]byte, 256), "82 7e 0100" + strings.Repeat("00", 256)},
		{ws.OpBinary, make([]byte, 65536), "82 7f 0000000000010000" + strings.Repeat("00", 65536)},
	} {
		want := append([]byte("dst"), unhex(t, c.want)...)
		if got := AppendFrame([]byte("dst"), c.op, c.payload); !bytes.Equal(got, want) {
			t.Errorf("opcode %d with %d bytes: %x", c.op, len(c.payload), got[:min(len(got), 20)])
		}
	}
}

func TestAppendFrameHeader_IsReadBackAtEveryBoundary(t *testing.T) {
	t.Parallel()
	for n, size := range map[int]int{0: 2, 125: 2, 126: 4, 127: 4, 65535: 4, 65536: 10, MaxMessage: 10} {
		p := AppendFrameHeader(nil, ws.OpBinary, n)
		h, err := ws.ReadHeader(bytes.NewReader(p))
		want := ws.Header{Fin: true, OpCode: ws.OpBinary, Length: int64(n)}
		if err != nil || h != want || len(p) != size {
			t.Errorf("%d bytes: %+v in %d bytes, %v", n, h, len(p), err)
		}
	}
}

func TestAppendClose_FitsAControlFrame(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 122)
	for _, c := range []struct {
		name   string
		code   int
		reason string
		want   string
	}{
		{"code and reason", 1001, "Server shutting down", "\x03\xe9Server shutting down"},
		{"code alone", 1000, "", "\x03\xe8"},
		{"no code", 0, "not sent", ""},
		{"the code for none", 1005, "not sent", ""},
		{"exactly full", 1002, long + "y", "\x03\xea" + long + "y"},
		{"one byte too long", 1002, long + "yz", "\x03\xea" + long + "y"},
		{"cut inside a code point", 1002, long + "é", "\x03\xea" + long},
		{"cut inside a long code point", 1002, long[:120] + "🤭", "\x03\xea" + long[:120]},
		{"ill-formed", 1002, "a\xc3(", "\x03\xeaa\uFFFD("},
	} {
		want := append([]byte{'d', 0x88, byte(len(c.want))}, c.want...)
		if got := AppendClose([]byte("d"), c.code, c.reason); !bytes.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

func TestEchoCode_EchoesWhatMayBeSent(t *testing.T) {
	t.Parallel()
	echoed := func(code int) bool {
		return code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999
	}
	for code := range 1 << 16 {
		want := 1002
		if code == 1005 {
			want = 1000
		} else if echoed(code) {
			want = code
		}
		if got := EchoCode(code); got != want {
			t.Errorf("EchoCode(%d) = %d, want %d", code, got, want)
		}
	}
}

func TestReasonName_NamesTheCodesOfViolations(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		1002: "Protocol error", 1003: "Unsupported data", 1007: "Invalid frame payload data",
		1009: "Message too big", 1000: "", 4000: "",
	} {
		if got := ReasonName(code); got != want {
			t.Errorf("ReasonName(%d) = %q, want %q", code, got, want)
		}
	}
}
