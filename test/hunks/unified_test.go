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

// absent is the old text of a new file.
const absent = "\x00absent"

// open shows a proposal in the layout, in the middle of another window's file.
func (e *editor) open(old, proposal string) {
	e.t.Helper()
	path := filepath.Join(e.dir, "old.json")
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		e.t.Fatal(err)
	}
	if old != absent {
		if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
			e.t.Fatal(err)
		}
	}
	e.lua(nil, `
		local path, text = ...
		local proposal = { tab_name = "the name", old_path = path, new_path = path, text = text }
		local opts = { layout = "unified", open_in_new_tab = false }
		place = require("claudecode.diff.place").choose(path, opts)
		layout = require("claudecode.diff.unified").open(proposal, opts, place)
	`, path, proposal)
}

// screen is how the buffer looks, a line for each row: its sign, its background and text,
// where + is added and - deleted; what stands behind the end of a line follows in brackets.
const screen = `
	local api = vim.api
	vim.cmd("redraw!")
	local backgrounds = { [0x2a4a2a] = "+", [0x4a2a2a] = "-" }
	local signs = { [0x98c379] = "+", [0xe06c75] = "-" }
	local namespace = api.nvim_create_namespace("claudecode_inline_diff")
	local top, left = unpack(api.nvim_win_get_position(layout.win))
	local out = {}
	for row, line in ipairs(api.nvim_buf_get_lines(layout.buf, 0, -1, true)) do
		local sign = api.nvim__inspect_cell(1, top + row - 1, left)
		local cell = api.nvim__inspect_cell(1, top + row - 1, left + 37)
		local look = (sign[2].foreground and signs[sign[2].foreground] or " ") .. sign[1]
		look = look .. (backgrounds[cell[2].background or 0] or " ") .. line
		for _, mark in ipairs(api.nvim_buf_get_extmarks(layout.buf, namespace, { row - 1, 0 }, { row - 1, -1 }, { details = true })) do
			if mark[4].virt_text then
				look = look .. " [" .. mark[4].virt_text[1][1] .. "]"
			end
		end
		out[row] = look
	end
	return table.concat(out, "\n")
`

var looks = []struct{ name, old, new, want string }{
	{"a line changed", "a\nb\nc\n", "a\nB\nc\n", "   a\n---b\n+++B\n   c"},
	{"deleted before added, same between", "a\nb\nc\nd\ne\n", "x\ny\nc\nE\n", "---a\n---b\n+++x\n+++y\n   c\n---d\n---e\n+++E"},
	{"first line deleted", "a\nb\n", "b\n", "---a\n   b"},
	{"last line deleted", "a\nb\n", "a\n", "   a\n---b"},
	{"first line added", "b\n", "a\nb\n", "+++a\n   b"},
	{"last line added", "a\n", "a\nb\n", "   a\n+++b"},
	{"new file", absent, "a\nb\n", "+++a\n+++b"},
	{"new empty file", absent, "", "   "},
	{"everything deleted", "a\nb\n", "", "---a\n---b"},
	{"no change", "a\nb\n", "a\nb\n", "   a\n   b"},
	{"final line end removed", "a\nb\n", "a\nb", "   a\n---b\n+++b [\\ No newline at end of file]"},
	{"final line end added", "a\nb", "a\nb\n", "   a\n---b [\\ No newline at end of file]\n+++b"},
	{"no final line end in either", "a\nb", "x\nb", "---a\n+++x\n   b"},
	{"blank lines", "\n\na\n", "\na\n\n", "   \n--- \n   a\n+++ "},
	{"CRLF", "a\r\nb\r\n", "a\nB\n", "   a\n---b\n+++B"},
	{"mixed ends", "a\r\nb\nc\r\n", "a\nb\nC\n", "   a\n   b\n---c\n+++C"},
	{"byte order mark", bom + "a\nb\n", bom + "a\nB\n", "   a\n---b\n+++B"},
	{"UTF-16", "\xff\xfea\x00\n\x00\xe9\x00\n\x00", "a\né!\n", "   a\n---é\n+++é!"},
	{"Latin-1", "a\n\xe9\n", "a\né!\n", "   a\n---é\n+++é!"},
}

func TestUnified_ShowsDeletedBeforeAddedLines(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		// The first redraw with new groups numbers them anew, which the cells do not know.
		e.open("a\n", "b\n")
		e.lua(nil, screen)
		e.lua(nil, `layout.close()`)
		for _, row := range looks {
			for _, limit := range []int{250_000, 0} {
				e.lua(nil, `require("claudecode.diff.unified").max_line_marks = ...`, limit)
				e.open(row.old, row.new)
				want := strings.ReplaceAll(row.want, "--- ", "---")
				want = strings.ReplaceAll(want, "+++ ", "+++")
				if diff := cmp.Diff(want, value[string](e, screen)); diff != "" {
					t.Errorf("%s, %d lines with a mark each: %s", row.name, limit, diff)
				}
				e.expect(row.name, `return layout.text()`, row.new)
				e.lua(nil, `layout.close()`)
			}
		}
	})
}

