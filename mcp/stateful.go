// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"net/http"
	"slices"
	"time"
)

const (
	// toolPrefix keeps our tools apart from those of a client's other servers.
	toolPrefix = "nvim_"
	// toolDeadline is how long a caller over HTTP waits for a tool that says nothing
	// about it.
	toolDeadline = 300 * time.Second
	// maxHTTPMessage is how many bytes the answers to one POST may have.
	maxHTTPMessage = 16 << 20
	// maxToolName is how long a tool's name may be, with its prefix.
	maxToolName = 128
)

// instructions are what a model is told of the server as a whole.
const instructions = "The tools of this server act inside the user's running Neovim: on its buffers as they are, " +
	"unsaved changes included, its language servers and its windows."

// stateful is MCP over HTTP in the revisions that have sessions, up to 2025-11-25.
var stateful = httpProfile(profile{
	methods: map[string]method{
		"initialize":                (*Server).negotiate,
		"notifications/initialized": (*Server).initialized,
		"notifications/cancelled":   (*Server).cancelled,
		"ping":                      fixed(`{}`),
		"tools/list":                (*Server).listPage,
		"tools/call":                (*Server).callTool,
	},
	greeting: func(name, version string) []byte {
		return append(append([]byte(`"serverInfo":`), serverInfo(name, version)...), capabilities...)
	},
	appendResult:  asItIs,
	appendFailure: appendToolFailure,
})

// capabilities end the results of initialize and server/discover.
var capabilities = appendQuoted([]byte(`,"capabilities":{"tools":{"listChanged":true}},"instructions":`), instructions)

func serverInfo(name, version string) []byte {
	b := appendQuoted([]byte(`{"name":`), name)
	return append(appendQuoted(append(b, `,"version":`...), version), '}')
}

// httpProfile is p with what all revisions have in common.
func httpProfile(p profile) profile {
	p.prefix = toolPrefix
	p.serves = func(t *Tool) bool { return !t.IDEOnly && len(toolPrefix)+len(t.Name) <= maxToolName }
	p.unknownTool = func(name string) *Error { return &Error{codeInvalidParams, "Unknown tool: " + name, nil} }
	p.rules = map[string]rule{"openDiff": {deadline: userDecides, atStop: diffRejected}}
	p.checked = true
	p.deadline = toolDeadline
	p.maxMessage = maxHTTPMessage
	return p
}

// postInitialize serves initialize, with which a session begins. A client that names one
// we do not have, after our restart for one, gets another.
func (s *Server) postInitialize(r HTTPRequest, w HTTPWriter, m *message, takes accepted) {
	x := s.newExchange(&stateful, w, takes, "")
	id, _ := r.Header(fieldSession)
	if known := s.sessions.find(id, s.clock.Now()); known != nil {
		x.join(known)
	}
	x.serve(m, nil)
	x.served()
}

// asItIs appends a result that Server.shape made.
func asItIs(dst, result []byte) ([]byte, bool) { return append(dst, result...), true }

// negotiate serves initialize: it agrees on a revision.
func (s *Server) negotiate(c *client, m *message) {
	agreed := negotiated(string(appendText(nil, m.at[slotProtocol], maxInfo)))
	c.speaks = agreed.name
	if x, ok := c.out.(*exchange); ok {
		s.begins(x, agreed)
	}
	name := &c.info.Name
	if c.session != nil {
		name = &c.session.says
	}
	keep(name, member(m.at[slotClientInfo], "name"))
	b := append(s.start(m.id, len(s.greetings[c.profile])+64), `{"protocolVersion":"`+agreed.name+`",`...)
	b = append(b, s.greetings[c.profile]...)
	s.end(c, m.id, append(b, "}}"...), nil)
}

// begins gives the exchange a session, unless it has one.
func (s *Server) begins(x *exchange, r *revision) {
	if x.session != nil {
		x.session.revision = r
	} else {
		begun, out := s.sessions.add(r, s.clock.Now())
		for _, gone := range out {
			s.endSession(gone)
		}
		x.join(begun)
	}
	x.header = []HeaderField{{fieldSession, x.session.id}}
}

func (s *Server) postStateful(r HTTPRequest, w HTTPWriter, m *message, takes accepted) {
	to := s.sessionOf(r, w)
	if to == nil {
		return
	}
	if m.id != nil && s.inFlight(to.flight(), m.id) {
		s.refuse(w, http.StatusBadRequest, nil, errIDInUse)
		return
	}
	x := s.newExchange(&stateful, w, takes, "")
	x.join(to)
	x.serve(m, nil)
	x.served()
}

// inFlight reports whether one of the calls was asked for under that id.
func (s *Server) inFlight(tokens []uint64, id []byte) bool {
	return slices.ContainsFunc(tokens, func(token uint64) bool { return bytes.Equal(s.calls[token].id, id) })
}

// postBatch serves an array of messages (JSON-RPC 2.0, section 6).
func (s *Server) postBatch(r HTTPRequest, w HTTPWriter, text []byte, takes accepted) {
	switch err := checkJSON(text); {
	case err == errBounds:
		s.refuse(w, http.StatusBadRequest, nil, errInvalidRequest)
		return
	case err != nil:
		s.refuse(w, http.StatusBadRequest, nil, errParse)
		return
	}
	if version, _ := r.Header(fieldVersion); isStateless(version) {
		s.refuse(w, http.StatusBadRequest, nil, errBatch)
		return
	}
	to := s.sessionOf(r, w)
	if to == nil {
		return
	}
	n := 0
	for range members(text) {
		n++
	}
	switch {
	case !to.revision.batches:
		s.refuse(w, http.StatusBadRequest, nil, errBatch)
		return
	case n == 0 || n > maxBatch:
		s.refuse(w, http.StatusBadRequest, nil, errBatchSize)
		return
	}
	x := s.newExchange(&stateful, w, takes, "")
	x.batch = true
	x.join(to)
	m := new(message)
	for _, element := range members(text) {
		x.serve(m, s.readElement(m, to, element))
	}
	x.served()
}

// readElement reads one message of a batch.
func (s *Server) readElement(m *message, in *session, text []byte) *Error {
	fault := m.readStrict(text)
	switch {
	case fault != nil:
	case string(m.method) == "initialize":
		fault = errNoInit
	case m.id != nil && s.inFlight(in.flight(), m.id):
		fault = errIDInUse
	}
	if fault != nil && m.id == nil {
		m.id = jsonNull
	}
	return fault
}

// listPage serves tools/list, which has one page.
func (s *Server) listPage(c *client, m *message) {
	if fault := cursor(m); fault != nil {
		s.fail(c, m.id, fault)
		return
	}
	s.reply(c, m.id, s.tools.list(c.dialect()))
}

// cursor is what is wrong with a cursor: we give none.
func cursor(m *message) *Error {
	if given := member(m.at[slotParams], "cursor"); given != nil && !isNull(given) {
		return invalidParams("params.cursor is not one of this server's")
	}
	return nil
}
