// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "strconv"

// JSON-RPC 2.0 error codes (section 5.1) and the one for a tool that failed.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeTool           = -32000
)

var (
	errParse          = &Error{codeParse, "Parse error", []byte(`"Invalid JSON"`)}
	errInvalidRequest = &Error{codeInvalidRequest, "Invalid Request", []byte(`"Not a valid JSON-RPC 2.0 request"`)}
	errNoToolName     = invalidParams("params.name must be a string, the name of the tool")
	errArguments      = invalidParams("params.arguments must be an object")
	errNoResult       = internalError("Tool handler returned unexpected format")
	errRaised         = internalError("The tool call failed inside the daemon")
	errTooManyCalls   = ToolError("too many calls in flight")
	errChecks         = ToolError("too many calls wait to be checked")
	errStopping       = ToolError("the server is stopping")
)

func invalidParams(detail string) *Error {
	return &Error{codeInvalidParams, "Invalid params", appendQuoted(nil, detail)}
}

func internalError(detail string) *Error {
	return &Error{codeInternal, "Internal error", appendQuoted(nil, detail)}
}

// ToolError is the error of a tool that failed with a plain text: code -32000,
// the text as message and as data.
func ToolError(text string) *Error {
	return &Error{codeTool, text, appendQuoted(nil, text)}
}

// wire is e as it may be sent: a tool's text without a code gets ToolError's
// shape, and data that is not JSON becomes a string.
func (e *Error) wire() *Error {
	switch {
	case e.Code == 0 && e.Data == nil:
		return ToolError(e.Message)
	case e.Code == 0:
		return (&Error{codeTool, e.Message, e.Data}).wire()
	case e.Data != nil && checkJSON(e.Data) != nil:
		return &Error{e.Code, e.Message, appendQuoted(nil, e.Data)}
	}
	return e
}

func (e *Error) append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendQuoted(dst, e.Message)
	if e.Data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, '}')
}