func TestUnified_IsAnUnlistedBufferThatNobodyEdits(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.open("a\nb\nc\n", "a\nb\nC\n")
		got := value[string](e, `
			local bo, wo = vim.bo[layout.buf], vim.wo[layout.win]
			local b = vim.b[layout.buf]
			return vim.inspect({
				vim.fs.basename(vim.api.nvim_buf_get_name(layout.buf)), bo.buflisted, bo.buftype, bo.bufhidden, bo.modifiable,
				bo.modified, bo.filetype, wo.signcolumn, wo.foldenable, b.claudecode_diff_tab_name, b.claudecode_inline_diff,
				vim.api.nvim_win_get_cursor(layout.win), vim.api.nvim_get_current_win() == layout.win, layout.wins[1] == layout.win,
				vim.api.nvim_win_get_position(layout.win)[2] > 0,
			}):gsub("%s+", " ")
		`)
		want := `{ "the name (unified diff)", false, "acwrite", "hide", false, true, "json", "yes", false, "the name", true, { 3, 0 }, false, true, true }`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		e.lua(nil, `layout.close() layout.close()`)
		got = value[string](e, `return vim.inspect({ vim.api.nvim_buf_is_valid(layout.buf), #vim.api.nvim_list_wins() })`)
		if got != "{ false, 1 }" {
			t.Errorf("after close: %s", got)
		}
	})
}

func TestUnified_HasTheFiletypeOfTheFileUnlessBothTextsAreHuge(t *testing.T) {
	half := strings.Repeat("1\n", 1<<17)
	rows := []struct{ name, prepare, old, new, want string }{
		{"by its name", "", "1\n", "2\n", "json"},
		{"of the file's buffer", `vim.filetype.add({ extension = { json = function() end } }) vim.cmd.edit(...) vim.bo.filetype = "other"`, "1\n", "2\n", "other"},
		{"as much as allowed", "", half, half, "json"},
		{"much in the old text", "", half + "1\n", half, ""},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, row := range rows {
			e := start(t, nvim)
			e.lua(nil, row.prepare, e.write("old.json", row.old))
			e.open(row.old, row.new)
			e.expect(row.name, `return vim.bo[layout.buf].filetype`, row.want)
		}
	})
}

func TestUnified_ColoursAreTheUsersOrComeBackWithAScheme(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.lua(nil, `vim.api.nvim_set_hl(0, "ClaudeCodeInlineDiffAdd", { bg = "#123456" })`)
		e.open("a\n", "b\n")
		colours := `
			local function get(name) return vim.api.nvim_get_hl(0, { name = "ClaudeCodeInlineDiff" .. name }) end
			return ("%x %x %s %x %x"):format(get("Add").bg, get("Delete").bg, get("Delete").strikethrough, get("AddSign").fg, get("DeleteSign").fg)
		`
		e.expect("the user's", colours, "123456 4a2a2a true 98c379 e06c75")
		e.lua(nil, `vim.cmd.colorscheme("default")`)
		e.expect("after a scheme", colours, "2a4a2a 4a2a2a true 98c379 e06c75")
	})
}

func TestUnified_ErrorsOfAutocommandsLeaveNothingBehind(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, event := range []string{"FileType", "BufWinEnter", "WinNew"} {
			t.Run(event, func(t *testing.T) {
				e := start(t, nvim)
				e.lua(nil, `vim.api.nvim_create_autocmd(..., { callback = function() error("thrown") end })`, event)
				got := value[string](e, `
					local function state()
						local api = vim.api
						return { api.nvim_list_wins(), api.nvim_list_bufs(), api.nvim_get_current_win(), vim.fn.winlayout() }
					end
					local before = state()
					local options = { layout = "unified" }
					local place = require("claudecode.diff.place").choose("/nope.json", options)
					local proposal = { tab_name = "n", old_path = "/nope.json", new_path = "/nope.json", text = "a\n" }
					local ok, err = pcall(require("claudecode.diff.unified").open, proposal, options, place)
					return tostring(ok) .. " " .. tostring(err):match("thrown") .. " " .. tostring(vim.deep_equal(before, state()))
				`)
				if got != "false thrown true" {
					t.Error(got)
				}
			})
		}
	})
}
