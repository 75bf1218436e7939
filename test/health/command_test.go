// Copyright (c) 2026 the claudecoded authors. MIT license.

package health

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestHealth_ReadsTheCommandAsTheTerminalDoes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := stage.Open(t, stage.Options{Nvim: nvim})
		for command, want := range map[string]string{
			"":                            "claude",
			"claude --continue":           "claude",
			`"/opt/my claude/x" --a`:      "/opt/my claude/x",
			`A=b C="d e" /opt/x`:          "/opt/x",
			`env A=b '/opt/it''s here/x'`: "/opt/its here/x",
		} {
			var got string
			e.Lua(&got, `return require("claudecode.health.claude").command({ terminal_cmd = (...) })`, command)
			if got != want {
				t.Errorf("%s: %q, not %q", command, got, want)
			}
		}
	})
}
