// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package answer is what every peer does with a message: it parses the envelope with
// fastjson and answers as the program under test would. The peers differ only in how
// they bring messages in and out.
package answer

import (
	"errors"
	"fmt"
	"net"
	"os"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// MaxMessage is the largest message in bytes that a peer takes.
const MaxMessage = 100 << 20

// Subprotocol is what a Claude client asks for, and demands.
const Subprotocol = "mcp"

// results are by method; every other request is answered with {}.
var results = map[string]string{
	"initialize": `{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}},` +
		`"serverInfo":{"name":"peer","version":"1"}}`,
	"tools/list": `{"tools":[{"name":"getWorkspaceFolders","description":"Get all workspace folders","inputSchema":{"type":"object","properties":{}}}]}`,
	"tools/call": foldersResult,
}

const foldersResult = `{"content":[{"type":"text","text":"{\"success\":true,\"folders\":[]}"}]}`

// ErrInvalid means that a message is not what a peer can answer.
var ErrInvalid = errors.New("the message is no JSON-RPC")

var parsers fastjson.ParserPool

// Append appends the answer to a text message, or nothing to a notification. utf8Checked
// says that the library has made sure already that the text is valid UTF-8.
func Append(dst, text []byte, utf8Checked bool) ([]byte, error) {
	if !utf8Checked && !utf8.Valid(text) {
		return dst, ErrInvalid
	}
	parser := parsers.Get()
	defer parsers.Put(parser)
	message, err := parser.ParseBytes(text)
	if err != nil {
		return dst, ErrInvalid
	}
	id := message.Get("id")
	if id == nil {
		return dst, nil
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = id.MarshalTo(dst)
	dst = append(dst, `,"result":`...)
	result, known := results[string(message.GetStringBytes("method"))]
	switch {
	case !known:
		result = "{}"
	case result == foldersResult:
		result = called(message.Get("params"))
	}
	return append(append(dst, result...), '}'), nil
}

// Listen takes a free port of this machine and prints it as the program under test does.
func Listen() net.Listener {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		Fail(err)
	}
	Ready(listener.Addr())
	return listener
}

// Ready prints the port of an address.
func Ready(addr net.Addr) { ReadyAt(addr.(*net.TCPAddr).Port) }

// ReadyAt prints a port.
func ReadyAt(port int) { fmt.Printf("MCP server listening on port %d\n", port) }

// Fail ends the process with what went wrong.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
