// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

// call runs a tool as the daemon would and returns the text of its result, or its error. One
// that opens windows runs at once, without a wait for a safe moment.
func (e *editor) call(name string, args map[string]any) string {
	e.t.Helper()
	return value[string](e, `
		local name, args = ...
		local registry, answer = require("mcp-tools.registry"), nil
		if registry.opens_ui(name) then
			answer = registry.execute(name, args, { client = "client_1" })
		else
			answer = require("claudecode.rpc").handle("call", 1, name, vim.json.encode(args), { client = "client_1" })
		end
		if answer.error then
			local err = answer.error
			return type(err) == "string" and err or ("%d %s: %s"):format(err.code, err.message, err.data)
		end
		return answer.result.content[1].text
	`, name, args)
}

func (e *editor) ready() *editor {
	e.lua(nil, `require("claudecode.tools").setup()`)
	return e
}

// where is the file, mode and selection: from the first to the last place, as line:column from 1.
const where = `
	local v, dot = vim.fn.getpos("v"), vim.fn.getpos(".")
	local name = vim.fs.basename(vim.api.nvim_buf_get_name(0))
	return ("%s %s %d:%d-%d:%d"):format(name, vim.fn.mode(), v[2], v[3], dot[2], dot[3])
`

const sample = "one two\nthree (four)\n\nfünf sechs\nseven\n"

