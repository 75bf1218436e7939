// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"slices"

	"claudecoded/codec"
)

// httpDate is the form of a Date (RFC 9110, 5.6.7), in UTC.
const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// maxFields is about how long the header of a response is, in bytes.
const maxFields = 512

// exchange is one request and what becomes of its response; it is the handler's
// HTTPWriter and HTTPStream.
type exchange struct {
	h         *httpConn // nil once the response is complete or the connection ended
	headless  bool      // the response to a HEAD has no body
	streaming bool
	onClose   func()
}

var (
	_ HTTPWriter = (*exchange)(nil)
	_ HTTPStream = (*exchange)(nil)
)

// Respond answers with a body.
func (x *exchange) Respond(status int, header []HeaderField, body []byte) {
	if x.h == nil || x.streaming {
		return
	}
	c := x.h.c
	length := len(body)
	if x.headless {
		body = nil
	}
	b := codec.AppendResponseHead(c.alloc(maxFields+len(body)), status, length, x.fields(header)...)
	c.queue(append(b, body...), nil, c.onWritten)
	x.end()
}

// Stream answers with a stream of events.
func (x *exchange) Stream(header []HeaderField) HTTPStream {
	if x.h == nil || x.streaming {
		return x
	}
	x.streaming = true
	c := x.h.c
	c.queue(codec.AppendStreamHead(c.alloc(maxFields), x.fields(header)...), nil, c.onWritten)
	return x
}

// fields adds to a response's header what the connection knows.
func (x *exchange) fields(header []HeaderField) []HeaderField {
	header = append(slices.Clip(header), HeaderField{Name: "Date", Value: x.h.c.s.loop.Now().UTC().Format(httpDate)})
	if x.h.last {
		header = append(header, HeaderField{Name: "Connection", Value: "close"})
	}
	return header
}

// OnClose has f run if the connection ends before the response is complete.
func (x *exchange) OnClose(f func()) { x.onClose = f }

// Event sends an event.
func (x *exchange) Event(name string, data []byte) bool {
	return x.chunk(codec.AppendSSEEvent(nil, name, data))
}

// Comment sends a line that clients ignore.
func (x *exchange) Comment() bool { return x.chunk(codec.AppendSSEComment(nil, "")) }

// chunk sends a part of the stream. A client that has left highWater bytes unread loses
// the stream: what it missed it could not tell.
func (x *exchange) chunk(p []byte) bool {
	if x.h == nil || !x.streaming {
		return false
	}
	h := x.h
	if h.c.backlogged {
		h.c.s.log.Info("Closed " + h.c.id() + ": does not read its events")
		h.abort("Write queue full")
		return false
	}
	if !x.headless {
		h.c.queue(codec.AppendChunk(h.c.alloc(len(p)+2*maxHeader), p), nil, h.c.onWritten)
	}
	return true
}

// End completes the stream.
func (x *exchange) End() {
	if x.h == nil || !x.streaming {
		return
	}
	if !x.headless {
		x.h.c.queue(codec.AppendChunk(nil, nil), nil, x.h.c.onWritten)
	}
	x.end()
}

// end makes way for the next request.
func (x *exchange) end() {
	h := x.h
	x.h = nil
	h.exchange = nil
	h.resume()
}

// refuse answers in the server's own words.
func (x *exchange) refuse(ref *codec.Refusal) {
	header := []HeaderField{{Name: "Content-Type", Value: "text/plain"}}
	if ref.Status == 401 {
		header = append(header, HeaderField{Name: "WWW-Authenticate", Value: "Bearer"})
	}
	x.Respond(ref.Status, header, []byte(ref.Reason))
}
