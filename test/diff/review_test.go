// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

// review is a test with an editor of its own, whose first mistake ends it.
type review struct {
	*editor
	t   *testing.T
	ctx context.Context
}

// inEach runs a test in each Neovim, with a file of forty lines in the current window.
func inEach(t *testing.T, options map[string]any, f func(r *review)) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		r := &review{open(t, nvim, options), t, within(t)}
		defer r.leave()
		r.must(r.warm(t), r.lua(nil, resetCode))
		r.must(r.put(target, &baseText), r.put(other, &baseText), r.put(third, &baseText))
		r.edit(target)
		f(r)
	})
}

func (r *review) must(errs ...error) {
	r.t.Helper()
	if err := errors.Join(errs...); err != nil {
		r.t.Fatal(err)
	}
}

// do runs Lua code.
func (r *review) do(code string, args ...any) { r.t.Helper(); r.must(r.lua(nil, code, args...)) }

// text is what Lua code returns.
func (r *review) text(code string, args ...any) (text string) {
	r.t.Helper()
	r.must(r.lua(&text, "return tostring(("+code+"))", args...))
	return text
}

func (r *review) edit(name string) {
	r.t.Helper()
	r.do(`vim.cmd.edit(vim.fn.fnameescape(...))`, r.path(name))
}

func (r *review) expect(what, got, want string) {
	r.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// soon polls until Lua code returns true.
func (r *review) soon(code string, args ...any) {
	r.t.Helper()
	r.must(eventually(func() error {
		var held bool
		if err := r.lua(&held, "return ("+code+") == true", args...); err != nil {
			return err
		}
		if !held {
			return fmt.Errorf("not yet: %s", code)
		}
		return nil
	}))
}

// shows proposes a text for the target, and waits until it is on screen.
func (r *review) shows(text string) *proposal {
	r.t.Helper()
	p := r.propose(r.ctx, target, text, &baseText)
	r.must(p.shown())
	return p
}

// quiet checks that whatever the editor still had to do is done and that there is no answer.
func (r *review) quiet(p *proposal) {
	r.t.Helper()
	for range 3 {
		r.do(`vim.wait(20)`)
	}
	r.must(p.waits(), p.untouched())
}

func TestWrite_TwiceIsNoError(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		p := r.shows(proposedText)
		r.must(p.walk("proposed"), r.typed(":w<CR>"), p.answered(p.saved(proposedText)))
		r.must(r.typed(":w<CR>"))
		r.soon(`not vim.bo.modified`)
		r.must(p.settle(r.ctx, &proposedText))
		r.expect("errors", r.text(`vim.v.errmsg .. (vim.fn.execute("messages"):match("E%d+:") or "")`), "")
		r.soon(`#vim.api.nvim_list_wins() == 1 and vim.fn.line("$") == 41`)
	})
}

// texts are proposals that an editor easily changes.
var texts = map[string]string{
	"empty":            "",
	"a newline":        "\n",
	"newlines":         "\n\n\n",
	"no final newline": "a\nb",
	"final newline":    "a\nb\n",
	"CR LF":            "a\r\nb\r\n",
	"mixed line ends":  "a\r\nb\nc\r\n",
	"a CR inside":      "a\rb\n",
	"byte order mark":  "\ufeffa\nb\n",
	"NUL":              "a\x00b\n\x00",
	"not ASCII":        "äöü €\n\U0001f600 e\u0301\n",
	"modeline":         "// vim: set ff=dos noeol bomb fenc=latin1 bin :\n",
	"long line":        strings.Repeat("0123456789abcdef", 1<<16),
	"large":            strings.Repeat("a line of some length, to be repeated many times\n", 3<<20/49),
}

func TestAccepted_TextIsByteForByteTheProposal(t *testing.T) {
	t.Parallel()
	for _, l := range some([]layout{layouts[0], layouts[2]}) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, l.options, func(r *review) {
				for name, text := range texts {
					p := r.shows(text)
					r.must(p.walk("proposed"), r.typed(":w<CR>"))
					if err := p.answered(p.saved(text)); err != nil {
						r.t.Errorf("%s: %.300s", name, err)
					}
					r.must(p.settle(r.ctx, nil))
				}
			})
		})
	}
}

func TestCloseTab_WithoutANameIsAnError(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		_, err := r.client.Call(r.ctx, "close_tab", map[string]any{})
		var failure *claude.RPCError
		if !errors.As(err, &failure) || failure.Code != -32602 {
			r.t.Errorf("close_tab: %v", err)
		}
	})
}

// TestCloseTab_NeverTouchesABufferOfTheUser holds for names that are files, part of one, or a
// pattern.
func TestCloseTab_NeverTouchesABufferOfTheUser(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		before := r.text(`vim.inspect(vim.api.nvim_list_bufs())`)
		for _, name := range []string{target, "tar", "t.*", r.path(target), "%", "#", "", "✻ [Claude Code] " + target + " ⧉"} {
			result, err := r.client.Call(r.ctx, "close_tab", map[string]any{"tab_name": name})
			text, _ := result.Text()
			if err != nil || text != "TAB_CLOSED" {
				r.t.Errorf("close_tab %q: %q, %v", name, text, err)
			}
		}
		r.expect("buffers", r.text(`vim.inspect(vim.api.nvim_list_bufs())`), before)
	})
}

