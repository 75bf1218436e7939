// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package echo is a session.Handler that sends every message back, text as text and
// binary as binary: the other side of public WebSocket test suites.
package echo

import "claudecoded/session"

// Handler echoes what the clients of Server send. Its Server must run messages as
// they are parsed, or binary ones do not reach it.
type Handler struct{ Server *session.Server }

var _ session.BinaryHandler = Handler{}

// Open does nothing.
func (h Handler) Open(uint64) {}

// Message sends text back.
func (h Handler) Message(client uint64, text []byte) { h.Server.Send(client, text) }

// Binary sends data back.
func (h Handler) Binary(client uint64, data []byte) { h.Server.SendBinary(client, data) }

// Closed does nothing.
func (h Handler) Closed(uint64, int, string) {}
