// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"strconv"
	"strings"
)

// Field is one field of a response's header.
type Field struct{ Name, Value string }

// phrases are the reason phrases of the statuses in use (RFC 9110, 15).
var phrases = map[int]string{
	100: "Continue",
	101: "Switching Protocols",
	102: "Processing",
	200: "OK",
	202: "Accepted",
	204: "No Content",
	400: "Bad Request",
	401: "Unauthorized",
	403: "Forbidden",
	404: "Not Found",
	405: "Method Not Allowed",
	406: "Not Acceptable",
	408: "Request Timeout",
	409: "Conflict",
	411: "Length Required",
	413: "Content Too Large",
	415: "Unsupported Media Type",
	417: "Expectation Failed",
	429: "Too Many Requests",
	431: "Request Header Fields Too Large",
	500: "Internal Server Error",
	501: "Not Implemented",
	503: "Service Unavailable",
	504: "Gateway Timeout",
}

// AppendResponse appends an HTTP/1.1 response with its body and Content-Length,
// which 204 has not (RFC 9110, 8.6).
func AppendResponse(dst []byte, status int, body []byte, fields ...Field) []byte {
	return append(AppendResponseHead(dst, status, len(body), fields...), body...)
}

// AppendResponseHead appends the head of a response whose body has length bytes.
func AppendResponseHead(dst []byte, status, length int, fields ...Field) []byte {
	dst = appendStatus(dst, status)
	for _, f := range fields {
		dst = appendField(dst, f.Name, f.Value)
	}
	if status != 204 {
		dst = appendField(dst, "Content-Length", strconv.Itoa(length))
	}
	return append(dst, "\r\n"...)
}

// AppendInterim appends a response that announces the real one (RFC 9110, 15.2): a
// status and nothing else.
func AppendInterim(dst []byte, status int) []byte {
	return append(appendStatus(dst, status), "\r\n"...)
}

// AppendRefusal appends the response that refuses a request; the connection is to be
// closed after it.
func AppendRefusal(dst []byte, r *Refusal) []byte {
	return AppendResponse(dst, r.Status, []byte(r.Reason),
		Field{"Content-Type", "text/plain"}, Field{"Connection", "close"})
}

// AppendStreamHead appends the head of a 200 response whose body is a stream of
// events, sent in chunks that end with an empty one (see AppendChunk).
func AppendStreamHead(dst []byte, fields ...Field) []byte {
	dst = appendStatus(dst, 200)
	dst = appendField(dst, "Content-Type", "text/event-stream")
	dst = appendField(dst, "Cache-Control", "no-cache, no-transform")
	dst = appendField(dst, "X-Accel-Buffering", "no")
	dst = appendField(dst, "Transfer-Encoding", "chunked")
	for _, f := range fields {
		dst = appendField(dst, f.Name, f.Value)
	}
	return append(dst, "\r\n"...)
}

// AppendChunk appends p as one chunk of a body (RFC 9112, 7.1). An empty p ends it.
func AppendChunk(dst, p []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(len(p)), 16)
	dst = append(append(dst, "\r\n"...), p...)
	return append(dst, "\r\n"...)
}

// AppendSSEEvent appends a server-sent event (HTML Standard, 9.2): one data line for
// each line of data, after the event's name unless that is empty.
func AppendSSEEvent(dst []byte, event string, data []byte) []byte {
	if event != "" {
		dst = append(append(append(dst, "event: "...), oneLine(event)...), '\n')
	}
	for more := true; more; {
		var line []byte
		line, data, more = cutLine(data)
		dst = append(append(append(dst, "data: "...), line...), '\n')
	}
	return append(dst, '\n')
}

// AppendSSEComment appends a comment, which clients ignore: it keeps a stream alive.
func AppendSSEComment(dst []byte, text string) []byte {
	return append(append(append(dst, ": "...), oneLine(text)...), "\n\n"...)
}

// cutLine cuts p behind its first line, which LF, CR or CR LF ends.
func cutLine(p []byte) (line, rest []byte, found bool) {
	i := bytes.IndexAny(p, "\r\n")
	if i < 0 {
		return p, nil, false
	}
	rest = p[i+1:]
	if p[i] == '\r' && len(rest) > 0 && rest[0] == '\n' {
		rest = rest[1:]
	}
	return p[:i], rest, true
}

func appendStatus(dst []byte, status int) []byte {
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	return append(append(append(dst, ' '), phrases[status]...), "\r\n"...)
}

func appendField(dst []byte, name, value string) []byte {
	dst = append(append(dst, name...), ": "...)
	return append(append(dst, oneLine(value)...), "\r\n"...)
}

// oneLine keeps a value from ending its line, which would let it add fields.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' || r == 0 {
			return ' '
		}
		return r
	}, s)
}
