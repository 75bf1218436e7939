// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"slices"
	"strconv"
)

// maxInfo is how many bytes of a client's name or version are kept.
const maxInfo = 256

// fixed serves a method whose result is always the same.
func fixed(result string) method {
	text := []byte(result)
	return func(s *Server, c *client, m *message) { s.reply(c, m.id, text) }
}

func (s *Server) initialize(c *client, m *message) {
	info := m.at[slotClientInfo]
	keep(&c.info.Name, member(info, "name"))
	keep(&c.info.Version, member(info, "version"))
	keep(&c.info.Protocol, m.at[slotProtocol])
	s.reply(c, m.id, s.greetings[c.profile])
}

// keep stores what a JSON string means. It allocates only if that is news.
func keep(dst *string, quoted []byte) {
	var buf [maxInfo]byte
	if text := appendText(buf[:0], quoted, maxInfo); isString(quoted) && *dst != string(text) {
		*dst = string(text)
	}
}

func (s *Server) initialized(c *client, m *message) {
	c.info.Initialized = true
	s.reply(c, m.id, emptyObject)
}

func (s *Server) ideConnected(c *client, m *message) {
	if pid, err := strconv.ParseInt(string(m.at[slotPID]), 10, 32); err == nil && pid > 0 {
		c.info.PID = int(pid)
	}
	s.reply(c, m.id, emptyObject)
}

// cancelled ends the calls with that id which the client may cancel. The id is compared as JSON
// text, which tells 1 from "1".
func (s *Server) cancelled(c *client, m *message) {
	for _, token := range slices.Clone(c.flight()) {
		call := s.calls[token]
		if call != nil && call.id != nil && bytes.Equal(call.id, m.at[slotRequestID]) {
			s.change(token, event{kind: callCancelled})
		}
	}
	s.reply(c, m.id, emptyObject)
}

func (s *Server) listTools(c *client, m *message) {
	s.reply(c, m.id, s.tools.list(c.dialect()))
	if !c.listed {
		c.listed = true
		s.ready(c.id)
	}
}

var emptyObject = []byte("{}")
