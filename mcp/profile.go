// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "time"

// profile is everything in which one kind of client differs from another. The
// engine asks the profile and never what the client is.
type profile struct {
	// methods are the requests and notifications served.
	methods map[string]method
	// greeting is the result of initialize, or what is the same in all of them.
	greeting func(name, version string) []byte
	// prefix is put before the registered names of tools.
	prefix string
	// serves says whether clients may call the tool; those with a schema are listed.
	serves func(t *Tool) bool
	// unknownTool is the error for a name that is not in the catalogue.
	unknownTool func(name string) *Error
	// appendResult appends a tool's JSON value as the result of tools/call. It
	// reports false if the value is no result.
	appendResult func(dst, value []byte) ([]byte, bool)
	// checked says that arguments are completed and checked against the tool's schema, and
	// results made fit for the client's revision.
	checked bool
	// appendFailure appends the result that says how a tool failed. It reports false if
	// that is to be a JSON-RPC error, as it always is if this is nil.
	appendFailure func(dst []byte, e *Error) ([]byte, bool)
	// status is the HTTP status of a JSON-RPC error; nil means 200.
	status func(code int) int
	// rules are the tools that are not served like the others, by registered name.
	rules map[string]rule
	// deadline is how long a caller waits for a tool with no rule about it.
	deadline time.Duration
	// maxMessage is how many bytes a message to the client may have.
	maxMessage int
	// nullID says that an error without a known id carries "id": null; otherwise
	// it carries none.
	nullID bool
}

// method serves one request or notification. m.id is nil in a notification.
type method func(s *Server, c *client, m *message)

// rule is how a tool differs from the others. Nil members are the rule of all.
type rule struct {
	// deadline is how long its callers wait, given the arguments; never for ever.
	deadline func(arguments []byte) time.Duration
	// atStop is the result a pending call gets when the server stops.
	atStop func(arguments []byte) []byte
	// turn hears what a call says of files that its client changes.
	turn func(s *Server, c *call, arguments []byte)
}

// never as a deadline is none.
const never time.Duration = -1

// profiles are all there are.
var profiles = []*profile{&ide, &stateful, &stateless}

// wait is how long a call of t may take: the tool's own timeout, else the
// rule's for these arguments, else the profile's.
func (p *profile) wait(t *Tool, arguments []byte) time.Duration {
	if t.Timeout != 0 {
		return t.Timeout
	}
	if r := p.rules[t.Name]; r.deadline != nil {
		return r.deadline(arguments)
	}
	return p.deadline
}
