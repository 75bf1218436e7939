// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package codec turns bytes into protocol elements and back: WebSocket frames
// (RFC 6455), the HTTP/1.1 request head and the upgrade to WebSocket, HTTP
// responses, server-sent events and UTF-8. It does no I/O, starts no goroutine and
// keeps no global state; a Reader belongs to one goroutine, the functions to any.
package codec

// MaxMessage is the largest message a client may send, in bytes, whether it comes
// in one frame or in fragments.
const MaxMessage = 100 << 20

// Kind says what an Event is.
type Kind uint8

// The kinds of Event. NeedMore is the zero Event: no event yet.
const (
	NeedMore Kind = iota
	Text
	Binary
	Ping
	Pong
	Close
)

// Event is one whole message or one control frame.
type Event struct {
	Kind Kind
	// Payload is the message, or the control frame's payload. See Reader.Next for
	// how long it is valid.
	Payload []byte
	// Code and Reason are those of a Close. A Close without payload has the code
	// 1005 (RFC 6455, 7.1.5); the code is as the peer sent it, see EchoCode.
	Code   int
	Reason string
}

// Violation is a broken rule of the framing: the connection must be closed with
// Code, whose name ReasonName gives to the peer.
type Violation struct {
	Code int
	// Rule names what was broken, for example "Reserved opcode 0x3".
	Rule string
}

// Error returns the broken rule.
func (v *Violation) Error() string { return v.Rule }
