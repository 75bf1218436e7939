// Copyright (c) 2026 the claudecoded authors. MIT license.

package selection

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// answer is the JSON that a tool answers with.
func (s *scene) answer(tool string) string {
	s.t.Helper()
	result, err := s.peer.Call(stage.Within(s.t), tool, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := result.Text()
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func (s *scene) answers(tool, want string) {
	s.t.Helper()
	var got any
	if err := json.Unmarshal([]byte(s.answer(tool)), &got); err != nil {
		s.t.Fatal(err)
	}
	if text, _ := json.Marshal(got); string(text) != want {
		s.t.Errorf("%s answered\n%s, want\n%s", tool, text, want)
	}
}

// lists reports whether getOpenEditors has an entry with that key.
func (s *scene) lists(key string) bool {
	s.t.Helper()
	return strings.Contains(s.answer("getOpenEditors"), `"`+key+`":`)
}

// defaults are buffers, and what may leave of them.
var defaults = []struct{ name, option, want string }{
	{"main.go", "", "full"},
	{"keyboard.key.go", "", "full"},
	{"env", "", "full"},
	{"identity", "", "full"},
	{".env", "", "path"},
	{".env.production", "", "path"},
	{".ENVRC", "", "path"},
	{"server.pem", "", "path"},
	{"Server.KEY", "", "path"},
	{"id_rsa", "", "path"},
	{"id_ed25519.pub", "", "path"},
	{"vault.kdbx", "", "path"},
	{".netrc", "", "path"},
	{"sub/.env/file", "", "full"},
	{"link.txt", "", "path"},
	{"", "", "none"},
	{"scratch", "nofile", "none"},
	{"proposal", "acwrite", "none"},
	{"term://x//1:sh", "", "none"},
	{"fugitive://x", "", "none"},
	{"some.txt", "help", "full"},
	{"folder", "", "none"},
}

func TestFilter_HasDefaults(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		s := &scene{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
		s.Write(".env", "KEY=secret\n")
		if err := os.Symlink(".env", filepath.Join(s.Project, "link.txt")); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(s.Project, "folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, d := range defaults {
			var got string
			s.Lua(&got, `
				local name, option = ...
				local buf = vim.api.nvim_create_buf(true, false)
				vim.api.nvim_buf_set_name(buf, name)
				vim.bo[buf].buftype = option
				local level = require("claudecode.selection").filter_of(buf)
				vim.api.nvim_buf_delete(buf, { force = true })
				assert(require("claudecode.selection").filter_of(buf) == "none")
				return level
			`, d.name, d.option)
			if got != d.want {
				t.Errorf("%q %q: %s, want %s", d.name, d.option, got, d.want)
			}
		}
	})
}

func TestFilter_HoldsForEveryWayOut(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		for _, level := range []string{"path", "none", "full", "nonsense"} {
			s.filter(`return "` + level + `"`)
			s.keys("gg0")
			s.Advance(2000)
			s.told(s.peer)
			s.keys("viw")
			s.Advance(100)
			s.Lua(nil, `require("claudecode.selection").send_current_selection()`)
			s.keys("<Esc>")
			s.prompt()
			s.Advance(300)
			said := strings.Join(s.told(s.peer), "\n")
			all := said + s.answer("getLatestSelection") + s.answer("getCurrentSelection") + s.answer("getOpenEditors")
			var reports string
			s.Lua(&reports, `
				local selection = require("claudecode.selection")
				return vim.inspect({ selection.get_range_selection(1, 2), selection.get_visual_selection(),
					selection.get_cursor_position(), selection.get_latest_selection() })
			`)
			all += reports
			if level == "none" && reports != "{}" {
				t.Errorf("%s: %s", level, reports)
			}
			if leaks := strings.Contains(all, "hello"); leaks != (level == "full") {
				t.Errorf("%s: %v that text leaves: %s", level, leaks, all)
			}
			if knows := strings.Contains(said, "a.txt"); knows != (level == "full" || level == "path") {
				t.Errorf("%s: %v that the path leaves: %s", level, knows, said)
			}
			if ranged := strings.Contains(said, "0:0-0:5"); ranged != (level == "full" || level == "path") {
				t.Errorf("%s: %v that the range leaves: %s", level, ranged, said)
			}
		}
	})
}

