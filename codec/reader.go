// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"unicode/utf8"

	"github.com/gobwas/ws"
)

// Reader reads the frames of one client and joins fragmented messages. It accepts
// unmasked frames and lengths that are not minimally encoded; extensions are never
// negotiated, so a set RSV bit is a violation.
//
// Whatever the split of the stream into reads, the events are the same and the time
// is linear in its bytes. Memory follows the bytes that arrived, not what a header
// announces.
type Reader struct {
	max int // bytes in a message

	src     bytes.Reader           // over the header's bytes, for ws.ReadHeaderBuffer
	scratch [ws.MaxHeaderSize]byte // its work space
	held    [ws.MaxHeaderSize]byte // an incomplete header
	nheld   int

	inFrame bool
	frame   ws.Header
	got     int       // bytes of the frame's payload that arrived
	op      ws.OpCode // of the fragmented message in progress, else OpContinuation
	msg     message   // what arrived of an incomplete message
	text    textCheck // of that message, if it is text
	ctl     []byte    // what arrived of an incomplete control frame

	broken *Violation
}

// NewReader returns a Reader that refuses messages of more than maxMessage bytes.
func NewReader(maxMessage int) *Reader {
	return &Reader{max: maxMessage, msg: message{lender: noLender{}}}
}

// Borrow has the Reader take the buffers of large messages from lender. The Payload of a
// Text or Binary then has to be returned to it; what the Reader itself drops, it returns.
func (r *Reader) Borrow(lender Lender) { r.msg.lender = lender }

// Next reads from p until there is one event, and returns it with the number of
// bytes it consumed. NeedMore means that all of p was consumed or kept and that more
// bytes are needed; call Next again with the rest of p until then.
//
// Next unmasks in place, so it changes p. The Payload of a message or control frame
// that lay whole in p is a part of p; any other is a buffer of its own, which the
// caller may keep unless it is borrowed. The error is always a *Violation; it is final: every later call
// returns it again and drops its p.
func (r *Reader) Next(p []byte) (ev Event, n int, err error) {
	if text, n := r.small(p); n > 0 {
		if !utf8.Valid(text) {
			return Event{}, n, r.fail(errText)
		}
		return Event{Kind: Text, Payload: text}, n, nil
	}
	for r.broken == nil {
		if !r.inFrame {
			k, v := r.header(p[n:])
			n += k
			if v != nil {
				return Event{}, n, r.fail(v)
			}
			if !r.inFrame {
				return Event{}, n, nil
			}
		}
		ev, k, v := r.payload(p[n:])
		n += k
		if v != nil {
			return Event{}, n, r.fail(v)
		}
		if ev.Kind != NeedMore || r.inFrame {
			return ev, n, nil
		}
	}
	return Event{}, len(p), r.broken
}

// small takes the commonest message, of n bytes with its header: a text of less than
// 64 KiB in one masked frame that lies whole in p. For any other n is 0.
func (r *Reader) small(p []byte) (text []byte, n int) {
	if len(p) < 6 || p[0] != 0x80|byte(ws.OpText) || p[1] < 0x80 || r.inFrame || r.nheld > 0 || r.op != ws.OpContinuation || r.broken != nil {
		return nil, 0
	}
	header, size := 6, int(p[1]&0x7F)
	switch {
	case size == 127 || size == 126 && len(p) < 8:
		return nil, 0
	case size == 126:
		header, size = 8, int(binary.BigEndian.Uint16(p[2:]))
	}
	n = header + size
	if n > len(p) || size > r.max {
		return nil, 0
	}
	text = p[header:n:n]
	ws.Cipher(text, [4]byte(p[header-4:header]), 0)
	return text, n
}

// Release frees all that was kept, for a connection that is closing. The Reader
// then stands before a new frame, or still at the violation it reported.
func (r *Reader) Release() {
	r.msg.drop()
	*r = Reader{max: r.max, msg: r.msg, broken: r.broken}
}

// Buffered is the number of bytes kept of an incomplete header, frame or message.
func (r *Reader) Buffered() int { return r.nheld + len(r.ctl) + r.msg.size }

func (r *Reader) fail(v *Violation) error {
	r.broken = v
	r.Release()
	return v
}

