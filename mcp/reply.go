// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"slices"
)

// giveAway is the size in bytes from which a message is given to the sink
// instead of copied by it. It bounds the scratch that is kept, too.
const giveAway = 64 << 10

// Respond answers a request of a client for whoever took it over, as it is: with
// out.Err, or else out.Result. id is the JSON text of a string, a number or null.
// An answer larger than the client takes becomes an error. It reports false if id
// is anything else, or if the client is not connected. Loop goroutine; the
// outcome's bytes belong to the server from now on.
func (s *Server) Respond(client uint64, id []byte, out Outcome) bool {
	c := s.clients[client]
	if c == nil {
		return false
	}
	if idKind(id) != idValue {
		s.log.Warn("answer not sent: its id is no string, number or null", "client", c.name, "bytes", len(id))
		return false
	}
	if out.Err != nil {
		s.fail(c, id, out.Err.wire())
	} else {
		s.reply(c, id, out.Result)
	}
	return true
}

// reply sends a result. Nothing is sent to a nil id, that of a notification.
func (s *Server) reply(c *client, id, result []byte) {
	if id == nil {
		return
	}
	b := append(s.start(id, len(result)), result...)
	s.end(c, id, append(b, '}'), nil)
}

// fail sends an error. Nothing is sent to a nil id.
func (s *Server) fail(c *client, id []byte, e *Error) {
	if id == nil {
		return
	}
	b := append(s.out[:0], `{"jsonrpc":"2.0",`...)
	if !isNull(id) || c.profile.nullID {
		b = append(b, `"id":`...)
		b = append(b, id...)
		b = append(b, ',')
	}
	b = append(b, `"error":`...)
	s.end(c, id, append(e.append(b), '}'), e)
}

// start begins a reply in the scratch buffer, up to its result, for which it
// makes room.
func (s *Server) start(id []byte, room int) []byte {
	b := slices.Grow(s.out[:0], room+len(id)+64)
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	return append(b, `,"result":`...)
}

// end sends what start began, or an error if it is more than the client takes. failure
// is the error that b is, if it is one.
func (s *Server) end(c *client, id, b []byte, failure *Error) {
	if limit := c.room(); len(b) > limit {
		s.log.Warn("answer too large", "client", c.name, "bytes", len(b), "limit", limit)
		s.fail(c, id, ToolError(fmt.Sprintf("the answer has %d bytes, and this client takes %d", len(b), limit)))
		return
	}
	s.deliver(c, payload{text: b, answers: true, failure: failure})
}

// payload is one message on its way to a client.
type payload struct {
	text []byte
	// given says that text is the receiver's; else it is valid during the call only.
	given bool
	// answers says that the message ends a request, with failure if that is not nil.
	answers bool
	failure *Error
}

// outlet is where what is said to a client goes.
type outlet interface {
	take(o payload)
	// unanswered tells that a request ended to which no answer comes.
	unanswered()
}

// deliver sends a message that was built in the scratch buffer.
func (s *Server) deliver(c *client, o payload) {
	o.given = len(o.text) >= giveAway
	if o.given {
		s.out = nil
	} else {
		s.out = o.text[:0]
	}
	c.out.take(o)
}

// socket is the outlet of a client whose every message goes the same way.
type socket struct {
	sink Sink
	id   uint64
}

func (k socket) take(o payload) {
	if o.given {
		k.sink.Give(k.id, o.text)
	} else {
		k.sink.Send(k.id, o.text)
	}
}

func (socket) unanswered() {}
