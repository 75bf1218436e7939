// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// filter lets no text of files out that are called private, and notes what it is asked.
const filter = `
	seen, at_once = {}, 0
	require("claudecode").state.config.selection_filter = function(buf)
		local name = vim.fs.basename(vim.api.nvim_buf_get_name(buf))
		seen[name] = (seen[name] or 0) + 1
		local in_pieces = name == "" or require("mcp-tools.slices").can_pause()
		at_once = at_once + (in_pieces and 0 or 1)
		return name:find("private") and "path" or "full"
	end`

// kept waits until it is kept or not of each file of all turns, newest first.
func (d *desk) kept(want string) {
	d.t.Helper()
	d.eventually("what is kept is "+want, func() (string, bool) {
		d.Lua(nil, `
			local ask, lines, more = require("claudecode.turns.ask"), {}, nil
			function more(entries, i)
				if not entries[i] then
					kept = table.concat(lines, " ")
					return
				end
				ask.turn(entries[i].turn, false, function(turn)
					for _, file in ipairs(turn.files) do
						table.insert(lines, vim.fs.basename(file.path) .. "=" .. tostring(file.kept))
					end
					more(entries, i + 1)
				end)
			end
			ask.ask("turns", {}, function(entries) more(entries, 1) end)`)
		got := d.value("kept or ''")
		return got, got == want
	})
}

// With two Claudes the newest turn, and how many files it changed, stay the same.
func TestFilter_IsAskedAboutEveryTurnThatChanges(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.Lua(nil, filter)
		for _, name := range []string{"a.txt", "b.txt", "private1", "private2"} {
			d.put(name, "one\n")
		}
		other := stage.Connect(t, d.lock)
		d.prompt()
		d.promptOf(other)
		d.edit(d.client, "a.txt", "two\n")
		d.edit(other, "b.txt", "two\n")
		d.soon(`(seen["a.txt"] or 0) .. (seen["b.txt"] or 0)`, "11")
		d.edit(d.client, "private1", "two\n") // of the older
		d.kept("b.txt=true a.txt=true private1=false")
		d.edit(other, "private2", "two\n") // in place of another
		d.edit(other, "b.txt", "one\n")
		d.kept("private2=false a.txt=true private1=false")
		d.expect(`seen["a.txt"] .. seen["b.txt"]`, "11")
		d.expect("at_once", "0")
	})
}

func TestFilter_IsNotPutOffByChangesThatGoOn(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("private1")
		d.soon(`require("claudecode.turns.latest").unseen()`, "1")
		d.Lua(nil, filter+`
			local n, timer = 1000, vim.uv.new_timer()
			timer:start(0, 20, vim.schedule_wrap(function()
				n = n + 1
				require("claudecode.turns.latest").on_changed({ turn = 1, files = 1, revisions = { { turn = 1, revision = n } } })
			end))
			function stop() timer:close() end`)
		d.kept("private1=false")
		d.Lua(nil, "stop()")
		d.expect("seen.private1", "1")
	})
}

// What could not be asked once is asked again.
func TestFilter_IsAskedAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.Lua(nil, filter+`
			local ask, private = require("claudecode.turns.ask"), require("claudecode.turns.private")
			local turn = ask.turn
			private.retry_ms = 10
			function ask.turn(_, _, callback)
				ask.turn = turn
				failed = true
				callback(nil, "busy")
			end`)
		d.replaces("private1")
		d.soon("failed", "true")
		d.kept("private1=false")
	})
}
