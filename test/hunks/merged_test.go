// Copyright (c) 2026 the claudecoded authors. MIT license.

package hunks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// prepare makes the buffer of a proposal beforehand, as that of a long one is, and
// says when it is there.
const prepare = `
	local path, text = ...
	require("claudecode.diff.draft").min_bytes = 0
	proposal = { tab_name = "the name", old_path = path, new_path = path, text = text }
	diff, made, is_ready = { proposal = proposal }, nil, false
	require("claudecode.diff.merged").prepare(diff, function(one)
		made, is_ready = one, true
	end)
`

const openMade = `
	local opts = { layout = "unified", open_in_new_tab = false }
	place = require("claudecode.diff.place").choose(proposal.old_path, opts)
	layout = require("claudecode.diff.unified").open(proposal, opts, place, made)
`

// prepares writes the old text and prepares the buffer.
func (e *editor) prepares(old, proposal string) (path string) {
	e.t.Helper()
	path = filepath.Join(e.dir, "old.json")
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		e.t.Fatal(err)
	}
	if old != absent {
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			e.t.Fatal(err)
		}
	}
	e.lua(nil, prepare, path, proposal)
	nvimtest.Eventually(e.t, "the buffer is made", func() bool { return value[bool](e, `return is_ready`) })
	return path
}

// TestMerged_LooksAsOneThatIsMadeAtOnce: whatever the texts are, the whole of them or read in parts.
func TestMerged_LooksAsOneThatIsMadeAtOnce(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.open("a\n", "b\n")
		e.lua(nil, screen)
		e.lua(nil, `layout.close()`)
		for _, row := range looks {
			for _, loaded := range []bool{false, true} {
				for _, limit := range []int{250_000, 0} {
					e.lua(nil, `require("claudecode.diff.unified").max_line_marks = ...`, limit)
					if loaded && row.old != absent {
						e.prepares(row.old, row.new)
						e.lua(nil, `require("claudecode.diff.draft").drop(made.buf) vim.fn.bufload(vim.fn.bufadd(proposal.old_path))`)
						e.lua(nil, prepare, filepath.Join(e.dir, "old.json"), row.new)
						nvimtest.Eventually(t, "the buffer is made", func() bool { return value[bool](e, `return is_ready`) })
					} else {
						e.prepares(row.old, row.new)
					}
					e.lua(nil, openMade)
					if !value[bool](e, `return made ~= nil and layout.buf == made.buf`) {
						t.Errorf("%s: it was made again", row.name)
					}
					want := strings.ReplaceAll(row.want, "--- ", "---")
					want = strings.ReplaceAll(want, "+++ ", "+++")
					if diff := cmp.Diff(want, value[string](e, screen)); diff != "" {
						t.Errorf("%s, loaded %v, %d lines with a mark each: %s", row.name, loaded, limit, diff)
					}
					e.expect(row.name, `return layout.text()`, row.new)
					e.expect(row.name+" in parts", `return table.concat(layout.parts())`, row.new)
					e.lua(nil, `layout.close() vim.cmd("silent! bwipeout! " .. vim.fn.fnameescape(proposal.old_path))`)
				}
			}
		}
	})
}

// TestMerged_IsMadeAgainIfTheFileChangedMeanwhile: in a buffer, or on disk.
func TestMerged_IsMadeAgainIfTheFileChangedMeanwhile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for _, change := range []string{
			`vim.fn.writefile({ "changed", "b" }, path)`,
			`vim.fn.bufload(vim.fn.bufadd(path)) vim.fn.setbufline(vim.fn.bufnr(path), 1, "changed")`,
			`vim.uv.fs_unlink(path) vim.fn.writefile({ "changed", "b" }, path)`,
		} {
			path := e.prepares("a\nb\n", "a\nB\n")
			e.lua(nil, "local path = ...\n"+change, path)
			e.lua(nil, openMade)
			if !value[bool](e, `return layout.buf ~= made.buf and not vim.api.nvim_buf_is_valid(made.buf)`) {
				t.Errorf("%s: it was not made again", change)
			}
			const rows = `return table.concat(vim.api.nvim_buf_get_lines(layout.buf, 0, -1, true), " ")`
			e.expect(change, rows, "changed b a B")
			e.lua(nil, `layout.close() vim.cmd("silent! bwipeout! " .. vim.fn.fnameescape(proposal.old_path))`)
		}
	})
}

// TestMerged_ThatNobodyWantsIsGone: a proposal may be withdrawn while it is prepared.
func TestMerged_ThatNobodyWantsIsGone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		buffers := value[int](e, `return #vim.api.nvim_list_bufs()`)
		e.lua(nil, `require("mcp-tools.slices").piece_ms = 0`)
		e.lua(nil, prepare+`diff.stop_waiting() later = false vim.defer_fn(function() later = true end, 100)`, filepath.Join(e.dir, "old.json"),
			strings.Repeat("a line\n", 10_000))
		nvimtest.Eventually(t, "some time has passed", func() bool { return value[bool](e, `return later`) })
		if got := value[int](e, `return is_ready and -1 or #vim.api.nvim_list_bufs()`); got != buffers {
			t.Errorf("%d buffers, not %d", got, buffers)
		}
	})
}

// TestMerged_OfManyLinesGivesTheEditorItsTurns: between pieces the user is served.
func TestMerged_OfManyLinesGivesTheEditorItsTurns(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		old := strings.Repeat("a line\n", 20_000)
		e.lua(nil, `turns = 0 timer = vim.uv.new_timer() timer:start(1, 1, vim.schedule_wrap(function() turns = is_ready and turns or turns + 1 end))`)
		e.prepares(old, strings.ReplaceAll(old, "line\na line\n", "line\nanother\n"))
		if turns := value[int](e, `return turns`); turns < 20 {
			t.Errorf("it had %d turns", turns)
		}
		e.lua(nil, openMade)
		if rows := value[int](e, `return vim.api.nvim_buf_line_count(layout.buf)`); rows != 30_000 {
			t.Errorf("%d rows", rows)
		}
		e.lua(nil, `layout.close()`)
		nvimtest.Eventually(t, "its buffer is gone", func() bool { return value[bool](e, `return not vim.api.nvim_buf_is_valid(made.buf)`) })
	})
}
