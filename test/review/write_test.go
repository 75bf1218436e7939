// Copyright (c) 2026 the claudecoded authors. MIT license.

package review

import (
	"strings"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
)

// undecided are what a user types in the proposed window that decides nothing, and the files
// with the proposal that are there afterwards.
var undecided = []struct {
	name, options, keys string
	written             []string
	returns             bool // a message has to be left
}{
	{name: "another file", keys: ":w new.txt<CR>", written: []string{"new.txt"}},
	{name: "another file that exists", keys: ":w! g.txt<CR>", written: []string{"g.txt"}},
	{name: "saveas", keys: ":saveas new.txt<CR>", written: []string{"new.txt"}},
	{name: "a part of it", keys: ":1,2w!<CR>"},
	{name: "the file itself", keys: ":w! f.txt<CR>"},
	{name: "a shell command", options: "autowrite", keys: ":!true<CR>", returns: true},
	{name: "a shell command with a modifier", options: "autowrite", keys: ":silent !true<CR>"},
	{name: "make", options: "autowrite makeprg=true", keys: ":silent make<CR>"},
	{name: "make by a mapping", options: "autowrite makeprg=true", keys: ",m"},
	{name: "a shell command by a mapping", options: "autowrite", keys: ",s"},
	{name: "grep", options: "autowrite grepprg=true", keys: ":silent grep x<CR>"},
	{name: "suspend", options: "autowrite", keys: "<C-z>"},
	{name: "stop", options: "autowrite", keys: ":stop<CR>"},
	{name: "editing again", keys: "dd:e!<CR>"},
}

// TestWrite_ThatIsNoneOfTheProposalDecidesNothing also pins that the diff can be accepted
// afterwards, by `:w` as ever.
func TestWrite_ThatIsNoneOfTheProposalDecidesNothing(t *testing.T) {
	t.Parallel()
	each(t, []string{"vertical", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Lua(nil, `
			vim.keymap.set("n", ",m", "<cmd>silent make<cr>")
			vim.keymap.set("n", ",s", "<cmd>silent !true<cr>")
			vim.o.autowrite = false
		`)
		for _, way := range undecided {
			e.write("g.txt", "other\n")
			e.Lua(nil, `
				events, answers = {}, {}
				os.remove("new.txt")
				vim.cmd("set noautowrite " .. ... )
			`, "noautowriteall "+way.options)
			e.propose("a", "f.txt", proposed)
			e.enter()
			shape := e.value(`shape()`)
			keys := way.keys
			if layout == "unified" {
				keys = strings.TrimPrefix(keys, "dd")
			}
			t.Log(way.name)
			e.keys(keys)
			if way.returns {
				nvimtest.Eventually(t, "the command's message is shown", func() bool {
					mode, err := e.Mode()
					return err == nil && mode.Blocking
				})
				e.keys("<CR>")
			}
			for _, file := range way.written {
				nvimtest.Eventually(t, way.name+": "+file+" is written", func() bool { return e.read(file) == proposed })
			}
			e.settled()
			e.expect(`line(answers.a)`, "{}")
			e.expect(`shape()`, shape)
			if got := e.read("f.txt"); got != "one\ntwo\nthree\n" {
				t.Errorf("%s: the file is now %q", way.name, got)
			}
			e.keys(":w<CR>")
			if got, ok := e.soon(`line(answers.a)`, saved); !ok {
				t.Errorf("%s, then :w: answered %s; messages %q", way.name, got, e.Messages())
			}
			e.Lua(nil, `
				require("claudecode.diff").close_all_diffs()
			`)
			if got, ok := e.soon(`#events == 2 and shape()`, alone); !ok {
				t.Fatalf("%s: at the end the windows are %s", way.name, got)
			}
			e.Lua(nil, `
				for _, buf in ipairs(vim.api.nvim_list_bufs()) do
					if not vim.api.nvim_buf_get_name(buf):find("f.txt", 1, true) then
						vim.api.nvim_buf_delete(buf, { force = true })
					end
				end
			`)
		}
	})
}

