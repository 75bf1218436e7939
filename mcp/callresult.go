// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"errors"
	"fmt"
)

var (
	errIsError     = errors.New("result.isError must be a boolean")
	errNoStructure = errors.New("result.structuredContent is missing, which the tool's output schema demands")
	errMeta        = errors.New("result._meta must be an object")
)

// callResult is a CallToolResult in parts.
type callResult struct {
	content, structured []byte
	failed              bool
	value               []byte // with the other members, if it is an object
}

// readResult makes a CallToolResult of what a tool returned: one with content or
// structuredContent is one already, what a tool with an output schema returns is the
// structured content, nothing is no content, a string is its text and any other value its
// JSON text.
func (t *Tool) readResult(value []byte) (r callResult, err error) {
	value = trimSpace(value)
	content, structured := member(value, "content"), member(value, "structuredContent")
	switch {
	case isArray(content) || structured != nil:
		r = callResult{content: content, structured: structured, value: value}
		if err := r.readFlags(); err != nil {
			return r, err
		}
	case t.made.returns != nil:
		r.structured = value
	case len(value) == 0 || isNull(value):
		r.content = []byte("[]")
	default:
		r.content = textContent(value)
	}
	if len(r.structured) == 0 || isNull(r.structured) {
		r.structured = nil
	}
	if r.content == nil && r.structured == nil && t.made.returns == nil {
		r.content = []byte("[]")
	}
	return r, nil
}

func (r *callResult) readFlags() error {
	flag, meta := member(r.value, "isError"), member(r.value, "_meta")
	switch {
	case flag != nil && !isNull(flag) && !isBool(flag):
		return errIsError
	case meta != nil && !isNull(meta) && !isEmptyArray(meta) && !isObject(meta):
		return errMeta
	case r.content != nil && !isArray(r.content):
		return errors.New("result.content must be an array")
	}
	r.failed = string(flag) == "true"
	return checkContent(r.content)
}

// fit makes the result one that a client of a revision can read, and that keeps to the
// tool's output schema, as far as that many visits tell.
func (t *Tool) fit(r *callResult, revision string, visits int) error {
	object := t.made.returns != nil || revision < revisionStateless
	if object && isEmptyArray(r.structured) { // Lua's {}
		r.structured = emptyObject
	}
	if t.made.returns != nil && !r.failed {
		if r.structured == nil {
			return errNoStructure
		}
		if err := t.made.returns.conforms(r.structured, visits); err != nil {
			return fmt.Errorf("result.structuredContent does not keep to the tool's output schema: %w", err)
		}
	}
	if r.content == nil {
		r.content = textContent(r.structured)
	}
	if r.structured != nil && (revision < revisionStructured || object && !isObject(r.structured)) {
		r.structured = nil
	}
	r.content = translate(r.content, revision)
	return nil
}

// textContent is one block with a value's text: that of a string, or its JSON.
func textContent(value []byte) []byte {
	b := append(make([]byte, 0, len(value)+32), `[{"type":"text","text":`...)
	if isString(value) {
		b = append(b, value...)
	} else {
		b = appendQuoted(b, value)
	}
	return append(b, "}]"...)
}

// append appends the result as JSON.
func (r *callResult) append(dst []byte) []byte {
	dst = append(append(dst, `{"content":`...), r.content...)
	if r.structured != nil {
		dst = append(append(dst, `,"structuredContent":`...), r.structured...)
	}
	if r.failed {
		dst = append(dst, `,"isError":true`...)
	}
	for name, v := range members(r.value) {
		if isText(name, "content") || isText(name, "structuredContent") || isText(name, "isError") || isNull(v) ||
			isText(name, "_meta") && isEmptyArray(v) {
			continue
		}
		dst = append(append(append(append(dst, ','), name...), ':'), v...)
	}
	return append(dst, '}')
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
	r := callResult{content: textContent(text), failed: true}
	return r.append(dst), true
}
