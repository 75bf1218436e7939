// Copyright (c) 2026 the claudecoded authors. MIT license.

package selection

import (
	"encoding/json"
	"slices"
	"testing"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestPush_ANewClientIsTold500msAfterItHasTheTools(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		other := s.connect()
		s.Advance(499)
		s.expectAt(other)
		s.Advance(1)
		s.expectAt(other, `a.txt 0:0-0:5 "hello"`)
		s.expect()
		if _, err := other.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Advance(2000)
		s.expectAt(other)
	})
}

func TestPush_TellsWhereTheUserIsOrCameFrom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, want string }{
		"the cursor":                      {`vim.cmd.normal("jl")`, "a.txt 1:1"},
		"an area":                         {`vim.api.nvim_feedkeys("Vj", "tx!", false)`, `a.txt 0:0-1:11 "hello wörld\nsecond line"`},
		"the window before the terminal":  {`vim.cmd.normal("jl") ` + terminal, "a.txt 1:1"},
		"the window before a scratch one": {`vim.cmd.normal("jl") vim.cmd("new")`, "a.txt 1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				s := open(t, nvim, nil, c.before)
				s.expect(c.want)
			})
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		nvimtest.Each(t, func(t *testing.T, nvim string) {
			s := open(t, nvim, nil, `vim.cmd("enew")`)
			s.expect()
			s.Lua(nil, `require("claudecode.selection").on_prompt("client_1")`)
			s.Advance(2000)
			s.expect()
		})
	})
}

func TestPush_AReconnectKeepsWhatIsHeldUnlessItChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ act, want string }{
		"unchanged":             {``, `a.txt 0:0-0:5 "hello"`},
		"the text changed":      {`vim.api.nvim_buf_set_text(0, 0, 0, 0, 1, { "J" })`, "a.txt 0:4"},
		"the cursor left":       {`vim.api.nvim_win_set_cursor(0, { 2, 0 })`, "a.txt 1:0"},
		"its buffer is gone":    {`vim.cmd("edit b.txt | bwipe! a.txt")`, "b.txt 0:0"},
		"its buffer was reused": {`vim.cmd("edit! b.txt")`, "b.txt 0:0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				s := quiet(t, nvim)
				s.keys("viw<Esc>")
				s.expect(`a.txt 0:0-0:5 "hello"`)
				if err := s.peer.Close(); err != nil {
					t.Fatal(err)
				}
				s.eventually(`not require("claudecode").is_claude_connected()`)
				s.Lua(nil, c.act)
				s.keys("") // what comes of it is over
				again := s.connect()
				s.Advance(500)
				s.expectAt(again, c.want)
			})
		})
	}
}

func TestPush_AnAreaThatEndedWhileNobodyListenedIsNotToldAgain(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw")
		s.Advance(100)
		s.expect(`a.txt 0:0-0:5 "hello"`)
		if err := s.peer.Close(); err != nil {
			t.Fatal(err)
		}
		s.eventually(listeners + ` == 0`)
		s.keys("<Esc>")
		s.Lua(nil, terminal)
		again := s.connect()
		s.Advance(500)
		s.expectAt(again, "a.txt 0:4")
	})
}

func TestPush_GoesByTheRealClock(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		s := &scene{Editor: stage.Open(t, stage.Options{Nvim: nvim, UI: true}), peer: &peer{}, t: t}
		s.Write("a.txt", text)
		s.Command("edit a.txt")
		s.Command("ClaudeCodeStart")
		lock := stage.Find(t, s.Env)
		client, err := claude.Dial(stage.Within(t), lock.Port, lock.AuthToken, claude.Options{
			Notification: func(method string, params json.RawMessage) { s.hear(s.Project, method, params) },
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		if _, _, err := client.Start(stage.Within(t)); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct{ keys, want string }{
			{"", "a.txt 0:0"},
			{"viw<Esc>", `a.txt 0:0-0:5 "hello"`},
			{"j", "a.txt 1:4"},
			{"V", `a.txt 1:0-1:11 "second line"`},
		} {
			if _, err := s.Input(step.keys); err != nil {
				t.Fatal(err)
			}
			nvimtest.Eventually(t, "the client was told "+step.want, func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return slices.Contains(s.said, step.want)
			})
		}
	})
}

// prompt is what a client does when the user submits one.
func (s *scene) prompt() {
	s.t.Helper()
	s.Lua(nil, `require("claudecode.selection").on_prompt("client_1")`)
}

func TestPrompt_UsesUpWhatWasReleased(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		other := s.connect()
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.Advance(2000)
		s.told(other)
		s.prompt()
		s.Advance(299)
		s.expect()
		s.Advance(1)
		s.expect("a.txt 0:4")
		for range 3 {
			s.prompt()
			s.Advance(300)
			s.expect("a.txt 0:4")
		}
		s.expectAt(other)
		// It is gone for whoever comes later, too, and can be selected again.
		late := s.connect()
		s.Advance(500)
		s.expectAt(late, "a.txt 0:4")
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
	})
}

func TestPrompt_LeavesTheFileWhileTheUserIsInTheTerminal(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("jviw<Esc>")
		s.expect(`a.txt 1:0-1:6 "second"`)
		s.Lua(nil, terminal)
		s.prompt()
		s.Advance(300)
		s.expect("a.txt 1:5")
		s.Advance(2000)
		s.expect()
	})
}

func TestPrompt_TellsAgainOfAnAreaThatIsStillOnTheScreen(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		other := s.connect()
		s.Advance(500)
		s.keys("viw")
		s.Advance(100)
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.told(other)
		for range 3 {
			s.prompt()
			s.Advance(300)
			s.expect(`a.txt 0:0-0:5 "hello"`)
		}
		s.expectAt(other)
		s.keys("<Esc>")
		s.prompt()
		s.Advance(300)
		s.expect("a.txt 0:4")
	})
}

func TestPrompt_KeepsWhatWasSelectedAfterIt(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.prompt()
		s.Advance(100)
		s.keys("j")
		s.expect("a.txt 1:4")
		s.keys("viw<Esc>")
		s.expect(`a.txt 1:0-1:6 "second"`)
		s.Advance(200)
		s.expect(`a.txt 1:0-1:6 "second"`)
	})
}
