// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// marks are the signs of a buffer: how each looks, with its line.
const marks = `table.concat(vim.tbl_map(function(mark)
	return mark[4].sign_hl_group:sub(18) .. mark[2] + 1
end, vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("claudecode.turns.signs"), 0, -1, { details = true })), " ")`

func TestTurns_ListsPromptsAndReviewsOne(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		const shown = `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "|"):gsub("%d%d:%d%d:%d%d", "TIME"):gsub("%s+", " ")`
		d.keys(":ClaudeCodeTurns<CR>")
		d.soon(`(`+shown+`)`, "No Claude had a prompt yet.")
		d.keys("q")
		d.soon("shape()", "*1 -")
		d.changes("a.txt", "one\n", "two\nthree\n")
		d.edits("b.txt", "b\n", "c.txt", "c\n")
		d.keys(":ClaudeCodeTurns<CR>")
		d.soon(`(`+shown+`)`, " TIME, claude-code (client_1) 2 files +2 -0 until the next prompt| TIME, claude-code (client_1) 1 file +2 -1")
		d.keys("j<CR>")
		d.soon(`require("claudecode.turns.review").current() ~= nil and vim.wo.diff`, "true")
		d.expect(list, "  modified  a.txt  +2  -1")
		d.keys("q")
		d.soon("shape()", "*1 -")
	})
}

func TestStatusline_SaysWhatChangedUntilItIsLookedAt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		const word = `require("claudecode").statusline()`
		d.edits("a.txt", "a\n")
		d.soon(word, "1 file changed, :ClaudeCodeReview")
		d.edits("a.txt", "b\n", "b.txt", "b\n")
		d.soon(word, "2 files changed, :ClaudeCodeReview")
		d.review("2")
		d.soon(word, "2 files changed, :ClaudeCodeReview")
		d.review()
		d.soon(word, "connected")
		d.review("2")
		d.expect(word, "connected")
		d.edit(d.client, "c.txt", "c\n")
		d.soon(word, "3 files changed, :ClaudeCodeReview")
		d.Command("ClaudeCodeStop")
		d.soon(word, "")
	})
}

func TestSigns_MarkTheLinesOfTheLastPrompt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, map[string]any{"review": map[string]any{"signs": true}})
		before := numbered(20, nil)
		d.put("a.txt", before)
		d.Command("edit a.txt")
		d.edits("a.txt", numbered(20, map[int]string{3: "new\nmore\n", 10: "", 15: "line 15\nadded\n"}))
		const want = "Change3 Change4 Delete10 Add16"
		d.soon(marks, want)
		// They stay with their lines, and come again when the file is read again.
		d.keys("ggOmine<Esc>")
		d.soon(marks, "Change4 Change5 Delete11 Add17")
		d.Command("edit!")
		d.soon(marks, want)
		d.prompt()
		d.soon(marks, "")
		d.edit(d.client, "a.txt", before)
		d.soon(marks, "Change3 Add10 Delete15")
		d.review()
		d.keys("q")
		d.soon("shape()", "*1 a.txt")
		d.soon(marks, "")
	})
}

func TestSigns_AreOffByDefault(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("a.txt", "one\n")
		d.Command("edit a.txt")
		d.edits("a.txt", "two\n")
		d.soon(`require("claudecode").statusline()`, "1 file changed, :ClaudeCodeReview")
		d.expect(`package.loaded["claudecode.turns.signs"] == nil`, "true")
	})
}

func TestTurns_BelongToTheirClients(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		other := stage.Connect(t, d.lock)
		d.prompt()
		d.promptOf(other)
		d.edit(d.client, "a.txt", "a\n")
		d.edit(other, "b.txt", "b\n")
		d.edit(d.client, "c.txt", "c\n")
		d.review()
		d.expect(list, "  created  b.txt  +1  -0")
		d.review("2")
		d.expect(list, "  created  a.txt  +1  -0|  created  c.txt  +1  -0")
	})
}

// looks are the signs themselves, each with its line.
const looks = `table.concat(vim.tbl_map(function(mark)
	return vim.trim(mark[4].sign_text) .. mark[2] + 1
end, vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("claudecode.turns.signs"), 0, -1, { details = true })), " ")`

// A removed line is shown below the one before it, the first one above the one behind it.
func TestSigns_ShowWhereALineWasRemoved(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, map[string]any{"review": map[string]any{"signs": true}})
		d.put("a.txt", numbered(20, nil))
		d.Command("edit a.txt")
		d.edits("a.txt", numbered(20, map[int]string{1: "", 10: ""}))
		d.soon(looks+` .. " in " .. vim.api.nvim_buf_line_count(0)`, "▔1 ▁8 in 18")
		d.soon(marks, "Delete1 Delete8")
	})
}

func TestSigns_AreNotPutOffByChangesThatGoOn(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, map[string]any{"review": map[string]any{"signs": true}})
		d.put("a.txt", "one\n")
		d.Command("edit a.txt")
		d.Lua(nil, `
			local timer = vim.uv.new_timer()
			timer:start(0, 20, vim.schedule_wrap(function()
				require("claudecode.turns.signs").update()
			end))
			function stop() timer:close() end`)
		d.edits("a.txt", "two\n")
		d.soon(marks, "Change1")
		d.Lua(nil, "stop()")
	})
}