func TestOpenFile_SelectsLinesAndText(t *testing.T) {
	rows := []struct {
		args        map[string]any
		text, where string
	}{
		{map[string]any{}, "Opened file: %s", "f.txt n 1:1-1:1"},
		{map[string]any{"startText": "", "endText": ""}, "Opened file: %s", "f.txt n 1:1-1:1"},
		{map[string]any{"startLine": 2}, "Opened file and selected lines 2 to 2", "f.txt V 2:1-2:12"},
		{map[string]any{"startLine": 2, "endLine": 4}, "Opened file and selected lines 2 to 4", "f.txt V 2:1-4:11"},
		{map[string]any{"endLine": 3}, "Opened file and selected lines 1 to 3", "f.txt V 1:1-3:1"},
		{map[string]any{"startLine": 1}, "Opened file and selected lines 1 to 1", "f.txt V 1:1-1:7"},
		{map[string]any{"startLine": 4, "endLine": 99}, "Opened file and selected lines 4 to 5", "f.txt V 4:1-5:5"},
		{map[string]any{"startLine": 4, "endLine": 2}, "Opened file and selected lines 4 to 4", "f.txt V 4:1-4:11"},
		{map[string]any{"startLine": -3}, "Opened file and selected lines 1 to 1", "f.txt V 1:1-1:7"},
		{map[string]any{"startLine": 77}, "Opened file and selected lines 5 to 5", "f.txt V 5:1-5:5"},
		{map[string]any{"startText": "two"}, `Opened file and selected text "two"`, "f.txt v 1:5-1:7"},
		{map[string]any{"startText": "(four"}, `Opened file and selected text "(four"`, "f.txt v 2:7-2:11"},
		{map[string]any{"startText": "two", "endText": "fünf"}, `Opened file and selected text from "two" to "fünf"`, "f.txt v 1:5-4:5"},
		{map[string]any{"startText": "two", "endText": "two"}, `Opened file and selected text from "two" to "two"`, "f.txt v 1:5-1:7"},
		{map[string]any{"startText": "e", "endText": "one"}, `Opened file and positioned at "e" (end text "one" not found)`, "f.txt n 1:3-1:3"},
		{map[string]any{"startText": "two", "selectToEndOfLine": true}, `Opened file and selected text "two"`, "f.txt v 1:5-1:7"},
		{map[string]any{"startText": "fünf", "selectToEndOfLine": true}, `Opened file and selected text "fünf"`, "f.txt v 4:1-4:11"},
		{map[string]any{"startText": "two\nthree"}, "Opened file and selected text \"two\nthree\"", "f.txt v 1:5-2:5"},
		{map[string]any{"startText": "two\r\nthree"}, "Opened file and selected text \"two\r\nthree\"", "f.txt v 1:5-2:5"},
		{map[string]any{"startText": "zzz"}, `Opened file, but text "zzz" not found`, "f.txt n 1:1-1:1"},
		{map[string]any{"startText": "zzz", "startLine": 2}, `Opened file, but text "zzz" not found`, "f.txt V 2:1-2:12"},
		{map[string]any{"startText": "seven", "startLine": 2}, `Opened file and selected text "seven"`, "f.txt v 5:1-5:5"},
		{map[string]any{"startText": "x.*"}, `Opened file, but text "x.*" not found`, "f.txt n 1:1-1:1"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		path := e.file("f.txt", sample)
		for _, row := range rows {
			t.Run(fmt.Sprint(row.args), func(t *testing.T) {
				e.lua(nil, `
					vim.cmd.normal({ "\27", bang = true })
					vim.cmd("silent! %bwipeout!")
				`)
				args := maps.Clone(row.args)
				args["filePath"] = path
				want := strings.Replace(row.text, "%s", path, 1)
				if diff := cmp.Diff(want, e.call("openFile", args)); diff != "" {
					t.Error(diff)
				}
				if diff := cmp.Diff(row.where, value[string](e, where)); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
}

func TestOpenFile_SelectsTheLastCharacterWhateverTheOption(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		path := e.file("f.txt", sample)
		for _, option := range []string{"inclusive", "exclusive", "old"} {
			e.lua(nil, `vim.o.selection = ...`, option)
			for _, text := range []string{"two", "fünf"} {
				e.call("openFile", map[string]any{"filePath": path, "startText": text})
				got := value[string](e, `
					vim.cmd.normal({ "y", bang = true })
					return vim.fn.getreg('"')
				`)
				if got != text {
					t.Errorf("selection=%s: yanked %q, not %q", option, got, text)
				}
			}
		}
	})
}

func TestOpenFile_TakesPathsAsTheyAre(t *testing.T) {
	names := []string{
		"$HOME.txt", "a b/c d.txt", "src/[id].tsx", "{a,b}.md", "100%.txt", "#.txt", "~weird", "+1", " lead", "trail ",
		"`echo x`", "'q' \"w\"", "|bar", `back\slash`, "star*?.txt", "<sfile>", "ünïcode", "new\nline", "-", "$(x)",
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		for _, name := range names {
			path := e.file(name, "x\n")
			for _, given := range []string{path, "~/" + name, name} {
				if got := e.call("openFile", map[string]any{"filePath": given}); strings.HasPrefix(name, "~") && given == name {
					continue
				} else if want := "Opened file: " + strings.Replace(given, "~/", strings.TrimSuffix(path, name), 1); got != want {
					t.Errorf("%q: %s", given, got)
				}
				if got := value[string](e, `return vim.api.nvim_buf_get_name(0)`); got != path {
					t.Errorf("%q opened %q", given, got)
				}
			}
		}
		if got := e.call("openFile", map[string]any{"filePath": "~weird"}); got != "Opened file: ~weird" {
			t.Error(got)
		}
	})
}

func TestOpenFile_RefusesWhatIsNoFile(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		dir := nvimtest.Dir(t)
		for given, want := range map[any]string{
			nil:           "-32602 Invalid params: Missing filePath parameter",
			5:             "-32602 Invalid params: Missing filePath parameter",
			dir:           "-32000 File operation error: File not found: " + dir,
			dir + "/nope": "-32000 File operation error: File not found: " + dir + "/nope",
			"~/nope":      "-32000 File operation error: File not found: " + nvimtest.Lookup(e.env, "HOME") + "/nope",
			"/dev/null":   "-32000 File operation error: File not found: /dev/null",
			"nope\x00":    "-32000 File operation error: File not found: nope\x00",
		} {
			args := map[string]any{"makeFrontmost": true}
			if given != nil {
				args["filePath"] = given
			}
			if got := e.call("openFile", args); got != want {
				t.Errorf("%v: %s", given, got)
			}
		}
		if got := value[string](e, where); got != " n 1:1-1:1" {
			t.Errorf("the window shows %s", got)
		}
	})
}

