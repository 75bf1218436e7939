// Copyright (c) 2026 the claudecoded authors. MIT license.

package selection

import (
	"slices"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

func TestTold_TheCursor100msAfterTheLastEvent(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, keys := range []string{"j", "l", "l"} {
			s.keys(keys)
			s.Advance(99)
			s.expect()
		}
		s.Advance(1)
		s.expect("a.txt 1:2")
		s.keys("ixyz")
		s.Advance(99)
		s.expect()
		s.Advance(1)
		s.expect("a.txt 1:5")
	})
}

func TestTold_TheSameOnlyOnce(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw")
		s.Advance(100)
		s.expect(`a.txt 0:0-0:5 "hello"`)
		for _, keys := range []string{"oo", "<Esc>", "gv", "<Esc>", ":<Esc>"} {
			s.keys(keys)
			s.Advance(1000)
			s.expect()
		}
		// The same range with another text is news.
		s.keys("gv")
		s.Lua(nil, `vim.api.nvim_buf_set_text(0, 0, 0, 0, 1, { "J" })`)
		s.Advance(100)
		s.expect(`a.txt 0:0-0:5 "Jello"`)
	})
}

// A macro that selects and moves 200 times a second.
func TestTold_AtMostTenTimesASecond(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.Advance(2000)
		var times []int
		s.Lua(&times, `
			local server, times = require("claudecode.server"), {}
			local broadcast = server.broadcast
			server.broadcast = function(...)
				table.insert(times, time)
				return broadcast(...)
			end
			for i = 1, 1000 do
				vim.api.nvim_feedkeys(vim.keycode(i % 2 == 0 and "gg0vl<Esc>" or "jvll<Esc>"), "x", false)
				advance(5)
			end
			server.broadcast = broadcast
			return times
		`)
		if len(times) < 30 {
			t.Errorf("told %d times in five seconds", len(times))
		}
		for i, first := range times {
			within := slices.IndexFunc(times[i:], func(at int) bool { return at > first+1000 })
			if within > 10 {
				t.Errorf("told %d times in the second from %d", within, first)
			}
		}
		s.keys("gg0vlll<Esc>")
		s.Advance(1000)
		said := s.told(s.peer)
		if !slices.Equal(said[len(said)-1:], []string{`a.txt 0:0-0:4 "hell"`}) {
			t.Errorf("at last it is told %q", said)
		}
	})
}

// cost is how long the editor's thread is busy with a second of typing at 200 events, in
// milliseconds; far less than this is usual.
const cost = 100

func TestTold_ASecondOfTypingCostsLittle(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		var spent float64
		s.Lua(&spent, `
			local cursor, best = { 1, 0 }, math.huge
			for _ = 1, 5 do
				local began = os.clock()
				for i = 1, 200 do
					cursor[2] = i % 8
					vim.api.nvim_win_set_cursor(0, cursor)
					vim.api.nvim_exec_autocmds("CursorMovedI", {})
					advance(5)
				end
				best = math.min(best, (os.clock() - began) * 1000)
			end
			return best
		`)
		t.Logf("%.2f ms", spent)
		if spent > cost {
			t.Errorf("%.2f ms", spent)
		}
	})
}

// listeners counts what the editor runs when the user moves.
const listeners = `#vim.tbl_filter(function(autocmd)
	return autocmd.group_name == "ClaudeCodeSelection"
end, vim.api.nvim_get_autocmds({}))`

func TestTold_NothingIsDoneWhileNobodyListens(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		s := open(t, nvim, nil, `assert(`+listeners+` == 0)`)
		s.eventually(listeners + ` > 0`)
		s.expect("a.txt 0:0")
		s.keys("j")
		if err := s.peer.Close(); err != nil {
			t.Fatal(err)
		}
		s.eventually(listeners + ` == 0`)
		s.eventually(`vim.iter(timers):all(function(timer) return timer.callback == nil end)`)
		again := s.connect()
		s.Advance(500)
		s.expectAt(again, "a.txt 1:0")
		s.Command("ClaudeCodeStop")
		s.eventually(listeners + ` == 0`)
	})
}

func TestTold_NothingWithoutTracking(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		s := open(t, nvim, map[string]any{"track_selection": false}, "")
		s.keys("viw<Esc>")
		s.prompt()
		s.Advance(5000)
		s.keys("v")
		s.expect()
		s.eventually(listeners + ` == 0`)
		s.answers("getLatestSelection", `{"message":"No selection available","success":false}`)
		s.answers("getCurrentSelection", `{"filePath":"`+s.Project+`/a.txt","fileUrl":"file://`+s.Project+`/a.txt",`+
			`"selection":{"end":{"character":0,"line":0},"isEmpty":true,"start":{"character":0,"line":0}},"success":true,"text":""}`)
		if s.lists("selection") {
			t.Error("getOpenEditors tells of a selection")
		}
		var sent bool
		s.Lua(&sent, `return require("claudecode.selection").send_current_selection()`)
		if sent {
			t.Error("the selection was sent")
		}
		s.expect()
	})
}

func TestTold_LinesAreMentionedWithATextThatIsTracked(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for call, lines := range map[string]string{
			`viw<Cmd>lua require("claudecode.selection").send_at_mention_for_visual_selection()<CR>`:  `"lineEnd":0,"lineStart":0`,
			`<Cmd>lua require("claudecode.selection").send_at_mention_for_visual_selection(2, 4)<CR>`: `"lineEnd":3,"lineStart":1`,
		} {
			s.keys("<Esc>gg" + call)
			nvimtest.Eventually(t, "lines "+lines+" are mentioned", func() bool {
				s.Advance(100)
				s.mu.Lock()
				defer s.mu.Unlock()
				return slices.ContainsFunc(s.said, func(said string) bool {
					return strings.HasPrefix(said, "at_mentioned ") && strings.Contains(said, lines)
				})
			})
		}
	})
}

func TestTold_NothingOnceItIsDisabled(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.Lua(nil, `require("claudecode.selection").disable()`)
		s.keys("j")
		s.Advance(1000)
		s.expect()
		s.answers("getLatestSelection", `{"message":"No selection available","success":false}`)
		s.Lua(nil, `require("claudecode.selection").enable()`)
		s.keys("viw<Esc>")
		s.expect(`a.txt 1:0-1:6 "second"`)
		s.Lua(nil, `require("claudecode.selection").send_current_selection()`)
		s.expect(`a.txt 1:0-1:6 "second"`)
		s.keys("G")
		s.told(s.peer)
		s.keys("k")
		s.Lua(nil, `require("claudecode").setup({ auto_start = false, track_selection = false })`)
		s.Advance(1000)
		s.expect()
		s.keys("j")
		s.Advance(1000)
		s.expect()
		s.eventually(listeners + ` == 0`)
	})
}
