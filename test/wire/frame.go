// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package wire is a WebSocket client for tests that send what no library sends: any
// header, any split of the bytes, half a handshake. It is the other side of RFC 6455,
// written without the code under test, and knows nothing of what a message means.
package wire

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/gobwas/ws"
)

// First bytes of frames (RFC 6455, 5.2): FIN set, or clear for a fragment.
const (
	Text   = 0x81
	Binary = 0x82
	Close  = 0x88
	Ping   = 0x89
	Pong   = 0x8A

	TextPart   = 0x01 // begins a fragmented message
	BinaryPart = 0x02
	MorePart   = 0x00 // continues it
	LastPart   = 0x80 // ends it
)

// key masks every frame but those of Masked. It is that of the example in RFC 6455, 5.7.
var key = [4]byte{0x37, 0xFA, 0x21, 0x3D}

// Frame is a frame as a client sends it, masked, its length in the shortest form.
func Frame(first byte, payload string) []byte { return Masked(first, payload, key) }

// Masked is Frame with a masking key of the caller's.
func Masked(first byte, payload string, key [4]byte) []byte {
	head := Header(first, uint64(len(payload)), 0)
	head[1] |= 0x80
	at := len(head) + len(key)
	b := make([]byte, at, at+len(payload))
	copy(b[copy(b, head):], key[:])
	b = append(b, payload...)
	ws.Cipher(b[at:], key, 0)
	return b
}

// Plain is an unmasked frame, which is what a server sends.
func Plain(first byte, payload string) []byte {
	return append(Header(first, uint64(len(payload)), 0), payload...)
}

// Header is the beginning of an unmasked frame that announces n bytes of payload in a
// length field of width bytes: 1, 2 or 8, or 0 for the shortest that holds n.
func Header(first byte, n uint64, width int) []byte {
	switch {
	case width == 1 || width == 0 && n < 126:
		return []byte{first, byte(n)}
	case width == 2 || width == 0 && n <= 0xFFFF:
		return binary.BigEndian.AppendUint16([]byte{first, 126}, uint16(n))
	}
	return binary.BigEndian.AppendUint64([]byte{first, 127}, n)
}

// CloseBody is the payload of a Close frame.
func CloseBody(code int, reason string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(code))) + reason
}

// reasons are the names of the codes that a broken rule closes with (RFC 6455, 7.4.1).
var reasons = map[int]string{
	1002: "Protocol error",
	1003: "Unsupported data",
	1007: "Invalid frame payload data",
	1009: "Message too big",
}

// Failure is the Close frame with which a server answers a broken rule.
func Failure(code int) []byte { return Plain(Close, CloseBody(code, reasons[code])) }

// Joined is one stream of several pieces.
func Joined(pieces ...[]byte) (stream []byte) {
	for _, p := range pieces {
		stream = append(stream, p...)
	}
	return stream
}

// ReadFrame reads one frame of a server. A masked one is an error (RFC 6455, 5.1), and
// so is one of more than limit bytes.
func ReadFrame(r io.Reader, limit int) (first byte, payload []byte, err error) {
	var b [8]byte
	if _, err = io.ReadFull(r, b[:2]); err != nil {
		return 0, nil, err
	}
	first = b[0]
	n := uint64(b[1])
	width := map[byte]int{126: 2, 127: 8}[b[1]]
	if width > 0 {
		b = [8]byte{}
		if _, err = io.ReadFull(r, b[8-width:]); err != nil {
			return first, nil, err
		}
		n = binary.BigEndian.Uint64(b[:])
	}
	if n > uint64(limit) || width == 0 && n > 127 {
		return first, nil, fmt.Errorf("wire: a frame that begins % X with %d bytes", first, n)
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return first, payload, err
}
