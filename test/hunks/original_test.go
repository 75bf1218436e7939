// Copyright (c) 2026 the claudecoded authors. MIT license.

package hunks

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"claudecoded/test/nvimtest"
)

func (e *editor) write(name, content string) string {
	e.t.Helper()
	path := filepath.Join(e.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		e.t.Fatal(err)
	}
	return path
}

func TestOriginal_TextIsWhatNeovimMakesOfTheBytes(t *testing.T) {
	rows := []struct{ name, bytes, proposal, want string }{
		{"UTF-8", "a\né\n", "", "a\né\n"},
		{"no final line end", "a\nb", "", "a\nb"},
		{"empty", "", "", ""},
		{"one line end", "\n", "", "\n"},
		{"byte order mark", bom + "a\n", "", "a\n"},
		{"only a byte order mark", bom, "", ""},
		{"CRLF", "a\r\nb\r\n", "", "a\nb\n"},
		{"CRLF without the last", "a\r\nb", "", "a\nb"},
		{"mixed ends", "a\r\nb\nc\r\n", "x\n", "a\nb\nc\n"},
		{"mixed ends, in the proposal too", "a\r\nb\nc\r\n", "x\r\ny\n", "a\r\nb\nc\r\n"},
		{"Latin-1", "a\n\xe9\xff\n", "", "a\néÿ\n"},
		{"UTF-16 little endian", "\xff\xfea\x00\n\x00\xe9\x00", "", "a\né"},
		{"UTF-16 big endian", "\xfe\xff\x00a\x00\n\x00\xe9\x00\n", "", "a\né\n"},
		{"NUL", "a\x00\nb\n", "", "a\x00\nb\n"},
		{"modeline", "vim: set noeol ff=dos fenc=latin1:\na\n", "", "vim: set noeol ff=dos fenc=latin1:\na\n"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		e.lua(nil, `
			events = {}
			vim.api.nvim_create_autocmd({ "BufAdd", "BufNew", "BufReadPre", "BufRead", "FileType", "BufUnload", "BufEnter", "OptionSet" }, {
				callback = function(event) table.insert(events, event.event) end,
			})
		`)
		text := `
			local original = require("claudecode.diff.original")
			return original.text(original.find((...)), select(2, ...))
		`
		for _, row := range rows {
			path := e.write("f.txt", row.bytes)
			if got := value[string](e, text, path, row.proposal); got != row.want {
				t.Errorf("%s, from the disk: %q, not %q", row.name, got, row.want)
			}
			if got := value[int](e, `return #events + #vim.api.nvim_list_bufs() + #vim.api.nvim_list_wins()`); got != 2 {
				t.Errorf("%s: reading was noticed: %s", row.name, value[string](e, `return vim.inspect(events)`))
			}
			e.lua(nil, `vim.o.modelines = 0 vim.cmd.edit(...) vim.o.modelines = 5`, path)
			if got := value[string](e, text, path, row.proposal); got != row.want {
				t.Errorf("%s, from the buffer: %q, not %q", row.name, got, row.want)
			}
			e.lua(nil, `vim.cmd("bwipeout!") events = {}`)
		}
		e.expect("files left behind", `return vim.fn.glob(vim.fs.dirname(vim.fn.tempname()) .. "/*")`, "")
	})
}

