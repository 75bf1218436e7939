// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"os"
	"testing"

	"claudecoded/test/nvimtest"
)

// deaf has the daemon hear nothing of one method, and only its questions end soon.
const deaf = `
	local method = ...
	local daemon, ask = require("claudecode.daemon"), require("claudecode.turns.ask")
	deadlines = deadlines or ask.deadline_ms
	ask.deadline_ms = vim.tbl_extend("force", deadlines, { [method] = 100 })
	notify = notify or daemon.notify
	function daemon.notify(name, message)
		return name == method or notify(name, message)
	end`

func TestQuestion_ThatIsNotAnsweredEnds(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt", "b.txt")
		d.review()
		d.Lua(nil, deaf, "turn_file")
		d.keys("]c")
		d.says("b.txt cannot be shown: the server has not answered for 1 s; try it again")
		d.Lua(nil, deaf, "put")
		d.keys("do")
		d.says("a.txt: the server has not answered for 1 s: it is not known whether it was written; look again")
		d.keys("]c")
		d.soon(`vim.fs.basename(vim.api.nvim_buf_get_name(0))`, "b.txt")
	})
}

func TestQuestion_IsOneOfSoMany(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.Lua(nil, `
			local daemon, ask = require("claudecode.daemon"), require("claudecode.turns.ask")
			sent, answers = 0, {}
			function daemon.notify() sent = sent + 1 return true end
			for _ = 1, ask.max_asked + 1 do
				ask.ask("turns", {}, function(_, err) table.insert(answers, err) end)
			end`)
		d.expect("answers", `{ "too many questions wait for the server; try it again" }`)
		d.expect("sent", "64")
	})
}

func TestRevert_SaysSoIfAnAnswerIsMissing(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt")
		d.Command("edit a.txt")
		d.Lua(nil, `
			local ask = require("claudecode.turns.ask")
			local real = ask.on_answer
			function ask.on_answer(id, answer)
				real(id, answer[1] and answer[1].path and {} or answer)
			end`)
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("a.txt: the server did not say: it is not known whether it was written; look again")
		d.expect(`table.concat(require("claudecode.log").recent(), "\n"):find("taken back") == nil`, "true")
	})
}

func TestSigns_AskForOneFileAtATime(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, map[string]any{"review": map[string]any{"signs": true}})
		files := []string{"a.txt", "new\n", "b.txt", "new\n", "c.txt", "new\n", "d.txt", "new\n"}
		for i := 0; i < len(files); i += 2 {
			d.put(files[i], "one\n")
			d.Command("edit " + files[i])
		}
		d.Lua(nil, `
			local daemon, ask, rpc = require("claudecode.daemon"), require("claudecode.turns.ask"), require("claudecode.rpc")
			local notify, handle = daemon.notify, rpc.handle
			asked, most = 0, 0
			function daemon.notify(name, message)
				asked = asked + (name == "turn_file" and 1 or 0)
				most = math.max(most, asked)
				return notify(name, message)
			end
			function rpc.handle(name, ...)
				asked = asked - (name == "turn_file" and 1 or 0)
				return handle(name, ...)
			end`)
		d.edits(files...)
		d.soon(`vim.iter(vim.api.nvim_list_bufs()):filter(function(buf)
			return #vim.api.nvim_buf_get_extmarks(buf, vim.api.nvim_create_namespace("claudecode.turns.signs"), 0, -1, {}) > 0
		end):fold(0, function(n) return n + 1 end)`, "4")
		d.expect("most", "1")
	})
}

// A server that ends in the middle has written some files, and nobody can say which.
func TestRevert_SaysThatNobodyKnowsWhatAServerThatEndedWrote(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		for _, name := range []string{"a.txt", "b.txt"} {
			d.put(name, "one\n")
			d.Command("split " + name)
		}
		d.edits("a.txt", "two\n", "b.txt", "two\n", "new.txt", "new\n")
		d.Command("split new.txt")
		d.Lua(nil, `
			local daemon, notify = require("claudecode.daemon"), nil
			notify = daemon.notify
			function daemon.notify(name, message)
				sent = sent or name == "put"
				return name == "put" or notify(name, message)
			end`)
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.soon("sent", "true")
		d.put("b.txt", "one\n") // as the server does
		if err := os.Remove(d.path("new.txt")); err != nil {
			t.Fatal(err)
		}
		d.Lua(nil, `require("claudecode.turns.ask").on_gone()`)
		d.says("the server ended: it is not known what of 3 files is taken back; look again")
		d.soon(`lines_of("a.txt") .. " " .. lines_of("b.txt")`, "two one")
		d.expect(`vim.fn.execute("checktime")`, "") // nothing of the one that is gone
	})
}

// A file that the server can tell nothing of keeps none of the others from being taken back.
func TestRevert_OfTheTurnLeavesAFileThatTheServerRefuses(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt", "b.txt")
		d.Lua(nil, `
			local ask = require("claudecode.turns.ask")
			local real = ask.on_answer
			function ask.on_answer(id, answer)
				local refused = answer.after and vim.endswith(answer.path, "a.txt")
				real(id, refused and { error = "that turn did not change the file" } or answer)
			end`)
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 1 file are taken back, not those of a.txt")
		d.expect("asked", "Take back all that Claude changed?\n  leave  a.txt  (that turn did not change the file)\n  write  b.txt")
		d.holds("a.txt", "two\n")
		d.holds("b.txt", "one\n")
	})
}

// Of more files than are known the user hears before and after.
// untold is of files that are too many to look at.
const untold = "there are too many work trees, or files untracked or not as committed, to know what commands changed"

func TestRevert_OfTheTurnSaysThatThereAreMoreFilesThanAreKnown(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt")
		d.Lua(nil, `
			local ask = require("claudecode.turns.ask")
			local real = ask.on_answer
			function ask.on_answer(id, answer)
				if answer.more ~= nil then
					answer.more, answer.unseen = true, true
				end
				real(id, answer)
			end`)
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 1 file are taken back; there are files beyond those that are known, which stay as they are; " + untold)
		d.expect("asked", "Take back all that Claude changed?\n  write  a.txt\n"+
			"  there are files beyond those that are known, which stay as they are\n  "+untold)
		d.review()
		said := "; there are files beyond those that are known, which stay as they are; " + untold
		d.soon(`vim.iter(vim.fn.getbufline(vim.fn.bufnr("Claude's changes"), 1)):any(function(l) return vim.endswith(l, "`+said+`") end)`, "true")
	})
}

// Names of many files that are left would fill the screen.
func TestRevert_OfTheTurnNamesAFewOfTheFilesThatItLeaves(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		var files []string
		for i := range 30 {
			files = append(files, fmt.Sprintf("f%02d.txt", i), "two\n")
		}
		d.edits(files...)
		for i := 0; i < len(files); i += 2 {
			d.put(files[i], "mine\n")
		}
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("None of Claude's changes is taken back, not those of f00.txt, f01.txt, f02.txt and 27 more: ")
	})
}
