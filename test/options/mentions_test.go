// Copyright (c) 2026 the claudecoded authors. MIT license.

package options

import "fmt"

// leaves mentions f.txt with the clock stopped, and tells after how long it is sent and what the
// user is told by then.
func leaves(s *scene) string {
	s.Lua(nil, `
		vim.cmd("messages clear")
		local server, began = require("claudecode.server"), time
		server.broadcast = function(method) sent = sent or method == "at_mentioned" and time - began or nil end
		local log = require("claudecode.log")
		for _, level in ipairs({ "error", "warn" }) do
			log[level] = function(_, message) told = ("%s after %d ms"):format(message, time - began) end
		end
		vim.cmd("ClaudeCodeAdd f.txt")
		if not sent then advance(30000) end
	`)
	return fmt.Sprintf("sent after %s, told %s", s.value("sent"), s.value("told"))
}

// connected is leaves with a client that has just connected.
func connected(s *scene) string {
	s.StopClock()
	s.serve()
	return leaves(s)
}

var mentions = map[string]probe{
	"connection_wait_delay":        {more: []string{"0", "2000"}, see: connected},
	"queue_timeout":                {more: []string{"100"}, see: connected},
	"disable_broadcast_debouncing": {with: "{ connection_wait_delay = 0 }", alias: true, see: connected},
	"connection_timeout": {more: []string{"1", "20000"}, see: func(s *scene) string {
		s.StopClock()
		s.Command("ClaudeCodeStart")
		return leaves(s)
	}},
	"focus_after_send": {with: native, see: func(s *scene) string {
		s.serve()
		s.claude()
		s.Command("wincmd p")
		s.Command("ClaudeCodeAdd f.txt")
		return "in a buffer of type " + s.value("vim.bo.buftype")
	}},
}
