// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"errors"
	"os"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// errorSeen is Lua for the last error's number, "" if there is none.
const errorSeen = `(vim.fn.execute("messages"):match("E%d+") or "")`

func TestQuitAll_IsRefusedAndWithABangRejects(t *testing.T) {
	t.Parallel()
	for _, l := range some(layouts) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, l.options, func(r *review) {
				p := r.shows(proposedText)
				r.must(r.typed(":qa<CR>"))
				// It is refused with more than one line, which waits for a key.
				r.must(eventually(func() error {
					mode, err := r.Mode()
					if err == nil && mode.Mode == "n" {
						err = errors.New("not yet refused")
					}
					return err
				}))
				r.must(r.typed("<CR>"))
				r.soon(`vim.api.nvim_get_mode().mode == "n" and ` + errorSeen + ` ~= ""`)
				r.quiet(p)
				r.must(r.typed(":qa!<CR>"), p.answered(p.rejected()), p.untouched())
				nvimtest.Eventually(t, "the lock is gone", func() bool { return !stage.Exists(r.lock.Path) })
			})
		})
	}
}

func TestWriteAll_AcceptsOnlyFromTheProposedWindow(t *testing.T) {
	t.Parallel()
	for _, keys := range some([]string{":wa<CR>", ":windo write<CR>", ":bufdo write<CR>"}) {
		t.Run(keys, func(t *testing.T) {
			inEach(t, layouts[0].options, func(r *review) {
				p := r.shows(proposedText)
				r.must(r.typed(keys))
				r.quiet(p)
				r.must(p.walk("proposed"), r.typed(":wa<CR>"), p.answered(p.saved(proposedText)))
			})
		})
	}
}

// TestWriteAllAndQuit_AcceptsOnlyFromTheProposedWindow: Neovim leaves after that, and answers
// first. From elsewhere it stays, as for any buffer that could not be written.
func TestWriteAllAndQuit_AcceptsOnlyFromTheProposedWindow(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{":wqa<CR>", ":xa<CR>"} {
		t.Run(keys, func(t *testing.T) {
			inEach(t, layouts[0].options, func(r *review) {
				p := r.shows(proposedText)
				r.must(r.typed(keys))
				r.quiet(p)
				r.must(p.walk("proposed"), r.typed(keys), p.answered(p.saved(proposedText)), p.untouched())
			})
		})
	}
}

func TestQuit_OfOneOfTwoWindowsDecidesNothing(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		p := r.shows(proposedText)
		r.must(p.walk("proposed"), r.typed(":split<CR>:q<CR>"))
		r.quiet(p)
		r.do(`vim.cmd("tab sbuffer " .. vim.fn.bufnr(...))`, p.name+" (proposed)")
		r.do(`vim.cmd("tabclose")`)
		r.quiet(p)
		r.must(p.walk("proposed"), r.typed(":q<CR>"), p.answered(p.rejected()))
		r.soon(`#vim.api.nvim_list_wins() == 1`)
	})
}

func TestBdelete_WithoutABangLosesNothing(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		p := r.shows(proposedText)
		for _, keys := range []string{":bdelete<CR>", ":bwipeout<CR>"} {
			r.must(p.walk("proposed"), r.typed(keys))
			r.soon(errorSeen + ` == "E89"`)
			r.must(r.typed("<Esc>"))
			r.quiet(p)
			r.do(`vim.cmd("messages clear")`)
		}
		r.must(p.shown(), p.walk("proposed"), r.typed(":w<CR>"), p.answered(p.saved(proposedText)))
	})
}

func TestOnlyWindow_OfTheProposalStaysPending(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"<C-W>o", "<C-W>w:q<CR>"} {
		t.Run(keys, func(t *testing.T) {
			inEach(t, layouts[0].options, func(r *review) {
				p := r.shows(proposedText)
				r.must(p.walk("proposed"), r.typed(keys))
				r.soon(`#vim.api.nvim_list_wins() == 1`)
				r.quiet(p)
				r.must(p.walk("proposed"), r.typed(":w<CR>"), p.answered(p.saved(proposedText)), p.settle(r.ctx, &proposedText))
				r.soon(`#vim.api.nvim_list_wins() == 1 and vim.b.claudecode_diff_tab_name == nil`)
			})
		})
	}
}

