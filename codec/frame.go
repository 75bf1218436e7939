// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// maxReason is the room for a reason in a Close frame: the payload of a control
// frame less the code, in bytes (RFC 6455, 5.5).
const maxReason = ws.MaxControlFramePayloadSize - 2

// noCode stands for a Close frame without a code (RFC 6455, 7.4.1).
const noCode = int(ws.StatusNoStatusRcvd)

// AppendFrameHeader appends the header of a final, unmasked frame with n bytes of
// payload, which the caller sends after it.
func AppendFrameHeader(dst []byte, op ws.OpCode, n int) []byte {
	dst = append(dst, 0x80|byte(op))
	switch {
	case n < 126:
		return append(dst, byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, 127), uint64(n))
}

// AppendFrame appends a whole final, unmasked frame. The payload of a text frame must
// be valid UTF-8 (see ValidUTF8), that of a control frame at most 125 bytes.
func AppendFrame(dst []byte, op ws.OpCode, payload []byte) []byte {
	return append(AppendFrameHeader(dst, op, len(payload)), payload...)
}

// AppendClose appends a Close frame. The reason is made valid UTF-8 and cropped
// between two code points to the 123 bytes there is room for. With the code 0 or
// 1005 the frame has no payload.
func AppendClose(dst []byte, code int, reason string) []byte {
	if code == 0 || code == noCode {
		return AppendFrameHeader(dst, ws.OpClose, 0)
	}
	text := ValidUTF8([]byte(reason))
	if n := maxReason; len(text) > n {
		for !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	dst = AppendFrameHeader(dst, ws.OpClose, 2+len(text))
	return append(binary.BigEndian.AppendUint16(dst, uint16(code)), text...)
}

// ReasonName is the name RFC 6455, 7.4.1, gives to a code with which a broken rule
// closes a connection, and "" for any other code.
func ReasonName(code int) string {
	switch ws.StatusCode(code) {
	case ws.StatusProtocolError:
		return "Protocol error"
	case ws.StatusUnsupportedData:
		return "Unsupported data"
	case ws.StatusInvalidFramePayloadData:
		return "Invalid frame payload data"
	case ws.StatusMessageTooBig:
		return "Message too big"
	}
	return ""
}

// EchoCode is the code that answers a Close with this code: the same if an endpoint
// may send it (RFC 6455, 7.4, and the codes registered since), 1000 if there was
// none, else 1002.
func EchoCode(code int) int {
	switch {
	case code == noCode:
		return int(ws.StatusNormalClosure)
	case code >= 1000 && code <= 1003, code >= 1007 && code <= 1014, code >= 3000 && code <= 4999:
		return code
	}
	return int(ws.StatusProtocolError)
}
