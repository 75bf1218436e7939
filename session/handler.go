// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package session is the protocol of one connection: the WebSocket state machine
// connecting → upgrading → connected → closing → closed, its keepalive, its stall
// rule and its closing handshake, or HTTP/1.1, which the first request decides and
// which is connecting → serving → closing → closed. Everything in it belongs to the
// loop goroutine.
package session

import "claudecoded/codec"

// Handler receives what connected clients do. A client is named by the number n of
// its id client_<n>, which never repeats. All methods run on the loop goroutine and
// may call any method of Server.
type Handler interface {
	// Open reports that the client's 101 reply was written: it is connected.
	Open(client uint64)
	// Message hands over one whole text message, valid UTF-8. text is valid, and
	// may be changed, during the call only. It is not called for a client that
	// left or sent its Close frame meanwhile.
	Message(client uint64, text []byte)
	// Closed reports, exactly once for each client that Open named, that it left.
	Closed(client uint64, code int, reason string)
}

// BinaryHandler is a Handler that also takes binary messages. Without it, and on
// every server that does not run messages as they are parsed, a binary message
// closes its connection with 1003.
type BinaryHandler interface {
	Handler
	// Binary hands over one whole binary message, valid during the call only.
	Binary(client uint64, data []byte)
}

// HTTPHandler receives the requests for the paths that HTTP serves, whose origin, host
// and token were checked. It runs on the loop goroutine and may call any method of
// Server.
type HTTPHandler interface {
	// ServeHTTP hands over one whole request. It is answered through w, now or later;
	// later requests of the same connection wait until then.
	ServeHTTP(r HTTPRequest, w HTTPWriter)
}

// HTTPRequest is one whole request.
type HTTPRequest struct {
	Method string
	// Path and Query are the parts of the target, as they were sent.
	Path, Query string
	// Body is valid during the call only, and may be changed.
	Body []byte
	// Client is the number of the connection.
	Client uint64

	head *codec.Request
}

// Header is the value of the field called name, in any case, without blanks around it.
// The values of several are joined with ", " (RFC 9110, 5.3).
func (r HTTPRequest) Header(name string) (value string, ok bool) { return r.head.Get(name) }

// HeaderField is one field of a response's header.
type HeaderField = codec.Field

// HTTPWriter answers one request, once: by Respond, or by Stream and what that returns.
// It may be kept; what comes too late does nothing. Loop goroutine only.
type HTTPWriter interface {
	// Respond answers with a body, which is copied. Date, Content-Length and Connection
	// are added to the header; the answer to a HEAD leaves without its body.
	Respond(status int, header []HeaderField, body []byte)
	// Stream answers 200 with a stream of server-sent events, whose head leaves at once.
	// header is added to the fields that every stream has.
	Stream(header []HeaderField) HTTPStream
	// OnClose has f run once, on its own, if the connection ends before the response is
	// complete, whoever ended it. A later f takes its place.
	OnClose(f func())
}

// HTTPStream is the response to one request as a stream of server-sent events. Loop
// goroutine only.
type HTTPStream interface {
	// Event sends an event; name may be empty, data is copied. It reports false if the
	// stream is over, because it ended or because its client left or does not read.
	Event(name string, data []byte) bool
	// Comment sends a line that clients ignore, to keep the stream alive, and reports
	// what Event would.
	Comment() bool
	// End completes the response. The connection stays.
	End()
	// OnClose is the HTTPWriter's.
	OnClose(f func())
}
