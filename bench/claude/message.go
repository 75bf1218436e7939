// Copyright (c) 2026 the claudecoded authors. MIT license.

package claude

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

const (
	// clientVersion is the version of the real client that this one copies.
	clientVersion = "2.1.332"
	// offeredProtocol is the MCP revision the real client offers.
	offeredProtocol = "2025-11-25"
)

// knownProtocols are the MCP revisions the real client accepts in the server's answer.
var knownProtocols = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// request is a JSON-RPC request or, without an id, a notification. The members are in
// the real client's order.
type request struct {
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
	JSONRPC string `json:"jsonrpc"`
	ID      *int64 `json:"id,omitempty"`
}

// incoming is any JSON-RPC message of the server.
type incoming struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *RPCError       `json:"error"`
}

// outgoing is an answer to a request of the server.
type outgoing struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *RPCError       `json:"error,omitempty"`
}

// RPCError is a JSON-RPC error object that a server answered.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *RPCError) Error() string {
	if len(e.Data) == 0 {
		return fmt.Sprintf("%s (%d)", e.Message, e.Code)
	}
	return fmt.Sprintf("%s (%d): %s", e.Message, e.Code, e.Data)
}

// Initialized is what the server answered to initialize.
type Initialized struct {
	ProtocolVersion string                     `json:"protocolVersion"`
	Capabilities    map[string]json.RawMessage `json:"capabilities"`
	ServerInfo      struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

// Tool is one entry of the server's list.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Result is what a tool call answered.
type Result struct {
	Content []Content `json:"content"`
	IsError bool      `json:"isError"`
}

// Content is one item of a Result.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Text returns the text of a result that is exactly one text item.
func (r Result) Text() (string, error) {
	if r.IsError || len(r.Content) != 1 || r.Content[0].Type != "text" {
		return "", wrong("the result is not one text item")
	}
	return r.Content[0].Text, nil
}

// Decode decodes the JSON in the one text item of a result.
func (r Result) Decode(value any) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return wrong("the text of the result: %v", err)
	}
	return nil
}

// initializeParams are the real client's, member by member.
func initializeParams() any {
	type object = map[string]any
	return struct {
		ProtocolVersion string `json:"protocolVersion"`
		Capabilities    object `json:"capabilities"`
		ClientInfo      object `json:"clientInfo"`
	}{
		offeredProtocol,
		object{
			"roots":       object{"listChanged": true},
			"elicitation": object{},
			"extensions":  object{"io.modelcontextprotocol/tasks": object{}},
		},
		object{
			"name":        "claude-code",
			"title":       "Claude Code",
			"version":     clientVersion,
			"description": "Anthropic's agentic coding tool",
			"websiteUrl":  "https://claude.com/claude-code",
		},
	}
}

// callParams are those of tools/call, which repeats the request's id as progress token.
func callParams(name string, arguments any, id int64) any {
	type meta struct {
		ProgressToken int64 `json:"progressToken"`
	}
	return struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
		Meta      meta   `json:"_meta"`
	}{name, arguments, meta{id}}
}

func (i Initialized) check() error {
	if !slices.Contains(knownProtocols, i.ProtocolVersion) {
		return wrong("the protocol version %q is unknown", i.ProtocolVersion)
	}
	if i.ServerInfo.Name == "" {
		return wrong("serverInfo has no name")
	}
	return nil
}

// checkTools refuses a list that a real client would drop: names repeat, or a schema is
// not that of an object.
func checkTools(tools []Tool) error {
	seen := map[string]bool{}
	for _, tool := range tools {
		var schema struct {
			Type string `json:"type"`
		}
		switch err := json.Unmarshal(tool.InputSchema, &schema); {
		case err != nil:
			return wrong("the schema of %q: %v", tool.Name, err)
		case schema.Type != "object":
			return wrong("the schema of %q is not an object's", tool.Name)
		case tool.Name == "" || seen[tool.Name]:
			return wrong("the name %q is empty or listed twice", tool.Name)
		}
		seen[tool.Name] = true
	}
	return nil
}

// marshal encodes a message of ours; "<" and "&" stay as they are, as in the real client.
func marshal(message any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(message); err != nil {
		return nil, fmt.Errorf("encoding a message: %w", err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}