// header reads a frame header, begun in an earlier read perhaps, and checks it.
func (r *Reader) header(p []byte) (n int, v *Violation) {
	src := p
	if r.nheld > 0 {
		src = r.held[:r.nheld+copy(r.held[r.nheld:], p)]
	}
	r.src.Reset(src)
	h, err := ws.ReadHeaderBuffer(&r.src, r.scratch[:])
	n = len(src) - r.src.Len() - r.nheld
	r.src.Reset(nil)
	switch err {
	case io.EOF, io.ErrUnexpectedEOF:
		r.nheld = copy(r.held[:], src)
		return len(p), nil
	case ws.ErrHeaderLengthMSB:
		h.Length = math.MaxInt64 // too long, whatever the other bits say
	}
	if v = r.check(h); v != nil {
		return n, v
	}
	r.frame, r.inFrame, r.got, r.nheld = h, true, 0, 0
	return n, nil
}

// payload takes what p holds of the frame's payload. It returns with inFrame still
// set when more of it is to come.
func (r *Reader) payload(p []byte) (ev Event, n int, v *Violation) {
	h := &r.frame
	n = min(len(p), int(h.Length)-r.got)
	p = p[:n:n]
	if h.Masked {
		ws.Cipher(p, h.Mask, r.got)
	}
	whole := n == int(h.Length)
	r.got += n
	r.inFrame = r.got < int(h.Length)
	if h.OpCode.IsControl() {
		ev, v = r.control(p, whole)
	} else {
		ev, v = r.data(p, whole)
	}
	return ev, n, v
}

// control takes a part of a control frame, or all of it if whole.
func (r *Reader) control(p []byte, whole bool) (Event, *Violation) {
	if !whole {
		r.ctl = append(r.ctl, p...)
		p = r.ctl
	}
	if r.inFrame {
		return Event{}, nil
	}
	r.ctl = nil
	return controlEvent(r.frame.OpCode, p)
}

// data takes a part of a data frame, or all of it if whole.
func (r *Reader) data(p []byte, whole bool) (Event, *Violation) {
	h, op := &r.frame, r.op
	if op == ws.OpContinuation {
		op = h.OpCode
	}
	if op == ws.OpText {
		r.text.add(p)
	}
	if h.Fin && r.op == ws.OpContinuation && whole {
		return r.message(op, p)
	}
	left := int(h.Length) - r.got
	more := left
	if !h.Fin {
		more = r.max - r.msg.size - len(p)
	}
	r.msg.add(p, left, more)
	if r.inFrame {
		return Event{}, nil
	}
	if !h.Fin {
		r.op = op
		return Event{}, nil
	}
	r.op = ws.OpContinuation
	return r.message(op, r.msg.take())
}

var errText = &Violation{1007, "Text message is not valid UTF-8"}

// message makes a message's event. UTF-8 is judged on the whole message: a fragment may
// end inside a code point (RFC 6455, 5.6).
func (r *Reader) message(op ws.OpCode, p []byte) (Event, *Violation) {
	if op == ws.OpBinary {
		return Event{Kind: Binary, Payload: p}, nil
	}
	if !r.text.end() {
		r.msg.lender.Return(p)
		return Event{}, errText
	}
	return Event{Kind: Text, Payload: p}, nil
}

func controlEvent(op ws.OpCode, p []byte) (Event, *Violation) {
	switch op {
	case ws.OpPing:
		return Event{Kind: Ping, Payload: p}, nil
	case ws.OpPong:
		return Event{Kind: Pong, Payload: p}, nil
	}
	ev := Event{Kind: Close, Payload: p, Code: noCode}
	switch {
	case len(p) == 0:
		return ev, nil
	case len(p) == 1:
		return Event{}, &Violation{1002, "Close payload of 1 byte"}
	case !utf8.Valid(p[2:]):
		return Event{}, &Violation{1007, "Close reason is not valid UTF-8"}
	}
	ev.Code, ev.Reason = int(binary.BigEndian.Uint16(p)), string(p[2:])
	if ev.Code == noCode { // it stands for "no code", and is never sent (7.4.1)
		return Event{}, &Violation{1002, "Close code 1005 on the wire"}
	}
	return ev, nil
}
