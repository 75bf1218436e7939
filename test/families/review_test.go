// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

const reviewed = `{"edits":"review"}`

// proposer is a tool of a user's that hands changes to the review, and questions of the
// user that the test answers.
const proposer = `
	require("mcp-tools").register({
		name = "propose", description = "Proposes changes", timeout = 0,
		args = { changes = { type = "array", items = { type = "object" }, required = true } },
		execute = function(cb, args, ctx)
			require("mcp-tools.review").propose(args.changes, ctx, function(outcome, err)
				outcome.err = err
				cb(outcome)
			end, "propose")
		end,
	})
	vim.ui.select = function(items, options, answer)
		asked = { items = items, prompt = options.prompt, answer = answer }
	end
	function diff_window()
		for _, win in ipairs(vim.api.nvim_list_wins()) do
			if vim.b[vim.api.nvim_win_get_buf(win)].claudecode_diff_tab_name then
				return win
			end
		end
	end
`

// reviews runs f in each Neovim, whose user reviews what is proposed.
func reviews(t *testing.T, f func(t *testing.T, e *editor)) { each(t, reviewed, f) }

// decide waits for the diff and has the user decide.
func (e *editor) decide(command string) {
	e.t.Helper()
	e.eventually(`diff_window() ~= nil`)
	e.Lua(nil, `vim.api.nvim_set_current_win(diff_window())`)
	e.Command(command)
	e.eventually(`diff_window() == nil`)
}

// choose waits for a question and has the user choose.
func (e *editor) choose(prompt string, item int) {
	e.t.Helper()
	e.eventually(`asked ~= nil and asked.prompt == ...`, prompt)
	e.Lua(nil, `local q = asked asked = nil q.answer(q.items[...], ...)`, item)
}

// outcome is what comes of a proposal.
type outcome struct {
	Accepted, Rejected, Failed []string
	Err                        string
}

func (p *call) outcome() outcome {
	p.t.Helper()
	text, err := p.answer()
	if err != nil {
		p.t.Fatal(err)
	}
	return decode[outcome](p.t, text)
}

// is checks an outcome: the paths' last parts, each list on its own.
func (o outcome) is(t *testing.T, accepted, rejected, failed, err string) {
	t.Helper()
	for _, list := range []struct {
		got  []string
		want string
	}{{o.Accepted, accepted}, {o.Rejected, rejected}, {o.Failed, failed}} {
		if got := strings.Join(list.got, " "); got != list.want {
			t.Errorf("%q instead of %q in %+v", got, list.want, o)
		}
	}
	if !strings.Contains(o.Err, err) || (err == "") != (o.Err == "") {
		t.Errorf("the error is %q, want %q", o.Err, err)
	}
}

func TestReview_WritesWhatTheUserAcceptsAsItsFileIsWritten(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		for name, c := range map[string]struct{ before, after string }{
			"unix.txt":   {"one\ntwo\n", "one\n2\n"},
			"dos.txt":    {"one\r\ntwo\r\n", "one\r\n2\r\n"},
			"no_end.txt": {"one\ntwo", "one\n2"},
			"bom.txt":    {"\xef\xbb\xbfö\ntwo\n", "\xef\xbb\xbfö\n2\n"},
			"latin1.txt": {"\xf6\ntwo\n", "\xf6\n2\n"},
		} {
			path := e.edit(name, c.before)
			p := e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "two", "new_text": "2"}}})
			e.decide("ClaudeCodeDiffAccept")
			if text, err := p.answer(); err != nil || !strings.Contains(text, `"accepted":true`) {
				t.Errorf("%s: %q, %v", name, text, err)
			}
			e.file(path, c.after)
			e.Command("silent undo")
			if got := eval[string](e, `vim.fn.getline("$")`); got != "two" {
				t.Errorf("%s: undone it ends with %q", name, got)
			}
			e.Command("silent redo")
		}
	})
}

func TestReview_MakesNothingOfWhatTheUserRejects(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\n")
		p := e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "one", "new_text": "1"}}})
		e.decide("ClaudeCodeDiffDeny")
		if text, err := p.answer(); err != nil || !strings.Contains(text, `"accepted":false`) {
			t.Errorf("%q, %v", text, err)
		}
		e.file(path, "one\n")
		if eval[bool](e, `vim.bo.modified or vim.fn.getline(1) ~= "one"`) {
			t.Error("the buffer changed")
		}
	})
}

