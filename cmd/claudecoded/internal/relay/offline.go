// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"encoding/json"
	"net/http"
	"net/textproto"
	"time"

	"claudecoded/mcp"
)

// without answers a request that no editor can answer. What a client asks to get to know the
// server is answered as by an editor that has no tools: a client that got an error would
// give the server up, and would not see the tools once there are some.
func (r *relay) without(m message, why error) []byte {
	switch m.method {
	case "initialize", "server/discover", "tools/list":
		if text := offline(r.cfg.Version, r.keeper.greeting(), m); text != nil {
			return explain(text, why)
		}
	}
	return m.failure(codeUnreachable, why.Error())
}

// offline is what the protocol answers without an editor.
func offline(version string, hello *message, m message) []byte {
	server := mcp.New(mcp.Config{Sink: nowhere{}, Editor: nowhere{}, Clock: nowhere{}, Version: version})
	var header map[string]string
	if m.stateless() {
		header = m.header()
	} else if hello != nil && m.method != "initialize" {
		var begun response
		server.ServeHTTP(post(*hello, nil), &begun)
		header = map[string]string{"Mcp-Session-Id": begun.session}
	}
	var answer response
	server.ServeHTTP(post(m, header), &answer)
	if answer.status != http.StatusOK {
		return nil
	}
	return answer.body
}

func post(m message, header map[string]string) mcp.HTTPRequest {
	fields := http.Header{}
	for name, value := range header {
		fields.Set(name, value)
	}
	fields.Set("Content-Type", "application/json")
	fields.Set("Accept", "application/json")
	return mcp.HTTPRequest{Method: http.MethodPost, Path: "/mcp", Body: m.text, Header: func(name string) (string, bool) {
		values := fields[textproto.CanonicalMIMEHeaderKey(name)]
		if len(values) == 0 {
			return "", false
		}
		return values[0], true
	}}
}

// explain puts why there are no tools where the model reads it, if the answer has such a
// place.
func explain(text []byte, why error) []byte {
	answer := readServed(text)
	result := answer.member("result")
	if result["instructions"] == nil {
		return text
	}
	result["instructions"] = quoted("This server has no tools now: " + why.Error() + ". They appear as soon as there is one.")
	answer["result"], _ = json.Marshal(result)
	text, _ = json.Marshal(answer)
	return text
}

// response takes what the protocol answers at once.
type response struct {
	status  int
	session string
	body    []byte
}

func (r *response) Respond(status int, header []mcp.HeaderField, body []byte) {
	r.status, r.body = status, body
	for _, field := range header {
		if field.Name == "Mcp-Session-Id" {
			r.session = field.Value
		}
	}
}

// Stream is for clients that take events.
func (r *response) Stream([]mcp.HeaderField) mcp.HTTPStream { panic("relay: a stream offline") }
func (r *response) OnClose(func())                          {}

// nowhere is where the protocol without an editor sends to: there are no calls, and nobody
// is connected.
type nowhere struct{}

func (nowhere) Send(uint64, []byte) bool               { return false }
func (nowhere) Give(uint64, []byte) bool               { return false }
func (nowhere) Broadcast([]byte, func(int)) bool       { return false }
func (nowhere) BroadcastLatest([]byte, func(int)) bool { return false }
func (nowhere) Call(mcp.Call)                          {}
func (nowhere) Cancel(uint64)                          {}
func (nowhere) Now() time.Time                         { return time.Now() }
func (nowhere) AfterFunc(time.Duration, func()) func() { return func() {} }
