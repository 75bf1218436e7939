// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// fakeHTTP is one request's response, which writes down what is done with it.
type fakeHTTP struct {
	w    *world
	name string
	// begun and over say that the response began and that it is complete or lost.
	begun, over bool
	onClose     func()
	// then, if set, runs when the response is complete: a transport serves the next
	// request of the connection at once.
	then func()
	// said are the data of events and the body.
	said []string
	// status is that of the response, 0 before it.
	status int
}

func (f *fakeHTTP) begin() {
	if f.begun {
		f.w.t.Errorf("%s is answered twice", f.name)
	}
	f.begun = true
}

// note writes a line unless nobody is there to hear it.
func (f *fakeHTTP) note(format string, args ...any) bool {
	if !f.over {
		f.w.note(f.name+"< "+format, args...)
	}
	return !f.over
}

func (f *fakeHTTP) Respond(status int, header []HeaderField, body []byte) {
	f.begin()
	f.w.given = append(f.w.given, gift{body, string(body)})
	if slices.Contains(header, HeaderField{"Content-Type", typeJSON}) != json.Valid(body) {
		f.w.t.Errorf("%s: not JSON: %.300q", f.name, body)
	}
	f.status, f.said = status, append(f.said, string(body))
	f.note("%s", strings.TrimSpace(fmt.Sprintf("%d %s%s", status, fields(header), body)))
	f.complete()
}

func (f *fakeHTTP) complete() {
	f.over = true
	if then := f.then; then != nil {
		f.then = nil
		then()
	}
}

func fields(header []HeaderField) (text string) {
	for _, field := range header {
		if field.Name != "Content-Type" || field.Value != typeJSON {
			text += field.Name + ": " + field.Value + " "
		}
	}
	return text
}

func (f *fakeHTTP) Stream(header []HeaderField) HTTPStream {
	f.begin()
	f.status = http.StatusOK
	f.note("%s", strings.TrimSpace("stream "+fields(header)))
	return f
}

func (f *fakeHTTP) Event(name string, data []byte) bool {
	if name == eventEndpoint {
		return f.note("endpoint %s", data)
	}
	if name != eventMessage || !json.Valid(data) {
		f.w.t.Errorf("%s: event %s %.300q", f.name, name, data)
	}
	f.said = append(f.said, string(data))
	return f.note("event %s", data)
}

func (f *fakeHTTP) Comment() bool { return f.note("comment") }

func (f *fakeHTTP) End() {
	f.note("end")
	f.complete()
}

func (f *fakeHTTP) OnClose(h func()) { f.onClose = h }

// leave is the connection's end.
func (f *fakeHTTP) leave() {
	if f.over {
		return
	}
	f.over = true
	if f.onClose != nil {
		f.onClose()
	}
}

// shortFields are the names that conversations use for header fields.
var shortFields = map[string]string{
	"type": "content-type", "accept": "accept", "session": "mcp-session-id", "version": "mcp-protocol-version",
	"method": "mcp-method", "name": "mcp-name",
}

// http plays METHOD PATH [FIELD=VALUE]... [| BODY]: a request of the connection 7. POST
// has the fields of a client that takes both kinds of response, unless they are named;
// - as a value is none.
func (w *world) http(name, line string) error {
	line, body, _ := strings.Cut(line, " | ")
	words := strings.Fields(line)
	if len(words) < 2 {
		return fmt.Errorf("no method or path")
	}
	header := map[string]string{"accept": "application/json, text/event-stream"}
	if words[0] == http.MethodPost {
		header["content-type"] = "application/json"
	}
	for _, word := range words[2:] {
		short, value, _ := strings.Cut(word, "=")
		field, known := shortFields[short]
		switch {
		case !known:
			return fmt.Errorf("unknown field %s", short)
		case value == "-":
			delete(header, field)
		default:
			header[field] = value
		}
	}
	w.request(name, words[0], words[1], header, body)
	return nil
}

// request sends a request in a buffer that is overwritten afterwards, as a transport's is.
func (w *world) request(name, method, path string, header map[string]string, body string) *fakeHTTP {
	f := &fakeHTTP{w: w, name: name, then: w.then}
	w.then = nil
	path, query, _ := strings.Cut(path, "?")
	w.responses[name] = f
	buf := []byte(body)
	w.server.ServeHTTP(HTTPRequest{
		Method: method, Path: path, Query: query, Body: buf, Client: 7,
		Header: func(field string) (string, bool) {
			value, said := header[strings.ToLower(field)]
			return value, said
		},
	}, f)
	for i := range buf {
		buf[i] = '#'
	}
	return f
}

// post is request for a POST of a session, or of none, in a legacy revision.
func (w *world) post(session, body string) *fakeHTTP {
	header := map[string]string{"content-type": "application/json", "accept": "application/json, text/event-stream"}
	if session != "" {
		header["mcp-session-id"] = session
	}
	return w.request(fmt.Sprint("r", len(w.responses)), http.MethodPost, "/mcp", header, body)
}

// begin is an initialize: it returns the session's id.
func (w *world) begin(version string) string {
	before := w.server.sessions.count
	w.post("", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`"}}`)
	if all := w.server.sessions.all; w.server.sessions.count == before+1 {
		return all[len(all)-1].id
	}
	w.t.Fatal("no session began")
	return ""
}

// stateless is a POST of 2026-07-28 with what that demands.
func (w *world) postStateless(id, method, params string) *fakeHTTP {
	header := map[string]string{
		"content-type": "application/json", "accept": "application/json, text/event-stream",
		"mcp-protocol-version": revisionStateless, "mcp-method": method,
	}
	var named struct{ Name string }
	if json.Unmarshal([]byte("{"+params+"}"), &named) == nil && named.Name != "" {
		header["mcp-name"] = named.Name
	}
	if params != "" {
		params += ","
	}
	return w.request(fmt.Sprint("r", len(w.responses)), http.MethodPost, "/mcp", header,
		`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+params+statelessMeta+`}}`)
}

const statelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// httpWorld is a world with tools for HTTP.
func httpWorld(w *world, names ...string) *world {
	var tools []Tool
	for _, name := range names {
		tools = append(tools, Tool{Name: name, InputSchema: []byte(`{"type":"object"}`), ResultLimit: -1})
	}
	if left := w.server.SetCatalogue(tools); len(left) > 0 {
		w.t.Fatal(left)
	}
	return w
}
