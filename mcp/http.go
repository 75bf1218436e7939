// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"net/http"
	"unicode/utf8"
)

// The header fields of Streamable HTTP.
const (
	fieldSession = "Mcp-Session-Id"
	fieldVersion = "MCP-Protocol-Version"
	fieldMethod  = "Mcp-Method"
	fieldName    = "Mcp-Name"
)

// codeNoSession is the error of a session that is not, or no more.
const codeNoSession = -32001

var (
	errNoSession   = &Error{codeNoSession, "Session not found", nil}
	errSessionID   = badRequest(fieldSession + " is missing")
	errContentType = badRequest("Content-Type must be " + typeJSON)
	errAccept      = badRequest("Accept must allow " + typeJSON + " or " + typeEvents)
	errAcceptOnly  = badRequest("Accept must allow " + typeEvents)
	errNoPath      = badRequest("Nothing is served here")
	errVersion     = badRequest("This " + fieldVersion + " is not supported")
	errBatch       = badRequest("This revision of the protocol has no batches")
	errBatchSize   = badRequest("A batch has at least one message and not more than 256")
	errNoInit      = badRequest("initialize cannot be part of a batch")
	errIDInUse     = badRequest("Another request with this id is in flight")
)

func badRequest(detail string) *Error {
	return &Error{codeInvalidRequest, "Invalid Request", appendQuoted(nil, detail)}
}

// ServeHTTP serves one request of Streamable HTTP, in any revision of the protocol that
// has it, of HTTP with SSE as it was before, or of GET /health. Loop goroutine. The
// transport may serve the next request of a connection from within the call that completes
// the response to one: no request shares scratch, or an iterated table, with another.
func (s *Server) ServeHTTP(r HTTPRequest, w HTTPWriter) {
	serve := routes[route{r.Method, r.Path}]
	switch {
	case serve != nil:
		serve(s, r, w)
	case allowed[r.Path] != "":
		disallow(w, allowed[r.Path])
	default:
		s.refuse(w, http.StatusNotFound, nil, errNoPath)
	}
}

type route struct{ method, path string }

var routes = map[route]func(*Server, HTTPRequest, HTTPWriter){
	{"POST", "/mcp"}:   (*Server).post,
	{"GET", "/mcp"}:    (*Server).get,
	{"DELETE", "/mcp"}: (*Server).delete,
	{"POST", "/"}:      (*Server).post,
	{"GET", "/"}:       (*Server).get,
	{"DELETE", "/"}:    (*Server).delete,
	{"GET", pathPipe}:  (*Server).openPipe,
	{"POST", pathSay}:  (*Server).say,
	{"GET", "/health"}: (*Server).health,
}

// allowed is the Allow of each path (RFC 9110, 10.2.1).
var allowed = map[string]string{
	"/mcp": "GET, POST, DELETE", "/": "GET, POST, DELETE", pathPipe: "GET", pathSay: "POST", "/health": "GET",
}

// refuse answers with an error and its own status. id may be nil or null, and is then
// left out.
func (s *Server) refuse(w HTTPWriter, status int, id []byte, e *Error) {
	b := []byte(`{"jsonrpc":"2.0",`)
	if id != nil && !isNull(id) {
		b = append(append(append(b, `"id":`...), id...), ',')
	}
	b = append(e.append(append(b, `"error":`...)), '}')
	w.Respond(status, []HeaderField{{"Content-Type", typeJSON}}, b)
}

// disallow answers a method that the path does not have. Its body is no JSON-RPC error:
// a client that tries the transports in turn would take one for the answer of the right
// transport.
func disallow(w HTTPWriter, allow string) {
	header := []HeaderField{{"Allow", allow}, {"Content-Type", "text/plain"}}
	w.Respond(http.StatusMethodNotAllowed, header, []byte("Method Not Allowed\n"))
}

func (s *Server) post(r HTTPRequest, w HTTPWriter) {
	contentType, _ := r.Header("Content-Type")
	takes := readAccept(r.Header("Accept"))
	text := trimSpace(r.Body)
	switch {
	case !isJSON(contentType):
		s.refuse(w, http.StatusUnsupportedMediaType, nil, errContentType)
	case !takes.json && !takes.events:
		s.refuse(w, http.StatusNotAcceptable, nil, errAccept)
	case !utf8.Valid(text):
		s.refuse(w, http.StatusBadRequest, nil, errParse)
	case isArray(text):
		s.postBatch(r, w, text, takes)
	default:
		s.postMessage(r, w, text, takes)
	}
}

// postMessage serves one message in the era that it belongs to.
func (s *Server) postMessage(r HTTPRequest, w HTTPWriter, text []byte, takes accepted) {
	m := new(message)
	if fault := m.readStrict(text); fault != nil {
		s.refuse(w, http.StatusBadRequest, m.id, fault)
		return
	}
	version, _ := r.Header(fieldVersion)
	initializes := string(m.method) == "initialize" && m.id != nil
	switch claim := m.claim(); {
	case claim != nil || isStateless(version) && !initializes:
		s.postStateless(r, w, m, takes)
	case initializes:
		s.postInitialize(r, w, m, takes)
	default:
		s.postStateful(r, w, m, takes)
	}
}

// readStrict is read for a transport whose ids are strings or numbers only.
func (m *message) readStrict(text []byte) *Error {
	if fault := m.read(text); fault != nil {
		return fault
	}
	if id := m.at[slotID]; isNull(id) || string(id) == "false" {
		m.id = nil
		return errInvalidRequest
	}
	return nil
}

// get opens a session's stream.
func (s *Server) get(r HTTPRequest, w HTTPWriter) {
	if _, named := r.Header(fieldSession); !named {
		// Clients take 405 for a server without such a stream, and any other status for
		// a fault.
		disallow(w, "POST")
		return
	}
	to := s.sessionOf(r, w)
	switch {
	case to == nil:
	case !readAccept(r.Header("Accept")).events:
		s.refuse(w, http.StatusNotAcceptable, nil, errAcceptOnly)
	default:
		s.openFeed(to, w)
	}
}

func (s *Server) delete(r HTTPRequest, w HTTPWriter) {
	if gone := s.sessionOf(r, w); gone != nil {
		s.endSession(gone)
		w.Respond(http.StatusOK, nil, nil)
	}
}

// sessionOf is the session that a request belongs to. If there is none, the request is
// answered.
func (s *Server) sessionOf(r HTTPRequest, w HTTPWriter) *session {
	version, said := r.Header(fieldVersion)
	id, named := r.Header(fieldSession)
	found := s.sessions.find(id, s.clock.Now())
	switch {
	case isStateless(version) && r.Method != "POST":
		disallow(w, "POST")
	case said && findRevision(version) == nil:
		s.refuse(w, http.StatusBadRequest, nil, errVersion)
	case !named:
		s.refuse(w, http.StatusBadRequest, nil, errSessionID)
	case found == nil:
		s.refuse(w, http.StatusNotFound, nil, errNoSession)
	default:
		found.used = s.clock.Now()
		return found
	}
	return nil
}

// health says without secrets that the server runs, and how the editor is.
func (s *Server) health(_ HTTPRequest, w HTTPWriter) {
	state := s.state
	if state == "" {
		state = "ready"
	}
	b := append([]byte(`{"status":"ok","server":`), s.info...)
	b = append(appendQuoted(append(b, `,"editor":`...), state), '}')
	w.Respond(http.StatusOK, []HeaderField{{"Content-Type", typeJSON}}, b)
}
