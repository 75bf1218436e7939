// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"slices"

	"claudecoded/codec"
)

var errOff = &codec.Refusal{Status: 503, Reason: "Not served at the moment"}

// Admit says whether WebSocket clients are served, as they are from the start. If not, those
// that are connected or being upgraded are closed with 1001, and who comes is refused with
// 503. HTTP is served all the same.
func (s *Server) Admit(on bool) {
	if s.refusing = !on; on {
		return
	}
	for _, c := range slices.Clone(s.clients) {
		if c.upgraded {
			c.sendAway(1001, "Not served any more")
		}
	}
}

// sendAway closes an upgraded connection, which has left at once.
func (c *client) sendAway(code int, reason string) {
	c.closeWith(code, reason)
	c.leave(code, reason)
}
