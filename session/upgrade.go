// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"time"

	"claudecoded/codec"
)

// probeField marks a request by which the editor tries its own server. It is answered
// as a client's would be, and the connection ends with a Close frame: nobody is told of
// it, and it is no upgrade that Upgrade would remember.
const probeField = "X-Claudecoded-Probe"

// UpgradeInfo describes how a connection's handshake ended.
type UpgradeInfo struct {
	Number   uint64 // the client's
	At       time.Time
	Accepted bool
	Reason   string // of a refusal; never what the client sent
}

// LastUpgrade is the last handshake that ended; its Number is 0 if there was none.
func (s *Server) LastUpgrade() UpgradeInfo { return s.lastUpgrade }

// note remembers how the handshake ended, unless it is a probe's.
func (c *client) note(accepted bool, reason string) {
	if !c.probe {
		c.s.lastUpgrade = UpgradeInfo{c.number, c.s.loop.Now(), accepted, reason}
	}
}

// answerProbe accepts a probe and says goodbye.
func (c *client) answerProbe(u codec.Upgrade) {
	c.state = closing
	c.held = nil
	reply := codec.AppendUpgradeReply(nil, u)
	c.conn.Write([][]byte{codec.AppendClose(reply, 1000, "probe")}, func(error) {
		c.release()
		c.leave(1000, "probe")
	})
}