func TestOpenFile_BehindDoesNotMoveTheFocus(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		path := e.file("f.lua", "a\nb\nc")
		e.lua(nil, `
			editor = vim.api.nvim_get_current_win()
			vim.cmd("botright vnew")
			vim.bo.buftype = "nofile"
			vim.api.nvim_buf_set_lines(0, 0, -1, false, { "mine", "too" })
			vim.api.nvim_win_set_cursor(0, { 2, 1 })
			vim.cmd.normal({ "v", bang = true })
			here = vim.api.nvim_get_current_win()
			vim.fn.setreg('"', "kept")
		`)
		got := e.call("openFile", map[string]any{
			"filePath": "~/f.lua", "makeFrontmost": false, "startLine": 2, "endLine": 3,
		})
		got = value[string](e, `
			local r = vim.json.decode((...))
			return ("%s %s %s %s"):format(r.success, r.filePath, r.languageId, r.lineCount)
		`, got)
		if want := "true " + path + " lua 3"; got != want {
			t.Error(got)
		}
		got = value[string](e, `
			local buf = vim.api.nvim_win_get_buf(editor)
			return vim.inspect({
				vim.api.nvim_get_current_win() == here, vim.fn.mode(), vim.api.nvim_win_get_cursor(0), vim.fn.getreg('"'),
				vim.api.nvim_buf_get_name(buf), vim.api.nvim_win_get_cursor(editor),
				vim.api.nvim_buf_get_mark(buf, "<"), vim.api.nvim_buf_get_mark(buf, ">")[1],
			}):gsub("%s+", " ")
		`)
		want := `{ true, "v", { 2, 1 }, "kept", "` + path + `", { 2, 0 }, { 2, 0 }, 3 }`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOpenFile_ChoosesAnEditorWindow(t *testing.T) {
	rows := map[string]string{
		"terminal":  `vim.cmd("enew | terminal cat")`,
		"nofile":    `vim.bo.buftype = "nofile"`,
		"prompt":    `vim.bo.buftype = "prompt"`,
		"quickfix":  `vim.cmd("copen | only")`,
		"diff":      `vim.cmd("diffthis")`,
		"explorer":  `vim.bo.filetype = "neo-tree"`,
		"winfixbuf": `vim.wo.winfixbuf = true`,
		"preview":   `vim.wo.previewwindow = true`,
		"float":     `vim.bo.buftype = "nofile" vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), true, { relative = "editor", row = 1, col = 1, width = 9, height = 3 })`,
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, prepare := range rows {
			for _, front := range []bool{true, false} {
				t.Run(fmt.Sprint(name, front), func(t *testing.T) {
					t.Parallel()
					e := start(t, nvim, options{}).ready()
					path := e.file("f.txt", "a\n")
					e.lua(nil, prepare+` before, here = vim.api.nvim_list_wins(), vim.api.nvim_get_current_win()
						shown = vim.tbl_map(vim.api.nvim_win_get_buf, before)`)
					e.call("openFile", map[string]any{"filePath": path, "makeFrontmost": front})
					// Every window shows what it showed, and a new ordinary one the file.
					got := value[string](e, `
						local new = vim.tbl_filter(function(win)
							return not vim.list_contains(before, win)
						end, vim.api.nvim_list_wins())
						local win = new[1]
						return vim.inspect({
							#new, vim.deep_equal(shown, vim.tbl_map(vim.api.nvim_win_get_buf, before)),
							vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)) == ...,
							vim.wo[win].diff or vim.wo[win].scrollbind or vim.wo[win].foldmethod == "diff" or vim.wo[win].winfixbuf or vim.wo[win].previewwindow or vim.api.nvim_win_get_config(win).relative ~= "",
							vim.api.nvim_get_current_win() == win, vim.api.nvim_get_current_win() == here,
						}):gsub("%s+", " ")
					`, path)
					want := fmt.Sprintf("{ 1, true, true, false, %v, %v }", front, !front)
					if diff := cmp.Diff(want, got); diff != "" {
						t.Error(diff)
					}
				})
			}
		}
	})
}