// TestOpenFile_NeverTakesAWindowOfADiff holds while a diff is pending, which in the unified
// layout has no window in diff mode, and once it is accepted.
func TestOpenFile_NeverTakesAWindowOfADiff(t *testing.T) {
	t.Parallel()
	for _, l := range some(layouts) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, l.options, func(r *review) {
				p := r.shows(proposedText)
				r.must(p.walk("proposed"))
				open := func() {
					r.t.Helper()
					result, err := r.client.Call(r.ctx, "openFile", map[string]any{"filePath": r.path(other)})
					if err != nil {
						r.t.Fatalf("openFile: %+v, %v", result, err)
					}
					r.must(p.shown())
				}
				open()
				r.must(p.walk("proposed"), r.typed(":w<CR>"), p.answered(p.saved(proposedText)))
				open()
				r.must(p.settle(r.ctx, &proposedText))
				r.soon(`vim.api.nvim_buf_get_name(0) == ...`, r.path(other))
			})
		})
	}
}

// TestRejected_IsAnsweredAtOnce holds while no time passes: no answer comes of a timer.
func TestRejected_IsAnsweredAtOnce(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		r.do(`require("claudecode.moment").quiet_ms = 0`)
		r.StopClock()
		for _, keys := range []string{":q<CR>", "ZQ", "<C-W>c", ":bdelete!<CR>"} {
			p := r.shows(proposedText)
			r.must(p.walk("proposed"))
			r.do(`
				defer_fn, deferred = vim.defer_fn, 0
				function vim.defer_fn(...)
					deferred = deferred + 1
					return defer_fn(...)
				end`)
			r.must(r.typed(keys), p.answered(p.rejected()))
			r.expect(keys+": deferred functions", r.text(`deferred`), "0")
			r.do(`vim.defer_fn = defer_fn`)
		}
	})
}

func TestCloseAllDiffTabs_LeavesTheUsersOwnDiffs(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		r.do(`
			vim.cmd("vertical diffsplit " .. vim.fn.fnameescape((...)))
			vim.cmd("normal! 10Gzt")
			vim.cmd("tabnew | edit x | vertical diffsplit y")
		`, r.path(other))
		before, err := r.steady("n")
		r.must(err)
		for range 3 {
			result, err := r.client.Call(r.ctx, "closeAllDiffTabs", nil)
			r.must(err)
			text, err := result.Text()
			r.must(err)
			r.expect("closeAllDiffTabs", text, "CLOSED_0_DIFF_TABS")
			after, err := r.look()
			r.must(err)
			if diff := cmp.Diff(before, after); diff != "" {
				r.t.Error(diff)
			}
		}
	})
}

func TestModifiedBuffer_IsAnErrorAndKeepsItsText(t *testing.T) {
	t.Parallel()
	for _, options := range some([]string{"set nohidden", "set hidden", "set nohidden autowrite autowriteall"}) {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			for _, l := range some([]layout{layouts[0], layouts[2], layouts[3]}) {
				t.Run(l.name, func(t *testing.T) {
					inEach(t, l.options, func(r *review) {
						r.do(`vim.cmd((...))`, options)
						r.must(r.typed("2GOunsaved<Esc>"))
						r.soon(`vim.bo.modified and vim.api.nvim_get_mode().mode == "n"`)
						before, err := r.steady("n")
						r.must(err)
						p := r.propose(r.ctx, target, proposedText, &baseText)
						r.must(p.refused("Diff setup failed (-32000)", "Failed to setup diff operation: ",
							"Cannot create diff: file has unsaved changes", r.path(target)))
						after, err := r.steady("n")
						r.must(err, p.untouched())
						if diff := cmp.Diff(before, after); diff != "" {
							r.t.Error(diff)
						}
					})
				})
			}
		})
	}
}

// throwing are events of which a user's autocommand fails.
var throwing = []string{
	"BufReadPre", "BufReadPost", "FileType", "BufWinEnter", "BufNew", "BufAdd", "BufFilePost", "WinNew", "TabNew", "OptionSet", "BufEnter", "WinEnter",
}

// TestThrowingAutocommands_LeaveNothingBehind: a diff that opens all the same is as good.
func TestThrowingAutocommands_LeaveNothingBehind(t *testing.T) {
	t.Parallel()
	for _, l := range some(layouts) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, l.options, func(r *review) {
				for _, event := range throwing {
					if err := r.thrown(event); err != nil {
						r.t.Errorf("%s: %v", event, err)
					}
				}
			})
		})
	}
}