func TestAccepted_ClosedByTheUserIsClosedWhole(t *testing.T) {
	t.Parallel()
	for _, l := range some(layouts) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, l.options, func(r *review) {
				before, err := r.steady("n")
				r.must(err)
				p := r.shows(proposedText)
				r.must(p.walk("proposed"), r.typed(":w<CR>"), p.answered(p.saved(proposedText)), p.untouched())
				walked(before, p)
				r.soon(`not vim.bo.modifiable and not vim.bo.modified`)
				r.must(r.typed(":q<CR>"))
				r.must((cell{}).same(r.editor, before))
			})
		})
	}
}

func TestAccepted_StaysIfItsClientLeft(t *testing.T) {
	inEach(t, layouts[0].options, func(r *review) {
		p := r.shows(proposedText)
		r.must(p.walk("proposed"), r.typed(":w<CR>"), p.answered(p.saved(proposedText)))
		r.must(r.client.Close())
		r.do(`vim.wait(100)`)
		r.must(p.shown())
		r.serve(t)
		result, err := r.client.Call(r.ctx, "closeAllDiffTabs", nil)
		r.must(err)
		text, _ := result.Text()
		r.expect("closeAllDiffTabs", text, "CLOSED_1_DIFF_TABS")
		r.soon(`#vim.api.nvim_list_wins() == 1`)
	})
}

func TestMany_ArePendingAndAnsweredInAnyOrder(t *testing.T) {
	const many = 12
	inEach(t, layouts[0].options, func(r *review) {
		before, err := r.steady("n")
		r.must(err)
		var pending []*proposal
		for i := range many {
			pending = append(pending, r.propose(r.ctx, []string{target, other, third}[i%3], proposedText, &baseText))
		}
		for _, p := range pending {
			r.must(p.shown())
		}
		for _, i := range []int{5, 0, 11, 3} {
			p := pending[i]
			r.must(p.walk("proposed"), r.typed(":q<CR>"), p.answered(p.rejected()))
		}
		for _, i := range []int{1, 2, 4, 6, 7, 8, 9, 10} {
			r.must(pending[i].waits())
			r.must(pending[i].call(r.ctx, "close_tab", map[string]any{"tab_name": pending[i].name}), pending[i].answered(pending[i].rejected()))
		}
		before["previous tab page"] = anything
		before["tab page "+before["tab page"]+" previous window"] = anything
		r.must((cell{}).same(r.editor, before))
	})
}

func TestAccepted_KeepsUndoAndPlace(t *testing.T) {
	t.Parallel()
	for _, l := range some(layouts[:3]) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, l.options, func(r *review) {
				r.must(r.typed("1GOmine<Esc>:w<CR>20G3|zt"))
				r.soon(`not vim.bo.modified and vim.fn.line(".") == 20 and vim.fn.line("w0") == 20`)
				mine := "mine\n" + baseText
				p := r.propose(r.ctx, target, "mine\n"+proposedText, &mine)
				text := "mine\n" + proposedText
				r.must(p.shown(), p.walk("proposed"), r.typed(":ClaudeCodeDiffAccept<CR>"), p.answered(p.saved(text)), p.settle(r.ctx, &text))
				r.soon(`vim.fn.getline("$") == "end" and #vim.api.nvim_list_wins() == 1`)
				r.soon(`vim.fn.line(".") == 20 and vim.fn.col(".") == 3 and vim.fn.line("w0") == 20`)
				for _, want := range []string{"mine", "line 1"} {
					r.must(r.typed("u"))
					r.soon(`vim.fn.getline("$") == "line 40" and vim.fn.getline(1) == ...`, want)
				}
				got, err := os.ReadFile(p.path)
				r.must(err)
				r.expect("file", string(got), text)
			})
		})
	}
}

func TestCommands_ElsewhereFindNoDiff(t *testing.T) {
	inEach(t, layouts[3].options, func(r *review) {
		p := r.shows(proposedText)
		for _, command := range []string{"ClaudeCodeDiffAccept", "ClaudeCodeDiffDeny"} {
			r.do(`vim.cmd("messages clear")`)
			r.must(r.typed(":" + command + "<CR>"))
			r.soon(`vim.fn.execute("messages"):find("No active diff found in current buffer", 1, true) ~= nil`)
		}
		r.quiet(p)
	})
}
