// Copyright (c) 2026 the claudecoded authors. MIT license.

package moment

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// bare is an editor without a server.
func bare(t *testing.T, nvim string) *desk {
	t.Helper()
	e := stage.Open(t, stage.Options{Nvim: nvim, UI: true})
	e.Lua(nil, `moment, ran = require("claudecode.moment"), {}
		function note(what) return function() table.insert(ran, what) end end`)
	return &desk{Editor: e, t: t}
}

func TestRun_TakesTheNextTurnIfTheMomentIsSafe(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.Lua(nil, `moment.set_serving(true)
			vim.defer_fn(function()
				moment.run(note("first"))
				vim.schedule(note("turn"))
			end, 2 * moment.quiet_ms)`)
		d.eventually(`#ran == 2`)
		if ran := d.ran(); ran != "first turn" {
			t.Errorf("ran %q", ran)
		}
	})
}

// A key may have been typed just before keys were noticed.
func TestRun_WaitsUntilNoKeyWasTypedForAWhile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.StopClock()
		advance := func(ms, ran int) {
			t.Helper()
			d.Advance(ms)
			d.Lua(nil, `turned = false vim.schedule(function() vim.schedule(function() turned = true end) end)`)
			d.eventually(`turned`)
			if got := eval[int](d, `#ran`); got != ran {
				t.Errorf("%d ran at %d ms", got, eval[int](d, `time`))
			}
		}
		d.Lua(nil, `moment.run(note("first")) moment.run(note("second"))`)
		d.eventually(`#timers == 1`)
		advance(299, 0)
		d.Lua(nil, `vim.keymap.set("n", "q", function() typed = true end)`)
		d.types("q")
		d.eventually(`typed`)
		advance(299, 0)
		d.Advance(1)
		d.eventually(`#ran == 2`)
	})
}

func TestRun_NoticesKeysOnlyWhileThatMatters(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		hooks := eval[int](d, `vim.on_key()`)
		expect := func(when string, more int) {
			t.Helper()
			if now := eval[int](d, `vim.on_key()`) - hooks; now != more {
				t.Errorf("%s: %d functions are called for every key", when, now)
			}
		}
		d.Lua(nil, `cancel = moment.run(note("never"))`)
		expect("while something waits", 1)
		d.Lua(nil, `cancel()`)
		expect("when nothing waits", 0)
		if left := eval[int](d, `#vim.api.nvim_get_autocmds({ group = "ClaudeCodeMoment", event = "SafeState" })`); left != 0 {
			t.Errorf("%d autocommands are left", left)
		}
		d.Serve()
		expect("while the server runs", 1)
		d.Command("ClaudeCodeStop")
		expect("when it has ended", 0)
	})
}

func TestRun_GoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.Lua(nil, `moment.run(function() error("oh", 0) end, { name = "bad" }) moment.run(note("good"))`)
		d.eventually(`#ran == 1`)
		if said := eval[string](d, `table.concat(require("claudecode.log").recent(), "\n")`); !strings.Contains(said, "bad: oh") {
			t.Errorf("the user was told %q", said)
		}
	})
}

func TestRun_IsNotOverWhileOneWaitsForSomething(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.Lua(nil, `moment.run(function()
			moment.run(note("second"))
			vim.wait(100, function() return #ran > 0 end)
			note("first")()
		end)`)
		d.eventually(`#ran == 2`)
		if ran := d.ran(); ran != "first second" {
			t.Errorf("ran %q", ran)
		}
	})
}

func TestRun_NestedAutocommandsFire(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.Lua(nil, `vim.api.nvim_create_autocmd("WinNew", { callback = note("new") })`)
		d.typing("i", "i")
		// No key is typed, so it is SafeState that says when, not the timer.
		d.Lua(nil, `moment.run(function() vim.cmd.new() end)
			vim.defer_fn(vim.cmd.stopinsert, 2 * moment.quiet_ms)`)
		d.eventually(`#ran == 1`)
	})
}

func TestRun_IsBoundedAndCancelFreesItsPlaceOnce(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.typing("i", "i")
		got := eval[string](d, `(function()
			local cancels = {}
			for i = 1, moment.max_waiting do
				cancels[i] = moment.run(note("never"))
			end
			local _, err = pcall(moment.run, note("never"))
			cancels[1]()
			cancels[1]()
			moment.run(note("last"))
			local again = pcall(moment.run, note("never"))
			for _, cancel in ipairs(cancels) do
				cancel()
			end
			return ("%d: %s, %s"):format(moment.max_waiting, err, again)
		end)()`)
		if want := "1024: More than 1024 calls wait for a safe moment, false"; got != want {
			t.Error(got)
		}
		d.types("<Esc>")
		d.eventually(`#ran > 0 and moment.summary() == nil`)
		if ran := d.ran(); ran != "last" {
			t.Errorf("ran %q", ran)
		}
	})
}

func TestRun_TellsEachReasonItWaitsFor(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := bare(t, nvim)
		d.StopClock()
		d.typing("i", "i")
		d.Lua(nil, `moment.run(note("at last"), { on_wait = function(reason) table.insert(ran, reason) end })`)
		d.eventually(`#ran == 1`)
		d.typing("<Esc>v", "v")
		d.eventually(`vim.list_contains(ran, "Visual mode")`)
		d.typing("<Esc>", "n")
		d.eventually(`ran[#ran] == "the middle of typing"`)
		d.Advance(300)
		d.eventually(`vim.list_contains(ran, "at last")`)
		if ran := d.ran(); ran != "Insert mode the middle of typing Visual mode the middle of typing at last" &&
			ran != "Insert mode Visual mode the middle of typing at last" {
			t.Errorf("ran %q", ran)
		}
	})
}