func TestReview_StartsFromWhatTheUserHasNotSaved(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\ntwo\n")
		e.keys("ggAx<Esc>")
		e.eventually(`vim.fn.getline(1) == "onex"`)
		p := e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "two", "new_text": "2"}}})
		e.decide("ClaudeCodeDiffAccept")
		if _, err := p.answer(); err != nil {
			t.Error(err)
		}
		e.file(path, "onex\n2\n")
		e.Command("silent undo")
		if got := eval[[]string](e, `vim.fn.getline(1, "$")`); strings.Join(got, "\n") != "onex\ntwo" {
			t.Errorf("undone it is %q", got)
		}
	})
}

func TestReview_TakesTheTextThatTheUserMadeOfIt(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\n")
		p := e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "one", "new_text": "1"}}})
		e.eventually(`diff_window() ~= nil`)
		e.Lua(nil, `vim.api.nvim_buf_set_lines(vim.api.nvim_win_get_buf(diff_window()), -1, -1, true, { "mine" })`)
		e.decide("ClaudeCodeDiffAccept")
		if _, err := p.answer(); err != nil {
			t.Error(err)
		}
		e.file(path, "1\nmine\n")
	})
}

func TestReview_NeverWritesOverWhatChangedMeanwhile(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		const meanwhile = "it was changed meanwhile; nothing was written over it"
		propose := func(name string, change func(path string), want string) {
			path := e.edit(name, "one\n")
			p := e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "one", "new_text": "1"}}})
			e.eventually(`diff_window() ~= nil`)
			change(path)
			e.decide("ClaudeCodeDiffAccept")
			if text, err := p.answer(); err == nil || !strings.Contains(err.Error(), meanwhile) {
				t.Errorf("%s: %q, %v", name, text, err)
			}
			e.eventually(`vim.fn.execute("messages"):find("what you accepted was not made", 1, true) ~= nil`)
			e.Lua(nil, `vim.cmd("messages clear")`)
			e.file(path, want)
		}
		propose("on_disk.txt", func(path string) {
			if err := os.WriteFile(path, []byte("another's\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "another's\n")
		propose("in_buffer.txt", func(path string) {
			e.Lua(nil, `vim.api.nvim_buf_set_lines(vim.fn.bufnr(...), 0, -1, true, { "the user's" })`, path)
		}, "one\n")
		if got := eval[string](e, `vim.fn.getbufline("in_buffer.txt", 1)[1]`); got != "the user's" {
			t.Errorf("the buffer has %q", got)
		}
		propose("gone.txt", func(path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			// What the test expects of the file is that nothing of the proposal is in it.
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "")
	})
}

func TestReview_EndsWithItsCall(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\n")
		p := e.start("propose", args{"changes": []args{{"path": path, "text": "1\n"}, {"path": path, "delete": true}}})
		e.eventually(`diff_window() ~= nil`)
		p.cancel()
		e.eventually(`diff_window() == nil`)
		e.file(path, "one\n")
		p = e.start("propose", args{"changes": []args{{"path": path, "delete": true}}})
		e.eventually(`asked ~= nil`)
		p.cancel()
		e.eventually(`require("mcp-tools.registry").pending_count() == 0`)
		e.Lua(nil, `asked.answer("Yes", 1)`)
		e.file(path, "one\n")
	})
}