// TestWrite_OfAPluginWhileTheUserTypesACommandDecidesNothing: it was queued before the last key.
// While a command is completed Neovim does not tell that it waits for the next one.
func TestWrite_OfAPluginWhileTheUserTypesACommandDecidesNothing(t *testing.T) {
	t.Parallel()
	each(t, []string{"vertical", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.propose("a", "f.txt", proposed)
		e.enter()
		e.keys(":edit ")
		e.until("the command is typed", `vim.fn.getcmdline() == "edit "`)
		e.Lua(nil, `
			local buf = vim.api.nvim_get_current_buf()
			local function write()
				if vim.fn.wildmenumode() == 0 then
					return vim.schedule(write)
				end
				vim.api.nvim_buf_call(buf, function() vim.cmd("silent write") end)
				written = true
			end
			vim.schedule(write)
			vim.api.nvim_input("<Tab>")
		`)
		e.until("it is written", `written`)
		e.keys("<C-c>")
		e.settled()
		e.expect(`answers.a`, "{}")
		e.expect(`vim.bo.modified`, "true")
		e.keys(":w<CR>")
		e.expectSoon(`line(answers.a)`, saved)
	})
}

// settled waits until the editor has done what was typed.
func (e *editor) settled() {
	e.t.Helper()
	e.Lua(nil, `
		typed = false
		vim.keymap.set("n", ",,", function() vim.schedule(function() typed = true end) end)
	`)
	e.keys("<Esc>,,")
	e.until("what was typed is done", `typed`)
	<-time.After(30 * time.Millisecond)
}

// TestWrite_AcceptsWhateverTheNameOfTheDiffIs: a copy is told by the name of the file written.
func TestWrite_AcceptsWhateverTheNameOfTheDiffIs(t *testing.T) {
	t.Parallel()
	names := []string{
		"✻ [Claude Code] f.txt (e18e1e) ⧉", "", " ", "a/b/../c", "/no/such/folder/x", "%:p", "#", `tab|bar "q"`, "two\nlines",
		"~/x", "$HOME", "*?[a]", `back\slash`, "http://host/x", "f.txt", "./f.txt", "../x", strings.Repeat("long", 750),
	}
	each(t, []string{"vertical", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		for _, name := range names {
			e.Lua(nil, `events, answers = {}, {}`)
			t.Logf("%.20q", name)
			e.ask(name, "f.txt", proposed)
			e.until("the diff "+name+" is open", `#events == 1`)
			e.enter()
			e.keys(":w<CR>")
			if got, ok := e.soon(`select(2, next(answers))[1] and select(2, next(answers))[1][1] or ""`, "FILE_SAVED"); !ok {
				t.Errorf("%q: answered %s; messages %q", name, got, e.Messages())
			}
			e.Lua(nil, `require("claudecode.diff").close_all_diffs()`)
			e.until("the diff is closed", `#events == 2`)
		}
	})
}

// TestEdit_AgainPutsTheProposalBackAsItWasShown: its text, its filetype's plugins and its keys.
func TestEdit_AgainPutsTheProposalBackAsItWasShown(t *testing.T) {
	t.Parallel()
	each(t, []string{"vertical", "unified"}, func(t *testing.T, nvim, layout string) {
		e := open(t, nvim, map[string]any{"layout": layout})
		e.Lua(nil, `
			filetypes = {}
			vim.api.nvim_create_autocmd("FileType", { callback = function(event)
				table.insert(filetypes, event.match)
			end })
		`)
		e.propose("a", "f.txt", proposed)
		e.enter()
		e.Lua(nil, `
			function seen()
				local marks = vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("claudecode_inline_diff"), 0, -1, {})
				return { vim.api.nvim_buf_get_lines(0, 0, -1, true), #marks, vim.bo.modified, vim.bo.filetype, vim.wo.diff,
					vim.fn.maparg([[\da]], "n") ~= "" or vim.fn.maparg([[\da]], "n", false, true).buffer }
			end
			before, filetypes = line(seen()), {}
		`)
		if layout == "unified" {
			e.keys(":2,3ClaudeCodeDiffDeny<CR>")
		} else {
			e.keys("dd")
		}
		e.until("it differs", `line(seen()) ~= before`)
		e.keys(":e!<CR>")
		e.settled()
		e.expect(`line(seen()) == before or line(seen())`, "true")
		e.expect(`line(filetypes)`, `{ "text" }`)
		e.keys(`\da`)
		if got, ok := e.soon(`line(answers.a)`, saved); !ok {
			t.Errorf("answered %s", got)
		}
	})
}
