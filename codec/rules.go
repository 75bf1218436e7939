// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"fmt"

	"github.com/gobwas/ws"
)

// check applies the rules a header alone can break, before any of its payload is
// kept: RFC 6455, 5.2, 5.4, 5.5, and the size of the message.
func (r *Reader) check(h ws.Header) *Violation {
	var state ws.State // not StateServerSide: unmasked frames are accepted
	if r.op != ws.OpContinuation {
		state = ws.StateFragmented
	}
	if err := ws.CheckHeader(h, state); err != nil {
		return &Violation{1002, rule(err, h)}
	}
	if h.Length > int64(r.max-r.msg.size) && h.OpCode.IsData() {
		return &Violation{1009, fmt.Sprintf("Message over %d bytes", r.max)}
	}
	return nil
}

// rule names the rule that err says h broke.
func rule(err error, h ws.Header) string {
	switch err {
	case ws.ErrProtocolOpCodeReserved:
		return fmt.Sprintf("Reserved opcode 0x%X", byte(h.OpCode))
	case ws.ErrProtocolNonZeroRsv:
		return "RSV bits set"
	case ws.ErrProtocolControlNotFinal:
		return "Fragmented control frame"
	case ws.ErrProtocolControlPayloadOverflow:
		return fmt.Sprintf("Control frame payload over %d bytes", ws.MaxControlFramePayloadSize)
	case ws.ErrProtocolContinuationExpected:
		return "Data frame inside a fragmented message"
	case ws.ErrProtocolContinuationUnexpected:
		return "Continuation frame without a message to continue"
	}
	return err.Error()
}