// thrown has an autocommand of the user's fail while a diff opens.
func (r *review) thrown(event string) error {
	r.must(r.lua(nil, resetCode))
	r.edit(other)
	before, err := r.steady("n")
	r.must(err)
	r.do(`
		thrower = vim.api.nvim_create_autocmd(..., { callback = function()
			error("thrown by the user")
		end })
	`, event)
	p := r.propose(r.ctx, target, proposedText, &baseText)
	opened := p.shown()
	r.do(`vim.api.nvim_del_autocmd(thrower) vim.cmd("messages clear") vim.v.errmsg = ""`)
	if opened == nil {
		err = errors.Join(p.call(r.ctx, "close_tab", map[string]any{"tab_name": p.name}), p.answered(p.rejected()))
	} else {
		err = p.refused("Diff setup failed (-32000)", "Failed to setup diff operation: ", "thrown by the user")
	}
	return errors.Join(err, (cell{}).same(r.editor, before))
}

// savers are what auto-save plugins do.
var savers = []struct{ name, lua string }{
	{"nested", `vim.cmd("autocmd InsertLeave,TextChanged * ++nested silent! write")`},
	{"scheduled", `vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged" }, { callback = function() vim.schedule(function() vim.cmd("silent! write") end) end })`},
	{"TextChanged", `vim.cmd("autocmd TextChanged,TextChangedI * silent! write")`},
	{"update", `vim.cmd("autocmd InsertLeave,TextChanged * ++nested silent! update")`},
	{"all", `vim.cmd("autocmd InsertLeave,TextChanged,BufLeave,WinLeave * ++nested silent! wall")`},
	{"leaving", `vim.cmd("autocmd BufLeave,WinLeave * ++nested silent! write")`},
	{"deferred", `vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged" }, { callback = function() vim.defer_fn(function() vim.cmd("silent! write") end, 5) end })`},
	{"in a buffer's call", `vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged" }, { nested = true, callback = function(a) vim.api.nvim_buf_call(a.buf, function() vim.cmd("silent! write") end) end })`},
	{"scheduled in a call", `vim.api.nvim_create_autocmd({ "InsertLeave", "TextChanged" }, { callback = function(a) vim.schedule(function() vim.api.nvim_buf_call(a.buf, function() vim.cmd("silent! write") end) end) end })`},
	{"CursorHold", `vim.o.updatetime = 20 vim.cmd("autocmd CursorHold * ++nested silent! write")`},
	{"autowriteall", `vim.cmd("set autowriteall")`},
}

func TestAutoSave_NeverAccepts(t *testing.T) {
	t.Parallel()
	for _, saver := range some(savers) {
		t.Run(saver.name, func(t *testing.T) {
			inEach(t, layouts[0].options, func(r *review) {
				r.do(saver.lua)
				p := r.shows(proposedText)
				r.must(p.walk("proposed"))
				r.do(`vim.api.nvim_win_set_cursor(0, { 1, 0 })`)
				for _, key := range []string{"O", "m", "i", "n", "e", "<Esc>", "x"} {
					// A user is slower than the editor's main loop.
					r.must(r.typed(key))
					r.do(`vim.wait(20)`)
				}
				r.quiet(p)
				r.must(p.walk("original"))
				r.quiet(p)
				r.must(p.walk("proposed"))
				r.quiet(p)
				r.soon(`vim.bo.modified and vim.fn.getline(1) == "min"`)
				// The user still can.
				r.must(r.typed(":w<CR>"), p.answered(p.saved("min\n"+proposedText)))
			})
		})
	}
}

// TestDosFile_ShowsOnlyRealChanges: proposals have LF, whatever the file has.
func TestDosFile_ShowsOnlyRealChanges(t *testing.T) {
	t.Parallel()
	for _, l := range some(layouts[:3]) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, l.options, func(r *review) {
				dos := strings.ReplaceAll(baseText, "\n", "\r\n")
				r.must(os.WriteFile(r.path(target), []byte(dos), 0o600))
				r.do(`vim.cmd("edit!")`)
				r.expect("fileformat", r.text(`vim.bo.fileformat`), "dos")
				p := r.propose(r.ctx, target, proposedText, &dos)
				r.must(p.shown(), p.walk("proposed"))
				if !l.unified {
					r.expect("changed lines", r.text(`(function()
						vim.cmd("redraw")
						local changed = {}
						for line = 1, vim.fn.line("$") do
							if vim.fn.diff_hlID(line, 1) > 0 then
								table.insert(changed, vim.fn.getline(line))
							end
						end
						return table.concat(changed, ",")
					end)()`), "LINE 3,more,end")
				}
				r.must(r.typed(":w<CR>"), p.answered(p.saved(proposedText)))
				written := strings.ReplaceAll(proposedText, "\n", "\r\n")
				r.must(p.settle(r.ctx, &written))
				r.soon(`vim.bo.fileformat == "dos" and vim.fn.getline("$") == "end"`)
			})
		})
	}
}
