// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package selection tests what Claude is told of the selection, and when: keys are typed
// into a real Neovim with a user interface, a client reads the wire, and the clock of the
// tracking stands still unless the test moves it.
package selection

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// rig is Lua with a key that counts how often it was typed.
const rig = `
	fed = 0
	vim.keymap.set({ "n", "x", "s", "o", "i", "c", "t" }, "<F12>", "<Cmd>lua fed = fed + 1<CR>")
`

// text is the file that most tests begin in.
const text = "hello wörld\nsecond line\n\nlast\n"

// scene is an editor with a.txt, and a client that was told where its cursor is.
type scene struct {
	*stage.Editor
	*peer
	t    *testing.T
	lock claude.Lock
	// fed and marks count keys and told.
	fed, marks int
}

// peer is a client, and what it was told.
type peer struct {
	*claude.Client
	mu   sync.Mutex
	said []string
}

// open starts the editor, and the client once Lua code has run.
func open(t *testing.T, nvim string, setup map[string]any, before string) *scene {
	t.Helper()
	s := &scene{Editor: stage.Open(t, stage.Options{Nvim: nvim, UI: true, Setup: setup}), t: t}
	s.StopClock()
	s.Lua(nil, rig)
	s.Write("a.txt", text)
	s.Write("b.txt", "other\nfile\n")
	s.Command("edit a.txt")
	s.Lua(nil, before)
	s.Command("ClaudeCodeStart")
	s.lock = stage.Find(t, s.Env)
	s.peer = s.connect()
	s.Advance(500)
	return s
}

// quiet is open with what is told at the beginning heard.
func quiet(t *testing.T, nvim string) *scene {
	t.Helper()
	s := open(t, nvim, nil, "")
	s.expect("a.txt 0:0")
	return s
}

// each runs f in a scene that is quiet, for each Neovim.
func each(t *testing.T, f func(t *testing.T, s *scene)) {
	t.Helper()
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) { f(t, quiet(t, nvim)) })
}

// connect connects a client whose push waits for the clock.
func (s *scene) connect() *peer {
	s.t.Helper()
	p := &peer{}
	client, err := claude.Dial(stage.Within(s.t), s.lock.Port, s.lock.AuthToken, claude.Options{
		Notification: func(method string, params json.RawMessage) {
			if method != "notifications/tools/list_changed" {
				p.hear(s.Project, method, params)
			}
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = client.Close() })
	if _, _, err := client.Start(stage.Within(s.t)); err != nil {
		s.t.Fatal(err)
	}
	p.Client = client
	s.eventually(`vim.iter(timers):any(function(timer) return timer.ms == 500 and timer.callback ~= nil end)
		or not require("claudecode").state.config.track_selection`)
	return p
}

// hear writes a notification down: the file, its range, and the text if there is any.
func (p *peer) hear(project, method string, params json.RawMessage) {
	type position struct{ Line, Character *int }
	var told struct {
		Text      *string
		FilePath  *string
		FileURL   *string `json:"fileUrl"`
		Selection struct {
			Start, End position
			IsEmpty    *bool
		}
	}
	said := fmt.Sprintf("%s %s", method, params)
	if err := json.Unmarshal(params, &told); err == nil && method == "selection_changed" {
		start, end := told.Selection.Start, told.Selection.End
		said = "nothing"
		if told.FilePath != nil {
			said = strings.TrimPrefix(*told.FilePath, project+"/") + fmt.Sprintf(" %d:%d", *start.Line, *start.Character)
			if *told.FileURL != "file://"+*told.FilePath {
				said += " url " + *told.FileURL
			}
		}
		if *end.Line != *start.Line || *end.Character != *start.Character {
			said += fmt.Sprintf("-%d:%d", *end.Line, *end.Character)
		}
		if len(*told.Text) > 200 {
			said += fmt.Sprintf(" %d bytes", len(*told.Text))
		} else if *told.Text != "" {
			said += fmt.Sprintf(" %q", *told.Text)
		}
		if empty := *start.Line == *end.Line && *start.Character == *end.Character; *told.Selection.IsEmpty != empty {
			said += fmt.Sprintf(" isEmpty=%v", *told.Selection.IsEmpty)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = append(p.said, said)
}

// told is what a client was told since it was last asked: all that was sent before a mark.
func (s *scene) told(p *peer) (said []string) {
	s.t.Helper()
	s.marks++
	mark := fmt.Sprintf(`mark {"n":%d}`, s.marks)
	s.eventually(`require("claudecode.server").broadcast("mark", { n = ... })`, s.marks)
	nvimtest.Eventually(s.t, "the client was told of the mark", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		i := slices.Index(p.said, mark)
		if i < 0 {
			return false
		}
		said, p.said = slices.DeleteFunc(p.said[:i], isMark), p.said[i+1:]
		return true
	})
	return said
}

func isMark(said string) bool { return strings.HasPrefix(said, "mark ") }

// expect compares what the client was told since it was last asked.
func (s *scene) expect(want ...string) {
	s.t.Helper()
	s.expectAt(s.peer, want...)
}

func (s *scene) expectAt(p *peer, want ...string) {
	s.t.Helper()
	if got := s.told(p); !slices.Equal(got, want) {
		s.t.Errorf("told (-want +got):\n%s", cmp.Diff(want, got))
	}
}

// keys types, and waits until all is done that came of it.
func (s *scene) keys(keys string) {
	s.t.Helper()
	if _, err := s.Input(keys + "<F12>"); err != nil {
		s.t.Fatal(err)
	}
	s.fed++
	s.eventually(`fed == ...`, s.fed)
}

func (s *scene) eventually(condition string, args ...any) {
	s.t.Helper()
	nvimtest.Eventually(s.t, condition, func() (holds bool) {
		s.Lua(&holds, "return ("+condition+") == true", args...)
		return holds
	})
}

// filter sets selection_filter to Lua code that gets a buffer.
func (s *scene) filter(code string) {
	s.t.Helper()
	s.Lua(nil, `require("claudecode").state.config.selection_filter = assert(loadstring("local buf = ... " .. ...))`, code)
}

// terminal is Claude's terminal in a window beside the current one, entered.
const terminal = `vim.cmd("vsplit | enew") vim.fn.termopen({ "sh", "-c", "exec cat # claude" })`