func TestOriginal_IsFoundExactly(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		path := e.write("a.txt", "a\n")
		e.write("a.txt.bak", "b\n")
		find := func(what, path, want string) {
			t.Helper()
			got := value[string](e, `
				local found = require("claudecode.diff.original").find(...)
				return ("%s %s %s %s"):format(found.is_new, found.buf ~= nil, found.modified, found.unloaded ~= nil)
			`, path)
			if got != want {
				t.Errorf("%s: new, buffer, modified, unloaded: %s, not %s", what, got, want)
			}
		}
		find("no buffer", path, "false false false false")
		find("no file", path+".no", "true false false false")
		find("a folder", e.dir, "true false false false")
		find("no regular file", "/dev/null", "true false false false")
		e.lua(nil, `vim.fn.bufload(vim.fn.bufadd(... .. ".bak"))`, path)
		find("another file's buffer", path, "false false false false")
		e.lua(nil, `vim.fn.bufadd(...)`, path)
		find("an unloaded buffer", path, "false false false true")
		e.lua(nil, `vim.cmd.edit(...)`, path)
		find("a buffer", path, "false true false false")
		e.lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "mine" })`)
		find("a buffer with changes", path, "false true true false")
		e.lua(nil, `vim.cmd.edit({ args = { ... }, bang = true })`, path+".no")
		find("a new file's buffer", path+".no", "true true false false")
	})
}

func TestOriginal_UnsavedChangesFareAsTheOptionSays(t *testing.T) {
	refused := func(path string) string {
		return "Cannot create diff: file has unsaved changes (Please save (:w) or discard (:e!) changes to " + path + " before creating diff)"
	}
	rows := []struct {
		rule           string
		pick           int // what the user picks, 0 for nothing
		want           string
		buffer, onDisk string
	}{
		{"error", 0, "refused", "mine+", "a\n"},
		{"", 0, "refused", "mine+", "a\n"},
		{"diff_buffer", 0, "true", "mine+", "a\n"},
		{"prompt", 1, "true", "mine", "mine\n"},
		{"prompt", 2, "true", "a", "a\n"},
		{"prompt", 3, "true", "mine+", "a\n"},
		{"prompt", 4, "false", "mine+", "a\n"},
		{"prompt", 0, "false", "mine+", "a\n"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		for _, wanted := range []bool{true, false} {
			for _, row := range rows {
				path := e.write("a.txt", "a\n")
				got := value[string](e, `
					local path, rule, pick, wanted = ...
					vim.cmd.edit(path)
					vim.api.nvim_buf_set_lines(0, 0, -1, true, { "mine" })
					vim.cmd.enew()
					vim.ui.select = function(items, options, choose)
						assert(#items == 4 and options.prompt:find("a.txt", 1, true) and options.format_item(items[4]) == "Cancel")
						choose(items[pick], pick > 0 and pick or nil)
					end
					local original, answers = require("claudecode.diff.original"), {}
					require("claudecode.diff.unsaved").settle(original.find(path), rule ~= "" and rule or nil, function() return wanted end, function(err, go)
						table.insert(answers, err and ("%s (%s)"):format(err.message, err.data) or tostring(go))
					end)
					local buf = vim.fn.bufnr(path)
					local line = vim.api.nvim_buf_get_lines(buf, 0, 1, true)[1] .. (vim.bo[buf].modified and "+" or "")
					vim.cmd("silent %bwipeout!")
					return table.concat(answers, " ") .. "; " .. line
				`, path, row.rule, row.pick, wanted)
				want, onDisk := row.want+"; "+row.buffer, row.onDisk
				switch {
				case row.want == "refused":
					want = refused(path) + "; " + row.buffer
				case !wanted && row.rule == "prompt":
					want, onDisk = "; mine+", "a\n"
				}
				if got != want {
					t.Errorf("%+v, wanted %v: %s, not %s", row, wanted, got, want)
				}
				if data, _ := os.ReadFile(path); string(data) != onDisk {
					t.Errorf("%+v, wanted %v: on disk %q", row, wanted, data)
				}
			}
		}
	})
}

func TestOriginal_SaveThatFailsIsAnError(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim)
		got := value[string](e, `
			vim.cmd.edit(...)
			vim.api.nvim_buf_set_lines(0, 0, -1, true, { "mine" })
			vim.api.nvim_create_autocmd("BufWritePre", { callback = function() error("thrown") end })
			vim.ui.select = function(items, _, choose) choose(items[1]) end
			local original = require("claudecode.diff.original")
			local said
			require("claudecode.diff.unsaved").settle(original.find((...)), "prompt", function() return true end, function(err, go)
				said = ("%s %s %s"):format(err.message, err.data:match("thrown"), go)
			end)
			return said .. " " .. tostring(vim.bo.modified)
		`, e.write("a.txt", "a\n"))
		if got != "Cannot create diff: Save and continue failed thrown false true" {
			t.Error(got)
		}
	})
}

func TestOriginal_LoadedForADiffIsGoneAfterItUnlessUsed(t *testing.T) {
	rows := []struct{ name, before, use, want string }{
		{"only looked at", "", "", "gone"},
		{"read again", "", `vim.uv.fs_utime(path, 1, 1) vim.cmd.checktime(buf)`, "gone"},
		{"changed", "", `vim.api.nvim_buf_set_lines(buf, 0, 0, true, { "x" })`, "loaded"},
		{"changed and saved", "", `vim.api.nvim_buf_set_lines(buf, 0, 0, true, { "x" }) vim.api.nvim_buf_call(buf, vim.cmd.write)`, "loaded"},
		{"edited elsewhere", "", `vim.cmd.split(path)`, "loaded"},
		{"listed", "", `vim.bo[buf].buflisted = true`, "loaded"},
		{"set as modified", "", `vim.bo[buf].modified = true`, "loaded"},
		{"shown by the user", "", `vim.cmd.sbuffer(buf)`, "loaded"},
		{"lent a second time", "", `original.load(original.find(path))`, "loaded"},
		{"lent a second time and given back", "", `select(2, original.load(original.find(path)))()`, "gone"},
		{"wiped out", "", `vim.cmd.bwipeout(buf)`, "gone"},
		{"unloaded before", `vim.cmd.badd(path)`, "", "unloaded"},
		{"loaded before", `vim.fn.bufload(vim.fn.bufadd(path))`, "", "loaded"},
		{"shown before", `vim.cmd.edit(path)`, "", "loaded"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, row := range rows {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				e := start(t, nvim)
				got := value[string](e, fmt.Sprintf(`
					path = ...
					vim.o.autoread = true
					%s
					local original = require("claudecode.diff.original")
					local buf, release = original.load(original.find(path))
					local listed = vim.bo[buf].buflisted
					assert(vim.api.nvim_buf_is_loaded(buf))
					%s
					release()
					release()
					if vim.fn.bufexists(path) == 0 then
						return listed and "listed" or "gone"
					end
					return vim.fn.bufloaded(path) == 1 and "loaded" or "unloaded"
				`, row.before, row.use), e.write("a.txt", "a\n"))
				if got != row.want {
					t.Errorf("%s: %s", row.name, got)
				}
			})
		}
	})
}

func TestOriginal_ErrorsOfAutocommandsLeaveNothingBehind(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, event := range []string{"BufReadPre", "BufReadPost", "FileType"} {
			for _, before := range []string{"", "vim.cmd.badd(path)"} {
				e := start(t, nvim)
				got := value[string](e, fmt.Sprintf(`
					path = ...
					%s
					vim.api.nvim_create_autocmd(%q, { callback = function() error("thrown") end })
					local original = require("claudecode.diff.original")
					local found = original.find(path)
					local bufs = vim.api.nvim_list_bufs()
					local ok, err = pcall(original.load, found)
					return ("%%s %%s %%s %%d"):format(ok, tostring(err):match("thrown"), vim.deep_equal(bufs, vim.api.nvim_list_bufs()),
						vim.fn.bufloaded(path))
				`, before, event), e.write("a.json", "a\n"))
				if got != "false thrown true 0" {
					t.Errorf("%s %s: %s", event, before, got)
				}
			}
		}
	})
}
