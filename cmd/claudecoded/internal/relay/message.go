// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// JSON-RPC 2.0, section 5.1, and the one of its server errors that is ours.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnreachable    = -32000
)

// The members of _meta by which a request of 2026-07-28 stands alone.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
)

var (
	errParse   = errors.New("Parse error")
	errInvalid = errors.New("Invalid Request")
)

// message is one message of the client, or a batch of them.
type message struct {
	text []byte
	// ids are those of the requests in it, as the bytes they came in.
	ids []json.RawMessage
	// method is empty for an answer and for a batch.
	method string
	params params
	batch  bool
}

type params struct {
	name   string
	target json.RawMessage // requestId
	// version is the revision that the message claims; empty up to 2025-11-25.
	version string
	// listens says that a subscription asks for changes of the tools.
	listens bool
}

// readMessage reads a line. What it returns holds on to text.
func readMessage(text []byte) (message, error) {
	text = bytes.TrimSpace(text)
	m := message{text: text}
	if !json.Valid(text) {
		return m, errParse
	}
	if text[0] == '[' {
		return readBatch(m)
	}
	o := readObject(text)
	m.method = o.text("method")
	if id, ok := o["id"]; ok && m.method != "" {
		m.ids = []json.RawMessage{id}
	}
	p := o.member("params")
	m.params = params{
		name:    p.text("name"),
		target:  p["requestId"],
		version: p.member("_meta").text(metaVersion),
		listens: string(p.member("notifications")["toolsListChanged"]) == "true",
	}
	if m.method == "" && o["result"] == nil && o["error"] == nil {
		return m, errInvalid
	}
	return m, nil
}

// readBatch reads an array, which revision 2025-03-26 has. Its messages go together.
func readBatch(m message) (message, error) {
	m.batch = true
	var elements []json.RawMessage
	_ = json.Unmarshal(m.text, &elements)
	for _, element := range elements {
		if o := readObject(element); o["id"] != nil && o["method"] != nil {
			m.ids = append(m.ids, o["id"])
		}
	}
	return m, nil
}

// request reports whether somebody waits for an answer.
func (m message) request() bool { return len(m.ids) > 0 }

// stateless reports whether the message is of a revision without sessions.
func (m message) stateless() bool { return m.params.version != "" }

// harmless reports whether the message may be sent again when nobody knows whether it was
// served: only tools do something.
func (m message) harmless() bool { return !m.batch && m.method != "tools/call" }

// header is the one that mirrors a message of 2026-07-28 ("Standard Headers").
func (m message) header() map[string]string {
	h := map[string]string{"MCP-Protocol-Version": m.params.version, "Mcp-Method": m.method}
	if m.params.name != "" {
		h["Mcp-Name"] = fieldValue(m.params.name)
	}
	return h
}

// fieldValue is text as the value of a header field, encoded unless it is plain ASCII
// that no one would trim.
func fieldValue(text string) string {
	plain := strings.TrimSpace(text) == text && !strings.HasPrefix(text, "=?")
	for i := range len(text) {
		plain = plain && text[i] >= ' ' && text[i] <= '~'
	}
	if plain {
		return text
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}

// failure is the answer to the message that it failed, nil if none is due.
func (m message) failure(code int, why string) []byte {
	detail, _ := json.Marshal(object{"code": number(code), "message": quoted(why)})
	return m.answers(`"error":` + string(detail))
}

// answers is the same answer to each request in the message.
func (m message) answers(member string) []byte {
	all := make([]string, len(m.ids))
	for i, id := range m.ids {
		all[i] = `{"jsonrpc":"2.0","id":` + string(id) + `,` + member + `}`
	}
	switch {
	case len(all) == 0:
		return nil
	case m.batch:
		return []byte("[" + strings.Join(all, ",") + "]")
	}
	return []byte(all[0])
}

// fault is the answer to what is no message, which has no id that could be trusted.
func fault(code int, why string) []byte {
	detail, _ := json.Marshal(object{"code": number(code), "message": quoted(why)})
	return []byte(`{"jsonrpc":"2.0","error":` + string(detail) + `}`)
}

func number(n int) json.RawMessage {
	b, _ := json.Marshal(n)
	return b
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

// oneLine makes a line of a JSON text: a line's end stands nowhere in it but between
// values.
func oneLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if bytes.ContainsAny(text, "\r\n") {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
	}
	return text
}

// readServed reads what a server said, which need not be JSON.
func readServed(text []byte) object {
	if !json.Valid(text) {
		return nil
	}
	return readObject(text)
}

// rest is the message without the requests that a message of the server answers, and
// whether there were any.
func (m message) rest(text []byte) (message, bool) {
	text = bytes.TrimSpace(text)
	if m.batch && len(text) > 0 && text[0] == '[' { // all of them
		m.ids = nil
		return m, true
	}
	o := readServed(text)
	i := slices.IndexFunc(m.ids, func(id json.RawMessage) bool { return o["method"] == nil && bytes.Equal(id, o["id"]) })
	if i < 0 {
		return m, false
	}
	m.ids = slices.Delete(slices.Clone(m.ids), i, i+1)
	return m, true
}
