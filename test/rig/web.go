// Copyright (c) 2026 the claudecoded authors. MIT license.

package rig

import (
	"claudecoded/mcp"
	"claudecoded/session"
)

// web is who the server asks to answer HTTP requests: the protocol.
type web struct{ d *Daemon }

func (h web) ServeHTTP(r session.HTTPRequest, w session.HTTPWriter) {
	h.d.Protocol.ServeHTTP(mcp.HTTPRequest{
		Method: r.Method, Path: r.Path, Query: r.Query, Header: r.Header, Body: r.Body, Client: r.Client,
	}, webWriter{w})
}

// webWriter is a session's, in the protocol's types.
type webWriter struct{ session.HTTPWriter }

func (w webWriter) Respond(status int, header []mcp.HeaderField, body []byte) {
	w.HTTPWriter.Respond(status, headerFields(header), body)
}

func (w webWriter) Stream(header []mcp.HeaderField) mcp.HTTPStream {
	return w.HTTPWriter.Stream(headerFields(header))
}

func headerFields(header []mcp.HeaderField) []session.HeaderField {
	fields := make([]session.HeaderField, len(header))
	for i, f := range header {
		fields[i] = session.HeaderField(f)
	}
	return fields
}
