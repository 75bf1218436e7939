// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"net/http"
	"slices"
	"strconv"
)

// Error codes of 2026-07-28.
const (
	codeHeaderMismatch = -32020
	codeCapability     = -32021
	codeVersion        = -32022
)

// stateless is MCP over HTTP from 2026-07-28 on: each request stands alone.
var stateless = httpProfile(profile{
	methods: map[string]method{
		"server/discover":         (*Server).discover,
		"tools/list":              (*Server).listComplete,
		"tools/call":              (*Server).callTool,
		"notifications/cancelled": func(*Server, *client, *message) {}, // the response's end cancels
	},
	greeting: func(name, version string) []byte {
		return []byte(`{"resultType":"complete","_meta":{"` + metaServerInfo + `":` + string(serverInfo(name, version)) + `}`)
	},
	appendResult: func(dst, value []byte) ([]byte, bool) {
		return appendComplete(dst, value, asItIs)
	},
	appendFailure: func(dst []byte, e *Error) ([]byte, bool) {
		return appendComplete(dst, e, appendToolFailure)
	},
	status: func(code int) int {
		switch code {
		case codeMethodNotFound:
			return http.StatusNotFound
		case codeHeaderMismatch, codeCapability, codeVersion:
			return http.StatusBadRequest
		}
		return http.StatusOK
	},
})

// appendComplete appends the result that object makes of something, with the resultType that
// every result has.
func appendComplete[T any](dst []byte, of T, object func([]byte, T) ([]byte, bool)) ([]byte, bool) {
	from := len(dst)
	dst, ok := object(dst, of)
	if !ok || member(dst[from:], "resultType") != nil {
		return dst, ok
	}
	return slices.Insert(dst, from+1, []byte(`"resultType":"complete",`)...), true
}

// postStateless serves one message of a revision without sessions.
func (s *Server) postStateless(r HTTPRequest, w HTTPWriter, m *message, takes accepted) {
	switch {
	case m.response:
		s.refuse(w, http.StatusBadRequest, nil, errInvalidRequest)
		return
	case m.id == nil:
		w.Respond(http.StatusAccepted, nil, nil)
		return
	}
	if fault := checkClaim(r, m); fault != nil {
		s.refuse(w, http.StatusBadRequest, m.id, fault)
		return
	}
	if string(m.method) == "subscriptions/listen" {
		if takes.events {
			s.listen(w, m)
		} else {
			s.refuse(w, http.StatusNotAcceptable, m.id, errAcceptOnly)
		}
		return
	}
	if t := s.tools.find(&stateless, string(appendText(nil, m.at[slotName], maxMethod))); t != nil && string(m.method) == "tools/call" {
		if fault := checkMirrors(r, t.made.mirrors, m.at[slotArguments]); fault != nil {
			s.refuse(w, http.StatusBadRequest, m.id, fault)
			return
		}
	}
	x := s.newExchange(&stateless, w, takes, prefixStateless+strconv.FormatUint(r.Client, 10))
	keep(&x.info.Name, member(member(m.at[slotMeta], metaClientInfo), "name"))
	x.serve(m, nil)
	x.served()
}

// checkClaim says what is wrong with what a request says of itself, in its header and in
// its _meta, which must be the same (2026-07-28, "Protocol Version Header" and "Standard
// Headers").
func checkClaim(r HTTPRequest, m *message) *Error {
	claim := member(m.at[slotMeta], metaVersion)
	version, said := r.Header(fieldVersion)
	switch {
	case !isString(claim):
		return invalidParams("params._meta must have " + metaVersion)
	case !said || !isText(claim, version):
		return mismatch(fieldVersion)
	case version != revisionStateless:
		return unsupported(claim)
	case !isObject(member(m.at[slotMeta], metaCapabilities)):
		return invalidParams("params._meta must have " + metaCapabilities)
	}
	if method, _ := r.Header(fieldMethod); method != string(m.method) {
		return mismatch(fieldMethod)
	}
	if string(m.method) == "tools/call" && isString(m.at[slotName]) {
		if name, said := r.Header(fieldName); !said || !isText(m.at[slotName], decodeField(name)) {
			return mismatch(fieldName)
		}
	}
	return nil
}

func mismatch(field string) *Error {
	return &Error{codeHeaderMismatch, "Header mismatch", appendQuoted(nil, field+" is missing, or says another thing than the body")}
}

func unsupported(claim []byte) *Error {
	data := `{"supported":["` + revisionStateless + `"],"requested":` + string(claim) + `}`
	return &Error{codeVersion, "Unsupported protocol version", []byte(data)}
}

// decodeField is what a header's value means, which is encoded if it is not plain ASCII:
// =?base64?…?=.
func decodeField(value string) string {
	if text, ok := decodeStrict(value); ok {
		return text
	}
	return value
}

// discover serves server/discover.
func (s *Server) discover(c *client, m *message) {
	b := append(s.start(m.id, 1024), s.greetings[c.profile]...)
	b = append(append(b, capabilities...), fresh...)
	b = append(b, `,"supportedVersions":["`+revisionStateless+`"`...)
	for _, r := range revisions {
		b = append(append(append(b, `,"`...), r.name...), '"')
	}
	s.end(c, m.id, append(b, "]}}"...), nil)
}

// fresh is how long an answer stays true: the tools may change at any time. What they are
// is for nobody but the user.
const fresh = `,"ttlMs":0,"cacheScope":"private"`

// listComplete is listPage with what every result has.
func (s *Server) listComplete(c *client, m *message) {
	if fault := cursor(m); fault != nil {
		s.fail(c, m.id, fault)
		return
	}
	listing := s.tools.list(c.dialect())
	b := append(s.start(m.id, len(listing)+256), s.greetings[c.profile]...)
	b = append(append(b, fresh...), ',')
	s.end(c, m.id, append(append(b, listing[1:]...), '}'), nil)
}
