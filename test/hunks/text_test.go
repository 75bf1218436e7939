// Copyright (c) 2026 the claudecoded authors. MIT license.

package hunks

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

const bom = "\ufeff"

// fill has a proposed buffer show a text in the current window, among autocommands that would
// spoil it if they ran.
const fill = `
	local text = require("claudecode.diff.text")
	buf = vim.api.nvim_create_buf(false, true)
	vim.bo[buf].buftype = "acwrite"
	local autocmd = vim.api.nvim_create_autocmd({ "OptionSet", "BufModifiedSet", "TextChanged", "BufReadPost" }, {
		callback = function() error("an autocommand ran") end,
	})
	text.fill(buf, ...)
	vim.api.nvim_del_autocmd(autocmd)
	vim.api.nvim_win_set_buf(0, buf)
`

const read = `return require("claudecode.diff.text").read(buf)`

// exact are texts that a buffer keeps to the byte.
var exact = map[string]string{
	"empty":                       "",
	"one line end":                "\n",
	"two line ends":               "\n\n",
	"no final line end":           "a\nb",
	"final line end":              "a\nb\n",
	"blank line at the end":       "a\n\n",
	"CRLF":                        "a\r\nb\r\n",
	"CRLF without the last":       "a\r\nb",
	"mixed line ends":             "a\r\nb\nc\r",
	"CR":                          "a\rb\r",
	"only CR":                     "\r",
	"byte order mark":             bom + "a\nb\n",
	"byte order mark, no end":     bom + "a",
	"only a byte order mark":      bom,
	"byte order mark and end":     bom + "\n",
	"two byte order marks":        bom + bom + "a\n",
	"byte order mark in the text": "a" + bom + "\n",
	"NUL":                         "a\x00b\x00\n\x00",
	"only NUL":                    "\x00",
	"lone combining characters":   "\u0301a\n\u0301",
	"control characters":          "\x1b\x01\x7f\v\f\t\n",
	"other line ends":             "a\u2028b\u0085c\u2029\n",
	"what modelines look like":    "vim: set noeol ff=dos bomb:\n",
	"no UTF-8":                    "\xff\xfea\xc0\n",
	"beyond the first plane":      "😀\n𝒳",
	"3 MiB":                       strings.Repeat("0123456789abcde\n", 3<<16),
	"3 MiB of line ends":          strings.Repeat("\n", 3<<20),
	"1 MiB in one line":           strings.Repeat("x", 1<<20),
	"1 MiB in one line with end":  strings.Repeat("é", 1<<19) + "\n",
}

func TestText_ComesBackByteForByteIfUntouched(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for name, text := range exact {
			e.lua(nil, fill, text)
			e.expect(name, read, text)
			e.lua(nil, `vim.cmd("silent! undo | redraw | silent! normal! u")`)
			e.expect(name+", undone", read, text)
			e.lua(nil, `require("claudecode.diff.text").fill(buf, ...)`, text)
			e.expect(name+", filled again", read, text)
			e.lua(nil, `vim.cmd("bwipeout!")`)
		}
	})
}

// expect compares a text that Lua returns.
func (e *editor) expect(what, code, want string) {
	e.t.Helper()
	if got := value[string](e, code); got != want {
		e.t.Errorf("%s: got %s, want %s", what, brief(got), brief(want))
	}
}

func brief(text string) string {
	if len(text) > 200 {
		return fmt.Sprintf("%q… of %d bytes", text[:60], len(text))
	}
	return fmt.Sprintf("%q", text)
}

