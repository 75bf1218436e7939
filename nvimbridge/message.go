// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/neovim/go-client/msgpack"
	"github.com/neovim/go-client/msgpack/rpc"

	"claudecoded/mcp"
)

var (
	errNotMap = errors.New("the argument is not a map")
	errType   = errors.New("has the wrong type")
)

// message is a map that came from Neovim: a message's argument, or an answer. Its
// values are kept as JSON text, so what one key holds cannot spoil another, and
// what a tool returned is never built up as Go values. A nil message has no keys.
type message struct {
	fields map[string]field
	size   int
	err    error // it is not a map
}

// field is a value as JSON text or, if it was a string, the text itself.
type field struct {
	text   []byte
	string bool
	err    error // it has no JSON form
}

func (f field) json() []byte {
	if f.string {
		return appendQuoted(nil, f.text)
	}
	return f.text
}

// UnmarshalMsgPack reads a map and nothing else, on R. It fails only if the
// channel does: any other error would end the library's session.
func (m *message) UnmarshalMsgPack(d *msgpack.Decoder) error {
	switch {
	case d.Type() == msgpack.MapLen:
	case d.Type() == msgpack.ArrayLen && d.Len() == 0: // Lua's {}
		return nil
	default:
		m.err = errNotMap
		return d.Skip()
	}
	n := d.Len()
	m.fields = make(map[string]field, min(n, 16))
	for range n {
		if err := d.Unpack(); err != nil {
			return err
		}
		key, named := d.String(), isText(d.Type())
		if !named {
			if err := d.Skip(); err != nil {
				return err
			}
		}
		if err := d.Unpack(); err != nil {
			return err
		}
		f, err := readField(d, key)
		if err != nil {
			return err
		}
		m.size += len(key) + len(f.text)
		if named {
			m.fields[key] = f
		}
	}
	return nil
}

func isText(t msgpack.Type) bool { return t == msgpack.String || t == msgpack.Binary }

// bytes is the message's size for the gate.
func (m *message) bytes() int {
	if m == nil {
		return 0
	}
	return m.size
}

// has reports whether the key is there with a value other than nil.
func (m *message) has(key string) bool {
	if m == nil {
		return false
	}
	f, ok := m.fields[key]
	return ok && (f.string || f.err != nil || string(f.text) != "null")
}

// get stores the value of a key in what dst points to, as encoding/json does. It
// leaves dst alone if the key is absent or nil.
func (m *message) get(key string, dst any) error {
	if !m.has(key) {
		return nil
	}
	f := m.fields[key]
	if f.err != nil {
		return f.err
	}
	if s, ok := dst.(*string); ok && f.string {
		*s = string(f.text)
		return nil
	}
	if json.Unmarshal(f.json(), dst) != nil {
		return fmt.Errorf("%s %w", key, errType) // the decoder's own text quotes values
	}
	return nil
}

// want pairs a key with where its value goes.
type want struct {
	key string
	dst any
}

// read is get for several keys; the first fault counts.
func (m *message) read(wants ...want) error {
	if m != nil && m.err != nil {
		return m.err
	}
	for _, w := range wants {
		if err := m.get(w.key, w.dst); err != nil {
			return err
		}
	}
	return nil
}

func (m *message) isTrue(key string) bool {
	var yes bool
	return m.get(key, &yes) == nil && yes
}

// answerOutcome is how a call ended by Neovim's answer to it.
func answerOutcome(m *message, err error) mcp.Outcome {
	switch {
	case err != nil:
		return failed(fmt.Errorf("the plugin failed: %s", remoteText(err)))
	case !m.isTrue("done"):
		return mcp.Outcome{Err: &mcp.Error{Code: codeInternal, Message: "Internal error",
			Data: []byte(`"The plugin answered in an unexpected format"`)}}
	}
	return m.outcome()
}

// remoteText is the text of Neovim's errors, which come as {kind, text}.
func remoteText(err error) string {
	if remote, ok := errors.AsType[rpc.Error](err); ok {
		if pair, ok := remote.Value.([]any); ok && len(pair) == 2 {
			return fmt.Sprint(pair[1])
		}
	}
	return err.Error()
}

// codeInternal is JSON-RPC's internal error.
const codeInternal = -32603

// outcome reads result or error. Neither means that nothing was returned.
func (m *message) outcome() mcp.Outcome {
	switch {
	case m.has("error"):
		return mcp.Outcome{Err: toolError(m.fields["error"])}
	case !m.has("result"):
		return mcp.Outcome{Result: []byte("null")}
	case m.fields["result"].err != nil:
		return failed(m.fields["result"].err)
	}
	return mcp.Outcome{Result: m.fields["result"].json()}
}

// toolError reads a text, or code, message and data.
func toolError(f field) *mcp.Error {
	if f.string {
		return mcp.ToolError(string(f.text))
	}
	var e struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	if f.err != nil || json.Unmarshal(f.text, &e) != nil || e.Message == "" {
		return mcp.ToolError("the tool failed")
	}
	return &mcp.Error{Code: e.Code, Message: e.Message, Data: e.Data}
}