func TestFilter_ASelectionIsOnlyThatOfItsFile(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.filter(`return vim.api.nvim_buf_get_name(buf):find("b.txt") and "none" or "full"`)
		s.keys("viw<Esc>")
		if !s.lists("selection") {
			t.Error("getOpenEditors tells of no selection")
		}
		s.Command("edit b.txt")
		if s.lists("selection") {
			t.Error("getOpenEditors tells of another file's selection")
		}
		s.Advance(1000)
		s.expect(`a.txt 0:0-0:5 "hello"`)
	})
}

func TestFilter_ThatFailsLetsNothingOutAndIsToldOnce(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.filter(`error("broken")`)
		for range 3 {
			s.keys("viw<Esc>j")
			s.Advance(2000)
		}
		s.expect()
		if n := strings.Count(s.Messages(), "selection_filter failed"); n != 1 {
			t.Errorf("told %d times: %s", n, s.Messages())
		}
	})
}

func TestFilter_ThatBecomesStricterHoldsForWhatWasRead(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.filter(`return "path"`)
		late := s.connect()
		s.Advance(500)
		s.expectAt(late, "a.txt 0:0-0:5")
	})
}

// search finds a text in whatever the modules of the selection keep.
const search = `
	collectgarbage()
	local seen = {}
	local function find(value, needle)
		if type(value) == "string" then
			return value:find(needle, 1, true) ~= nil
		elseif type(value) == "table" and not seen[value] then
			seen[value] = true
			for key, item in pairs(value) do
				if find(key, needle) or find(item, needle) then return true end
			end
		elseif type(value) == "function" and not seen[value] then
			seen[value] = true
			for i = 1, 60 do
				local name, item = debug.getupvalue(value, i)
				if not name then break end
				if find(item, needle) then return true end
			end
		end
		return false
	end
	local modules = {}
	for name, module in pairs(package.loaded) do
		if name:find("^claudecode") or name:find("^mcp%-tools") then table.insert(modules, module) end
	end
	return find(modules, ...)
`

func TestForget_AWipedBufferLeavesNoText(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.filter(`return "full"`)
		keeps := func() (keeps bool) {
			s.Lua(&keeps, search, "TREASURE")
			return keeps
		}
		for _, wipe := range []string{"bwipe!", "bdelete!", "setlocal bufhidden=wipe nomodified | edit a.txt"} {
			s.Advance(2000)
			s.Command("enew")
			s.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "TREA" .. "SURE" })`)
			s.keys("V<Esc>")
			if !keeps() {
				t.Fatal("the search finds nothing")
			}
			s.told(s.peer)
			s.Command(wipe)
			s.expect("nothing")
			if keeps() {
				t.Errorf("after %s the text is kept", wipe)
			}
			late := s.connect()
			s.Advance(500)
			for _, said := range s.told(late) {
				if strings.Contains(said, "TREASURE") {
					t.Errorf("after %s a new client is told %s", wipe, said)
				}
			}
			if answer := s.answer("getLatestSelection"); strings.Contains(answer, "TREASURE") {
				t.Errorf("after %s it is answered %s", wipe, answer)
			}
			s.told(s.peer)
		}
	})
}

func TestForget_AnUnloadedBufferLeavesNoText(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		s.expect(`a.txt 0:0-0:5 "hello"`)
		s.Command("edit b.txt | bunload a.txt")
		s.expect("a.txt 0:4")
		var keeps bool
		if s.Lua(&keeps, search, "hello"); keeps {
			t.Error("the text is kept")
		}
	})
}

func TestForget_TheLastClientsLeavingKeepsNoTextOfAWipedBuffer(t *testing.T) {
	each(t, func(t *testing.T, s *scene) {
		s.keys("viw<Esc>")
		if err := s.peer.Close(); err != nil {
			t.Fatal(err)
		}
		s.eventually(listeners + ` == 0`)
		s.Command("bwipe!")
		s.Command("edit b.txt")
		var keeps bool
		if s.Lua(&keeps, search, "hello"); keeps {
			t.Error("the text is kept")
		}
	})
}
