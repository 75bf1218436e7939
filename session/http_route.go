// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import "claudecoded/codec"

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

// speaksBareHTTP is speaksHTTP for the start of a request whose lines end in bare LFs: it
// may have no other end.
func (s *Server) speaksBareHTTP(p []byte) bool {
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