func TestOpenFile_UsesTheFirstEditorOfAllTabPages(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		path := e.file("f.txt", "a\n")
		got := func(front bool) string {
			e.call("openFile", map[string]any{"filePath": path, "makeFrontmost": front})
			return value[string](e, `
				local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(first))
				return ("%s %d"):format(name, vim.api.nvim_tabpage_get_number(0))
			`)
		}
		e.lua(nil, `first = vim.api.nvim_get_current_win() vim.cmd.tabnew()`)
		if got := got(false); got != path+" 2" {
			t.Error(got)
		}
		if got := got(true); got != path+" 1" {
			t.Error(got)
		}
	})
}

func TestOpenFile_KeepsTheJumpListAndUnsavedChanges(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		a, b := e.file("a.txt", "a\nb\n"), e.file("b.txt", "b\n")
		e.call("openFile", map[string]any{"filePath": a})
		e.lua(nil, `vim.api.nvim_buf_set_lines(0, 0, 1, false, { "changed" })`)
		if got := e.call("openFile", map[string]any{"filePath": a, "startLine": 2}); got != "Opened file and selected lines 2 to 2" {
			t.Error(got)
		}
		e.call("openFile", map[string]any{"filePath": b})
		e.call("openFile", map[string]any{"filePath": a})
		got := value[string](e, `
			local line = vim.api.nvim_buf_get_lines(0, 0, 1, false)[1]
			vim.cmd.normal({ vim.api.nvim_replace_termcodes("<C-o>", true, true, true), bang = true })
			return line .. " " .. vim.fn.expand("%:t")
		`)
		if got != "changed b.txt" {
			t.Error(got)
		}
	})
}

func TestOpenFile_ReportsWhatNeovimRefuses(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		a, b := e.file("a.txt", "a\n"), e.file("b.txt", "b\n")
		e.call("openFile", map[string]any{"filePath": a})
		e.lua(nil, `vim.o.hidden = false vim.api.nvim_buf_set_lines(0, 0, 1, false, { "changed" })`)
		got := e.call("openFile", map[string]any{"filePath": b})
		if !strings.HasPrefix(got, "-32000 File operation error: Failed to open file: ") || !strings.Contains(got, "E37") {
			t.Error(got)
		}
	})
}

func TestOpenFile_PreviewsInThePreviewWindow(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{}).ready()
		path := e.file("f [1].txt", sample)
		got := e.call("openFile", map[string]any{"filePath": path, "preview": true, "startText": "four"})
		got += "; " + value[string](e, where) + value[string](e, `return " " .. tostring(vim.wo.previewwindow) .. #vim.api.nvim_list_wins()`)
		if got != `Opened file and selected text "four"; f [1].txt v 2:8-2:11 true2` {
			t.Error(got)
		}
	})
}

func TestOpenFile_AsksNothingAboutASwapFile(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true}).ready()
		path := e.file("f.txt", "a\n")
		// What a Neovim that crashed leaves: a swap file whose process is gone.
		e.lua(nil, `
			vim.cmd.edit((...))
			vim.api.nvim_buf_set_lines(0, 0, 1, false, { "unsaved" })
			vim.cmd.preserve()
			local swap = vim.fn.swapname(0)
			local data = assert(io.open(swap, "rb")):read("*a")
			vim.cmd("bwipeout!")
			data = data:sub(1, 24) .. "\255\255\255\127" .. data:sub(29)
			local file = assert(io.open(swap, "wb"))
			file:write(data)
			file:close()
		`, path)
		if got := e.call("openFile", map[string]any{"filePath": path}); got != "Opened file: "+path {
			t.Error(got)
		}
		if notices := e.notices(1); !strings.Contains(notices[0], "a swap file exists for "+path) {
			t.Errorf("%q", notices)
		}
	})
}
