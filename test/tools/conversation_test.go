// Copyright (c) 2026 the claudecoded authors. MIT license.

package tools

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

var update = flag.Bool("update", false, "rewrite what was answered in testdata/*.txtar")

// TestConversations replays testdata/*.txtar, each in an editor of its own for every way in
// and every Neovim, all of which must go the same way. The section conversation is what
// happens, one line each; the other sections are files of the project:
//
//	lua CODE           runs in the editor
//	keys KEYS          are typed, <> as in mappings
//	call TOOL JSON     a client calls; $P in it is the project's folder, $H the home
//
// Lines that begin with a blank were answered: how the editor was, the reply, how the editor
// is then; -update writes them anew.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				rewrite(t, file, archive)
			}
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				for name, way := range doors {
					t.Run(name, func(t *testing.T) {
						want, got := replay(t, archive, nvim, way)
						if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
							t.Errorf("the conversation went another way (-want +got):\n%s", diff)
						}
					})
				}
			})
		})
	}
}

// rewrite takes what the first Neovim answers in Lua.
func rewrite(t *testing.T, file string, archive *txtar.Archive) {
	t.Helper()
	_, got := replay(t, archive, nvimtest.Versions(t)[0], doors["lua"])
	for i := range archive.Files {
		if archive.Files[i].Name == "conversation" {
			archive.Files[i].Data = []byte(got)
		}
	}
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func replay(t *testing.T, archive *txtar.Archive, nvim string, way func(*stage.Editor) door) (want, got string) {
	e := stage.Open(t, stage.Options{Nvim: nvim})
	for _, file := range archive.Files {
		if file.Name == "conversation" {
			want = string(file.Data)
			continue
		}
		path := filepath.Join(e.Project, file.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &scene{t: t, e: e, call: way(e)}
	for line := range strings.Lines(want) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, " ") {
			s.lines = append(s.lines, line)
			s.play(line)
		}
	}
	return want, strings.Join(s.lines, "\n") + "\n"
}

// scene is an editor in a conversation, and the conversation so far.
type scene struct {
	t     *testing.T
	e     *stage.Editor
	call  door
	lines []string
}

func (s *scene) play(line string) {
	s.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	folders := strings.NewReplacer("$P", s.e.Project, "$H", nvimtest.Lookup(s.e.Env, "HOME"))
	switch verb {
	case "", "#":
	case "lua":
		s.e.Lua(nil, rest)
	case "keys":
		s.e.Lua(nil, `vim.api.nvim_feedkeys(vim.keycode(...), "tx!", false)`, rest)
	case "call":
		tool, arguments, _ := strings.Cut(rest, " ")
		before := s.state()
		result, failure := s.call(s.t, tool, json.RawMessage(folders.Replace(arguments)))
		s.note("before", before)
		s.note("reply", reply(s.t, result, failure))
		after := s.state()
		if after == before {
			after = "as before"
		}
		s.note("after", after)
	default:
		s.t.Fatalf("no such verb: %s", line)
	}
}

// processID is what differs in a terminal's name from one run to the next.
var processID = regexp.MustCompile(`\b\d+:cat`)

func (s *scene) note(what, text string) {
	text = strings.ReplaceAll(text, s.e.Project, "$P")
	text = strings.ReplaceAll(text, nvimtest.Lookup(s.e.Env, "HOME"), "$H")
	s.lines = append(s.lines, "  "+what+": "+processID.ReplaceAllString(text, "PID:cat"))
}

// state is how the editor looks: its mode, the windows of each tab page with their buffers
// and cursors, and the buffers, + for changes that were not saved. * is where the user is.
func (s *scene) state() (state string) {
	s.t.Helper()
	s.e.Lua(&state, `
		local api = vim.api
		local function name(buf)
			local name = api.nvim_buf_get_name(buf)
			return (name == "" and "-" or vim.inspect(name):sub(2, -2)) .. (vim.bo[buf].modified and "+" or "")
		end
		local parts = { api.nvim_get_mode().mode }
		local v, dot = vim.fn.getpos("v"), vim.fn.getpos(".")
		if not vim.deep_equal(v, dot) then
			parts[1] = ("%s %d:%d-%d:%d"):format(parts[1], v[2], v[3], dot[2], dot[3])
		end
		for number, page in ipairs(api.nvim_list_tabpages()) do
			for _, win in ipairs(api.nvim_tabpage_list_wins(page)) do
				local cursor = api.nvim_win_get_cursor(win)
				table.insert(parts, ("%s%d %s %d:%d"):format(win == api.nvim_get_current_win() and "*" or "", number,
					name(api.nvim_win_get_buf(win)), cursor[1], cursor[2]))
			end
		end
		local listed = vim.tbl_filter(function(buf) return vim.bo[buf].buflisted end, api.nvim_list_bufs())
		table.insert(parts, "listed " .. table.concat(vim.tbl_map(name, listed), " "))
		return table.concat(parts, " | ")
	`)
	return state
}
