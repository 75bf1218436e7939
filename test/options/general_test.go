// Copyright (c) 2026 the claudecoded authors. MIT license.

package options

import (
	"fmt"
	"strings"

	"claudecoded/test/stage"
)

// freePort is a range of one port that is free, and held as wire.FreePorts holds its.
const freePort = `(function()
	for port = 2000, 9999 do
		local listener = vim.uv.new_tcp()
		held = vim.uv.new_udp()
		local free = held:bind("127.0.0.1", port) and listener:bind("127.0.0.1", port)
			and listener:listen(1, function() end)
		listener:close()
		if free then
			return { min = port, max = port }
		end
		held:close()
	end
end)()`

var general = map[string]probe{
	"port_range": {more: []string{freePort}, see: func(s *scene) string {
		s.Command("ClaudeCodeStart")
		port := stage.Find(s.t, s.Env).Port
		return "the one port: " + s.value(fmt.Sprintf(`require("claudecode").state.config.port_range.max == %d`, port))
	}},
	"auto_start": {see: func(s *scene) string {
		return s.value(`require("claudecode.server").state.server == true`)
	}},
	"terminal_cmd":    {with: native, more: []string{`"other --flag"`}, see: (*scene).commandLine},
	"permission_mode": {with: native, more: []string{`"plan"`, `"default"`}, see: (*scene).commandLine},
	"env": {with: native, more: []string{`{ MY_OWN = "x" }`}, see: func(s *scene) string {
		return fmt.Sprint(strings.Contains(s.born(), "\nMY_OWN=x\n"))
	}},
	"log_level": {see: func(s *scene) string {
		s.Lua(nil, `vim.cmd("messages clear")
			for _, level in ipairs({ "error", "warn", "info", "debug", "trace" }) do
				require("claudecode.log")[level]("a test", "it is said")
			end`)
		s.turns()
		return s.Messages()
	}},
	"models": {more: []string{`{ { name = "One", value = "1" } }`}, see: func(s *scene) string {
		s.Lua(nil, `vim.ui.select = function(items, options) offered = vim.tbl_map(options.format_item, items) end`)
		s.Command("ClaudeCodeSelectModel")
		return s.value("offered")
	}},
	"track_selection": {see: func(s *scene) string {
		s.StopClock()
		s.serve()
		s.Advance(500)
		return fmt.Sprint(s.told("selection_changed"))
	}},
	"selection_filter": {
		more: []string{`function() return "path" end`, `function() return "none" end`},
		see: func(s *scene) string {
			client, _ := s.serve()
			s.keys("viw")
			result, err := client.Call(stage.Within(s.t), "getCurrentSelection", nil)
			if err != nil {
				s.t.Fatal(err)
			}
			text, err := result.Text()
			if err != nil {
				s.t.Fatal(err)
			}
			return strings.ReplaceAll(s.value(`vim.inspect(vim.json.decode([==[`+text+`]==])):gsub("%s+", " ")`), s.home, "~")
		},
	},
	"visual_demotion_delay_ms": {more: []string{"0", "700"}, see: func(s *scene) string {
		s.StopClock()
		s.serve()
		s.Advance(500)
		s.keys("ggviw<Esc>")
		s.Advance(2000)
		// The cursor leaves and nobody is told, until something else happens.
		s.keys("<Cmd>set eventignore=CursorMoved<CR>")
		s.keys("j")
		s.keys("<Cmd>set eventignore=<CR>")
		s.keys(":<Esc>")
		s.Lua(nil, `
			local server, began = require("claudecode.server"), time
			server.broadcast = function() after = after or time - began end
			advance(2000)`)
		return s.value("after")
	}},
}
