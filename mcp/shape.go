// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "fmt"

// smallResult is how many bytes a result may have that is made fit on the loop; with an
// output schema none is.
const smallResult = 64 << 10

// Finish ends a call with what came of it. It is ignored if the call ended
// already: it was cancelled, its deadline passed or its client left. Loop
// goroutine; the outcome's bytes belong to the server from now on.
func (s *Server) Finish(token uint64, out Outcome) {
	c := s.calls[token]
	if c == nil {
		return
	}
	if out.Err != nil {
		s.change(token, event{kind: finished, outcome: out})
		return
	}
	s.shape(c, out.Result)
}

// shape ends a call with the result that its client can read, or with an error that says
// to the tool's author what is wrong with it.
func (s *Server) shape(c *call, value []byte) {
	if !c.client.profile.checked {
		s.shaped(c, value, checkContent(member(value, "content")))
		return
	}
	m := &maker{tool: c.of, revision: c.client.speaks, limit: c.of.shown()}
	if m.limit > 0 && len(value) > m.limit {
		m.id = s.rests.newID()
	}
	var result []byte
	var err error
	check := func(visits int) error {
		result, err = m.make(value, visits)
		return err
	}
	then := func() {
		if s.calls[c.token] == nil {
			return
		}
		s.rests.keep(m.id, m.whole, m.limit, c)
		s.shaped(c, result, err)
	}
	if c.of.made.returns == nil && len(value) <= smallResult {
		_ = check(0)
		then()
	} else if !s.aside.measured(len(value), check, then) {
		s.shaped(c, nil, errChecks)
	}
}

func (s *Server) shaped(c *call, result []byte, err error) {
	out := Outcome{Result: result}
	if err != nil {
		out = Outcome{Err: ToolError(fmt.Sprintf("%s returned what no client can read: %v", c.tool, err))}
	}
	s.change(c.token, event{kind: finished, outcome: out})
}

// maker makes one result. It is used by one goroutine after the other.
type maker struct {
	tool     *Tool
	revision string
	// limit is how many bytes of text are shown, if it is not 0; then id names what is
	// kept, and whole is that.
	limit int
	id    string
	whole []byte
}

func (m *maker) make(value []byte, visits int) (result []byte, err error) {
	defer contain(&err)
	r, err := m.tool.readResult(value)
	if err == nil {
		err = m.tool.fit(&r, m.revision, visits)
	}
	if err != nil {
		return nil, err
	}
	if m.id != "" && r.structured == nil {
		r.content = m.cut(r.content)
	}
	return r.append(make([]byte, 0, len(r.content)+len(r.structured)+64)), nil
}
