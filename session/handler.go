// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package session is the protocol of one connection: the WebSocket state machine
// connecting → upgrading → connected → closing → closed, its keepalive, its stall
// rule and its closing handshake. Everything in it belongs to the loop goroutine.
package session

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
