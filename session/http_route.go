// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"slices"

	"claudecoded/codec"
)

// httpPaths are served as HTTP; true marks those that need no token.
var httpPaths = map[string]bool{
	"/":         false,
	"/mcp":      false,
	"/sse":      false,
	"/messages": false,
	"/health":   true,
}

// speaksHTTP tells what a request is: HTTP's, or else the WebSocket's, which answers for
// everything it is not, in its own words.
func (s *Server) speaksHTTP(h *codec.Head) bool {
	if s.cfg.HTTP == nil || h.Version != "HTTP/1.1" || h.WantsWebSocket() {
		return false
	}
	_, known := httpPaths[h.Path()]
	return known
}

// speaksBareHTTP is speaksHTTP for the start of a request whose lines end in bare LFs. It
// may have no other end, and is told before one is looked for: what p is must not depend on
// how much of it is there. n is where another end was found, or 0.
func (s *Server) speaksBareHTTP(p []byte, n int) bool {
	if n > 0 {
		p = p[:n]
	}
	h := codec.BareHead(p)
	return h != nil && s.speaksHTTP(h)
}

// admit checks who sends a request.
func (s *Server) admit(h *codec.Head, r *codec.Request) *codec.Refusal {
	if ref := codec.CheckOrigin(h, s.cfg.AllowedHosts); ref != nil {
		return ref
	}
	if httpPaths[r.Path] {
		return nil
	}
	return codec.CheckToken(r, s.cfg.Token)
}

// roomForHTTP reports whether there may be one more connection of HTTP. One whose client
// has not presented the token makes room, the oldest first: whoever has no token cannot
// keep those out who have.
func (s *Server) roomForHTTP() bool {
	if _, n := s.count(); n < s.cfg.MaxHTTP {
		return true
	}
	i := slices.IndexFunc(s.clients, func(c *client) bool { return c.http != nil && !c.http.known })
	if i < 0 {
		return false
	}
	s.clients[i].http.abort("made room")
	return true
}
