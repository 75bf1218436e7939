// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package seam fits the layers together whose types differ because neither may know the
// other: for the program, and for tests that run the same layers without it. Everything in
// it belongs to the loop goroutine.
package seam

import (
	"time"

	"claudecoded/mcp"
	"claudecoded/reactor"
	"claudecoded/session"
)

// Web has the requests of HTTP served by a function of the protocol.
type Web func(mcp.HTTPRequest, mcp.HTTPWriter)

// ServeHTTP implements session.HTTPHandler.
func (serve Web) ServeHTTP(r session.HTTPRequest, w session.HTTPWriter) {
	serve(mcp.HTTPRequest{
		Method: r.Method, Path: r.Path, Query: r.Query, Header: r.Header, Body: r.Body, Client: r.Client,
	}, writer{w})
}

// writer is a session's, in the protocol's types.
type writer struct{ session.HTTPWriter }

func (w writer) Respond(status int, header []mcp.HeaderField, body []byte) {
	w.HTTPWriter.Respond(status, fields(header), body)
}

func (w writer) Stream(header []mcp.HeaderField) mcp.HTTPStream {
	return w.HTTPWriter.Stream(fields(header))
}

func fields(header []mcp.HeaderField) []session.HeaderField {
	fields := make([]session.HeaderField, len(header))
	for i, f := range header {
		fields[i] = session.HeaderField(f)
	}
	return fields
}

// Clock is the loop's, for the protocol.
type Clock struct{ reactor.Loop }

// AfterFunc implements mcp.Clock.
func (c Clock) AfterFunc(d time.Duration, f func()) (stop func()) {
	timer := c.Loop.AfterFunc(d, f)
	return func() { timer.Stop() }
}