func TestReview_AsksBeforeItDeletesOrRenames(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		a, b := e.edit("a.txt", "a\n"), e.Write("b.txt", "b\n")
		gone := args{"changes": []args{{"path": "b.txt", "delete": true}}}
		p := e.start("propose", gone)
		e.choose("Delete b.txt?", 2)
		p.outcome().is(t, "", "b.txt", "", "")
		e.file(b, "b\n")
		p = e.start("propose", gone)
		e.choose("Delete b.txt?", 1)
		p.outcome().is(t, "b.txt", "", "", "")
		if _, err := os.Stat(b); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		e.start("propose", gone).outcome().is(t, "", "", "b.txt", "there is no such file")

		p = e.start("propose", args{"changes": []args{{"path": a, "rename_to": "c.txt"}}})
		e.choose("Rename a.txt to c.txt?", 1)
		p.outcome().is(t, a, "", "", "")
		e.file(e.Project+"/c.txt", "a\n")
		if got := eval[string](e, `vim.fn.expand("%:t")`); got != "c.txt" {
			t.Errorf("the window shows %s", got)
		}
		e.Write("d.txt", "d\n")
		p = e.start("propose", args{"changes": []args{{"path": "c.txt", "rename_to": "d.txt"}}})
		e.choose("Rename c.txt to d.txt?", 1)
		p.outcome().is(t, "", "", "c.txt", "there is one already")
		e.file(e.Project+"/d.txt", "d\n")
	})
}

func TestReview_GoesOnAfterOneThatFails(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.Write("b.txt", "b\n")
		e.Write("same.txt", "same\n")
		e.start("propose", args{"changes": []args{
			{"path": "none.txt", "delete": true},
			{"path": e.Project, "text": "a folder is none"},
			{"path": "a.txt", "text": "a\n"},
			{"path": "same.txt", "text": "same\n"},
			{"path": "b.txt", "text": "1\n", "base": "another\n"},
			{"path": "b.txt", "delete": true},
		}}).outcome().is(t, "a.txt same.txt b.txt", "", "none.txt "+e.Project+" b.txt", "not a file")
		e.file(e.Project+"/a.txt", "a\n")
		for _, change := range []args{
			{"path": "a.txt"}, {"text": "1"}, {"path": "a.txt", "text": "1", "delete": true}, {"path": "", "text": "1"},
		} {
			e.start("propose", args{"changes": []args{{"path": "a.txt", "text": "1\n"}, change}}).
				outcome().is(t, "", "", "", "a change needs a path")
		}
		e.file(e.Project+"/a.txt", "a\n")
	})
}

func TestReview_OfAFileThatAutocommandsChangeWritesNothing(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.Write("odd.txt", "one\n")
		e.Command(`autocmd BufReadPost odd.txt call setline(1, "another")`)
		e.start("propose", args{"changes": []args{{"path": path, "text": "1\n"}}}).
			outcome().is(t, "", "", path, "changed meanwhile")
		e.file(path, "one\n")
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		e.Command("bwipeout! odd.txt | autocmd! BufReadPost odd.txt")
		e.refused("buffers_edit", args{"path": path, "edits": []args{{"old_text": "one", "new_text": "1"}}}, "read-only")
		if eval[bool](e, `vim.bo[vim.fn.bufnr("odd.txt")].modified`) {
			t.Error("the buffer has changes that cannot be saved")
		}
	})
}

func TestReview_LeavesTheUsersWindowsAsTheyWere(t *testing.T) {
	reviews(t, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", strings.Repeat("line\n", 200)+"end\n")
		e.Command("vsplit | normal! 100Gzt")
		const state = `vim.inspect({ vim.fn.winlayout(), vim.fn.winsaveview(), vim.fn.getreg('"'), vim.fn.mode() })`
		before := eval[string](e, state)
		p := e.start("buffers_edit", args{"path": path, "edits": []args{{"old_text": "end", "new_text": "END"}}})
		e.decide("ClaudeCodeDiffAccept")
		if _, err := p.answer(); err != nil {
			t.Error(err)
		}
		nvimtest.Eventually(t, "the windows are as before", func() bool { return eval[string](e, state) == before })
	})
}

// Nobody can review where there is no user interface.
func TestReview_WithoutAUserInterfaceIsRefused(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := &editor{Editor: stage.Open(t, stage.Options{Nvim: nvim}), t: t}
		e.Lua(nil, setup, `{"edits":"review"}`)
		e.Command("ClaudeCodeStart")
		e.client = dial(t, stage.Find(t, e.Env))
		path := e.Write("a.txt", "one\n")
		e.refused("buffers_edit", args{"path": path, "edits": []args{{"old_text": "one", "new_text": "two"}}}, "no user interface")
		if text := e.read(path); text != "one\n" {
			t.Errorf("%q", text)
		}
	})
}
