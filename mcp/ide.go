// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "time"

const (
	// ideProtocol is what initialize answers on the IDE socket, whatever is asked.
	ideProtocol = "2024-11-05"
	// maxIDEMessage is the largest message Claude Code accepts: above 16 MiB it
	// closes the socket.
	maxIDEMessage = 16 << 20

	// ideDeadline is how long Claude waits for a tool of the IDE socket.
	ideDeadline = 30 * time.Second
	// Claude gives getDiagnostics 500 ms for one file and 2 s for all; three
	// misses in a row and it never asks again. An error in time is no miss.
	diagnosticsOfFile = 400 * time.Millisecond
	diagnosticsOfAll  = 1800 * time.Millisecond
)

// ide is the IDE WebSocket as Claude Code's editor extensions speak it.
var ide = profile{
	methods: map[string]method{
		"initialize":                (*Server).initialize,
		"notifications/initialized": (*Server).initialized,
		"notifications/cancelled":   (*Server).cancelled,
		"ide_connected":             (*Server).ideConnected,
		"ping":                      fixed(`{}`),
		"prompts/list":              fixed(`{"prompts":[]}`),
		"tools/list":                (*Server).listTools,
		"tools/call":                (*Server).callTool,
	},
	greeting: ideGreeting,
	serves:   func(t *Tool) bool { return t.IDE },
	unknownTool: func(name string) *Error {
		return &Error{codeMethodNotFound, "Tool not found: " + name, nil}
	},
	appendResult: appendIDEResult,
	rules: map[string]rule{
		"openDiff":         {deadline: userDecides, atStop: diffRejected},
		"closeAllDiffTabs": {turn: (*Server).turnBegins},
		"getDiagnostics":   {deadline: diagnosticsDeadline, turn: (*Server).turnGoesOn},
	},
	deadline:   ideDeadline,
	maxMessage: maxIDEMessage,
	nullID:     true,
}

func ideGreeting(name, version string) []byte {
	b := []byte(`{"protocolVersion":"` + ideProtocol + `","capabilities":` +
		`{"logging":{},"prompts":{"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":`)
	b = appendQuoted(b, name)
	b = append(b, `,"version":`...)
	b = appendQuoted(b, version)
	return append(b, "}}"...)
}

func userDecides([]byte) time.Duration { return never }

func diagnosticsDeadline(arguments []byte) time.Duration {
	// A null argument is an absent one.
	if uri := member(arguments, "uri"); uri == nil || isNull(uri) {
		return diagnosticsOfAll
	}
	return diagnosticsOfFile
}

// diffRejected is what Claude takes as the user's refusal.
func diffRejected(arguments []byte) []byte {
	b := []byte(`{"content":[{"type":"text","text":"DIFF_REJECTED"}`)
	if tab := member(arguments, "tab_name"); isString(tab) {
		b = append(b, `,{"type":"text","text":`...)
		b = append(b, tab...)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// appendIDEResult passes a CallToolResult on as it is and makes one text item of
// any other value: a string verbatim, the rest as JSON text.
func appendIDEResult(dst, value []byte) ([]byte, bool) {
	value = trimSpace(value)
	switch {
	case len(value) == 0 || isNull(value):
		return dst, false
	case isArray(member(value, "content")):
		return append(dst, value...), true
	}
	dst = append(dst, `{"content":[{"type":"text","text":`...)
	if isString(value) {
		dst = append(dst, value...)
	} else {
		dst = appendQuoted(dst, value)
	}
	return append(dst, "}]}"...), true
}
