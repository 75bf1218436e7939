// Copyright (c) 2026 the claudecoded authors. MIT license.

package options

import (
	"os/exec"

	"claudecoded/test/stage"
)

// work has a client change f.txt, and then a command g.txt, in a git work tree.
func (s *scene) work() {
	s.t.Helper()
	s.Write("g.txt", "one\n")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = s.Project, s.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	client, _ := s.serve()
	if _, err := client.Call(stage.Within(s.t), "closeAllDiffTabs", map[string]any{}); err != nil {
		s.t.Fatal(err)
	}
	stage.Diagnostics(s.t, client, map[string]any{"uri": "file://" + s.Project + "/f.txt"})
	s.Write("f.txt", "one\n2\n")
	stage.Diagnostics(s.t, client, map[string]any{})
	s.Write("g.txt", "1\n")
	s.until(`require("claudecode").statusline():find("changed")`)
}

var did = map[string]probe{
	"review.git": {see: func(s *scene) string {
		s.work()
		s.Lua(nil, `require("claudecode.turns.find").nth(1, function(turn)
			changed = vim.tbl_map(function(file) return vim.fs.basename(file.path) end, turn.files)
		end)`)
		s.until("changed")
		return s.value("changed")
	}},
	"review.signs": {see: func(s *scene) string {
		s.work()
		if s.value(`package.loaded["claudecode.turns.signs"] == nil`) == "true" {
			return "none"
		}
		const signs = `vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("claudecode.turns.signs"), 0, -1, {})`
		s.until(`#` + signs + ` > 0`)
		return s.value(signs)
	}},
}
