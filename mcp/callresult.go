// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "bytes"

// appendCallResult makes a CallToolResult of what a tool returned: one with content
// passes as it is, structuredContent alone gets its JSON text as content (2025-06-18,
// "Structured Content"), nothing is no content, a string is its text and any other value
// its JSON text.
func appendCallResult(dst, value []byte) ([]byte, bool) {
	value = trimSpace(value)
	switch {
	case len(value) == 0 || isNull(value):
		return append(dst, `{"content":[]}`...), true
	case isArray(member(value, "content")):
		return append(dst, value...), true
	case isObject(member(value, "structuredContent")):
		dst = append(dst, `{"content":[{"type":"text","text":`...)
		dst = appendQuoted(dst, member(value, "structuredContent"))
		dst = append(dst, "}]"...)
		for name, v := range members(value) {
			if !isText(name, "content") {
				dst = append(append(append(append(dst, ','), name...), ':'), v...)
			}
		}
		return append(dst, '}'), true
	case isString(value):
		return appendTextResult(dst, value, false), true
	}
	return appendTextResult(dst, appendQuoted(nil, value), false), true
}

// appendToolFailure makes a CallToolResult of how a tool failed, because that is what
// the model reads. A tool that failed with a code of its own, none of JSON-RPC's and not
// the one every tool has, asked for a JSON-RPC error.
func appendToolFailure(dst []byte, e *Error) ([]byte, bool) {
	switch e.Code {
	case codeTool, codeParse, codeInvalidRequest, codeMethodNotFound, codeInvalidParams, codeInternal:
	default:
		return dst, false
	}
	text := appendQuoted(nil, "Error: "+e.Message)
	detail := e.Data
	if detail != nil && !isString(detail) {
		detail = appendQuoted(nil, detail)
	}
	if len(detail) > len(`""`) && !bytes.Equal(detail, appendQuoted(nil, e.Message)) {
		text = append(append(text[:len(text)-1], ": "...), detail[1:]...)
	}
	return appendTextResult(dst, text, true), true
}

func appendTextResult(dst, quoted []byte, failed bool) []byte {
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	dst = append(append(dst, quoted...), "}]"...)
	if failed {
		dst = append(dst, `,"isError":true`...)
	}
	return append(dst, '}')
}