func TestText_HasExactlyWhatTheUserChanged(t *testing.T) {
	rows := []struct{ name, text, keys, want string }{
		{"in the middle", "a\nb\nc\n", "2GAx<Esc>", "a\nbx\nc\n"},
		{"in the middle, no final line end", "a\nb\nc", "2GAx<Esc>", "a\nbx\nc"},
		{"in the middle of CRLF", "a\r\nb\r\nc\r\n", "2Gix<Esc>", "a\r\nxb\r\nc\r\n"},
		{"in the middle of mixed ends", "a\r\nb\nc\r", "2GAx<Esc>", "a\r\nbx\nc\r"},
		{"beside NUL", "a\x00b\nc", "GAx<Esc>", "a\x00b\ncx"},
		{"behind a byte order mark", bom + "a\n", "ix<Esc>", bom + "xa\n"},
		{"behind a byte order mark, no end", bom + "a", "Ax<Esc>", bom + "ax"},
		{"at the end", "a\nb\n", "Gox<Esc>", "a\nb\nx\n"},
		{"at the end, no final line end", "a\nb", "Gox<Esc>", "a\nb\nx"},
		{"added a final line end", "a\nb", "Go<Esc>", "a\nb\n"},
		{"added a final line end by option", "a\nb", ":set eol<CR>", "a\nb\n"},
		{"removed a final line end", "a\nb\n", ":set noeol<CR>", "a\nb"},
		{"removed the byte order mark", bom + "a\n", ":set nobomb<CR>", "a\n"},
		{"deleted the last line", "a\nb\n", "Gdd", "a\n"},
		{"deleted the last line, no final line end", "a\nb", "Gdd", "a"},
		{"deleted everything", "a\nb\n", "ggdG", ""},
		{"deleted everything, no final line end", "a\nb", "ggdG", ""},
		{"deleted everything behind a byte order mark", bom + "a\n", "ggdG", ""},
		{"deleted the only line", "\n", "dd", ""},
		{"deleted the only character", "a\n", "x", "\n"},
		{"deleted everything and undid it", "a\nb\n", "ggdGu", "a\nb\n"},
		{"deleted everything and undid it, no final line end", "a\nb", "ggdGu", "a\nb"},
		{"deleted everything and wrote anew", "a\nb\n", "ggdGix<Esc>", "x\n"},
		{"wrote into nothing", "", "ix<Esc>", "x"},
		{"wrote into nothing and undid it", "", "ix<Esc>u", ""},
		{"wrote into a line end", "\n", "ix<Esc>", "x\n"},
		{"undid more than there was", "a\nb\n", "xuuu", "a\nb\n"},
		{"other file format", "a\nb\n", ":set ff=dos<CR>x", "\nb\n"},
		{"one line of 1 MiB", exact["1 MiB in one line"], "xAy<Esc>", exact["1 MiB in one line"][1:] + "y"},
		{"3 MiB", exact["3 MiB"], "ggxGAy<Esc>", exact["3 MiB"][1:len(exact["3 MiB"])-1] + "y\n"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for _, row := range rows {
			e.lua(nil, fill, row.text)
			e.lua(nil, `vim.api.nvim_feedkeys(vim.keycode(...), "ntx", false)`, row.keys)
			e.expect(row.name, read, row.want)
			e.lua(nil, `vim.cmd("bwipeout!")`)
		}
	})
}

func TestText_FilledAgainTakesBackWhatAutocommandsDid(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.lua(nil, fill, bom+"a \r\nb ")
		e.lua(nil, `
			vim.cmd("%substitute/\\s*\\r*$//")
			local bo = vim.bo[buf]
			bo.endofline, bo.fixendofline, bo.bomb, bo.fileformat = true, true, false, "mac"
			bo.modifiable = false
			require("claudecode.diff.text").fill(buf, ...)
		`, bom+"a \r\nb ")
		e.expect("filled again", read, bom+"a \r\nb ")
		e.lua(nil, `vim.cmd("silent! undo")`)
		e.expect("undone", read, bom+"a \r\nb ")
	})
}

func TestText_HasTheFiletypeOfItsPathUnlessItIsHuge(t *testing.T) {
	rows := []struct{ name, path, text, want string }{
		{"by its name", "/x/f.lua", "a\n", "lua"},
		{"by its content", "/x/f", "#!/bin/sh\n", "sh"},
		{"of another buffer", "/x/f.unknown", "a\n", "other"},
		{"many bytes", "/x/f.json", strings.Repeat("1\n", 1<<18) + "1", ""},
		{"as many bytes as allowed", "/x/f.json", strings.Repeat("1\n", 1<<18), "json"},
		{"a long line", "/x/f.json", strings.Repeat("1", 10<<10+1), ""},
		{"as long a line as allowed", "/x/f.json", strings.Repeat("1", 10<<10) + "\nb", "json"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for _, row := range rows {
			e.lua(nil, fill, row.text)
			e.lua(nil, `
				other = vim.api.nvim_create_buf(false, true)
				vim.bo[other].filetype = "other"
				require("claudecode.diff.text").set_filetype(buf, select(1, ...), select(2, ...), other)
			`, row.path, row.text)
			e.expect(row.name, `return vim.bo[buf].filetype`, row.want)
			e.lua(nil, `vim.cmd("bwipeout!")`)
		}
	})
}
