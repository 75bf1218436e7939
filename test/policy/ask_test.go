// Copyright (c) 2026 the claudecoded authors. MIT license.

package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestAsk_IsAnsweredByKeys(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ keys, says, ran string }{
		"once":   {"1", "did run", `[["run",{"code":"x = 1"}]]`},
		"enter":  {"<CR>", "did run", `[["run",{"code":"x = 1"}]]`},
		"deny":   {"4", "the user denied run", "[]"},
		"last":   {"G<CR>", "the user denied run", "[]"},
		"quit":   {"q", "the user denied run", "[]"},
		"escape": {"<Esc>", "the user denied run", "[]"},
		"closed": {"<C-w>c", "the user denied run", "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, withUI(nvim), options(object{"run": "ask"}))
				d.Command("vsplit")
				layout := eval[string](d, `vim.inspect({ vim.fn.winlayout(), vim.api.nvim_get_current_win() })`)
				call := d.call("run", object{"code": "x = 1"})
				text := d.asked()
				for _, want := range []string{"claude-code (client_1) wants to call run", `{"code":"x = 1"}`, `because of the rule "run"`} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is not in\n%s", want, text)
					}
				}
				call.waits()
				d.types(row.keys)
				call.says(row.says)
				d.quiet()
				if got := d.ran(); got != row.ran {
					t.Errorf("ran %s", got)
				}
				if got := eval[string](d, `vim.inspect({ vim.fn.winlayout(), vim.api.nvim_get_current_win() })`); got != layout {
					t.Errorf("the layout is %s, not %s", got, layout)
				}
			})
		})
	}
}

func TestAsk_HoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{"run": "ask"}))
		held := d.call("run", nil)
		d.asked()
		d.call("look", object{"path": "a"}).says("did look")
		held.waits()
		d.types("1")
		held.says("did run")
	})
}

func TestAsk_WaitsForASafeMomentAndTakesNoKeyOfTheUsers(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{"run": "ask"}))
		d.types("i1")
		d.eventually(`vim.api.nvim_get_mode().mode == "i"`)
		held := d.call("run", nil)
		d.eventually(`(require("claudecode.moment").summary() or ""):find("your permission for run (you are in Insert mode)", 1, true) ~= nil`)
		d.types("234<CR>q")
		d.quiet()
		held.waits()
		d.types("<Esc>")
		d.asked()
		if got := eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(1, 0, -1, false), "|")`); got != "1234|q" {
			t.Errorf("the text became %q", got)
		}
		d.types("2")
		held.says("did run")
	})
}

// TestAsk_TakesNoAnswerAtFirst is about keys that were on their way to another window.
func TestAsk_TakesNoAnswerAtFirst(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{"run": "ask"}))
		d.Lua(nil, `require("mcp-tools.choose").grace_ms = 1e9`)
		held := d.call("run", nil)
		d.asked()
		d.types("1234q<CR><Esc>")
		// The keys are through once this one is.
		d.types(":let g:through = 1<CR>")
		d.eventually(`vim.g.through == 1`)
		d.asked()
		held.waits()
		d.Lua(nil, `require("mcp-tools.choose").grace_ms = 0`)
		d.types("1")
		held.says("did run")
	})
}

func TestAsk_ForASessionIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{}))
		first := d.call("careful", nil)
		if text := d.asked(); !strings.Contains(text, "the default of careful") {
			t.Errorf("asked %s", text)
		}
		d.types("2")
		first.says("did careful")
		d.call("careful", object{"other": 1}).says("did careful")
		other := call(t, stage.Connect(t, d.lock), "careful", nil)
		d.asked()
		d.types("4")
		other.says("denied")
		d.Command("ClaudeCodePermissions!")
		d.settled()
		again := d.call("careful", nil)
		d.asked()
		d.types("4")
		again.says("denied")
	})
}

// TestAsk_EachRuleOfACallIsAskedAbout: what one rule always allows says nothing of another.
func TestAsk_EachRuleOfACallIsAskedAbout(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options([]object{
			{"tool": "look", "path": "/a/**", "action": "ask"}, {"tool": "look", "path": "/b/**", "action": "ask"},
		}))
		first := d.call("look", object{"path": "/a/x"})
		d.asked()
		d.types("3")
		first.says("did look")
		both := object{"path": "/a/x", "other_path": "/b/y"}
		for _, keys := range []string{"4", "3"} {
			held := d.call("look", both)
			if text := d.asked(); !strings.Contains(text, `because of the rule "look" for /b/**`) {
				t.Errorf("asked %s", text)
			}
			d.types(keys)
			held.says(map[string]string{"4": "the user denied look", "3": "did look"}[keys])
			d.quiet()
		}
		d.call("look", both).says("did look")
	})
}

func TestAsk_AlwaysHoldsInEveryEditorUntilItIsTakenBack(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		env := stage.Environment(t)
		d := open(t, stage.Options{Nvim: nvim, UI: true, Env: env}, options(object{"run": "ask"}))
		first := d.call("run", nil)
		d.asked()
		d.types("3")
		first.says("did run")
		d.call("run", object{"other": 1}).says("did run")
		file := eval[string](d, `require("mcp-tools.permissions.store").path()`)
		if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
		if left, err := filepath.Glob(file + "*"); err != nil || len(left) != 1 {
			t.Errorf("%q is left, %v", left, err)
		}
		d.Command("ClaudeCodeStop")

		later := open(t, stage.Options{Nvim: nvim, Env: env}, options(object{"run": "ask"}))
		later.call("run", nil).says("did run")
		later.call("careful", nil).says("no user interface")

		d.Command("ClaudeCodePermissions")
		d.eventually(`vim.bo.filetype == "claudecode-permissions"`)
		text := eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`)
		for _, want := range []string{`the rule "run": ask`, `run for claude-code, because of the rule "run", since 20`} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		d.types("Gd")
		d.eventually(`#require("mcp-tools.permissions.store").list() == 0`)
		later.call("run", nil).says("no user interface")
	})
}

// TestAlways_IsNotOfferedForAClientWithoutAName: it would hold for whoever says nothing either.
func TestAlways_IsNotOfferedForAClientWithoutAName(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, name := range []string{"", " \t"} {
			d := open(t, withUI(nvim), options(object{"nvim_run": "ask"}))
			// An entry from before it was so counts for nothing, and can be taken back.
			d.Lua(nil, `
				local store, is_name = require("mcp-tools.permissions.store"), nil
				is_name, store.is_name = store.is_name, function() return true end
				assert(not store.add({ tool = "nvim_run", client = ..., rule = 'the rule "nvim_run"' }))
				store.is_name = is_name`, name)
			held := d.postAs(1, name, "nvim_run", `{}`)
			if text := d.asked(); strings.Contains(text, "Always") || !strings.Contains(text, "http_") || !strings.Contains(text, "3 Deny") {
				t.Errorf("asked %s", text)
			}
			d.types("3")
			held.says("the user denied nvim_run")
			d.quiet()
			// Whatever a window of the user's answers.
			d.Lua(nil, `require("mcp-tools.choose").show = function(_, _, answer) answer({ answer = "always" }) return function() end end`)
			d.postAs(2, name, "nvim_run", `{"n":1}`).says("did run")
			if n := eval[int](d, `#require("mcp-tools.permissions.store").list()`); n != 1 {
				t.Errorf("%d permissions are kept", n)
			}
			d.Command("ClaudeCodePermissions")
			d.eventually(`vim.bo.filetype == "claudecode-permissions"`)
			if text := eval[string](d, `table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")`); !strings.Contains(text, "a client without a name, for which it is void") {
				t.Error(text)
			}
			d.types("Gd")
			d.eventually(`#require("mcp-tools.permissions.store").list() == 0`)
		}
	})
}

func TestAlways_IsNotBelievedOfAFileThatOthersWrite(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options(object{"run": "ask"}))
		file := eval[string](d, `require("mcp-tools.permissions.store").path()`)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		entry := `[{"tool":"run","client":"claude-code","rule":"the rule \"run\"","since":"now"}]`
		for name, row := range map[string]struct {
			text string
			mode os.FileMode
			says string
		}{
			"the user's":  {entry, 0o600, "did run"},
			"the group's": {entry, 0o660, "no user interface"},
			"no JSON":     {entry[1:], 0o600, "no user interface"},
			"another":     {`[{"tool":1}]`, 0o600, "no user interface"},
		} {
			if err := os.WriteFile(file, []byte(row.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, row.mode); err != nil {
				t.Fatal(err)
			}
			t.Log(name)
			d.call("run", nil).says(row.says)
		}
		// What cannot be read is not written over.
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := eval[string](d, `require("mcp-tools.permissions.store").add({ tool = "a", client = "", rule = "" }) or ""`)
		if text, _ := os.ReadFile(file); !strings.Contains(err, "no list of permissions") || string(text) != "mine" {
			t.Errorf("%q, and the file says %s", err, text)
		}
	})
}

func TestAsk_WithoutAUserInterfaceIsRefused(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, stage.Options{Nvim: nvim}, options(object{"run": "ask"}))
		d.call("run", nil).says("run needs the user's permission", `the rule "run"`, "no user interface", `["run"] = "allow"`)
		if got := d.ran(); got != "[]" {
			t.Errorf("ran %s", got)
		}
	})
}

func TestAsk_IsTakenBackWithItsCaller(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{"run": "ask"}))
		leaving := stage.Connect(t, d.lock)
		call(t, leaving, "run", nil)
		d.asked()
		_ = leaving.Close()
		d.quiet()
		held := d.call("run", nil)
		d.asked()
		d.Command("ClaudeCodeStop")
		d.quiet()
		held.says("stopping")
		if got := d.ran(); got != "[]" {
			t.Errorf("ran %s", got)
		}
	})
}

// TestAsk_ByTheUsersOwnSelect is about plugins that replace vim.ui.select.
func TestAsk_ByTheUsersOwnSelect(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, withUI(nvim), options(object{"run": "ask"}))
		d.Lua(nil, `vim.ui.select = function(items, options, choose)
			shown = { options.prompt, options.kind }
			for _, item in ipairs(items) do
				table.insert(shown, options.format_item(item))
			end
			float = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
				{ relative = "editor", row = 1, col = 1, width = 10, height = 1 })
			pick = function(i)
				vim.api.nvim_win_close(float, true)
				choose(items[i], i)
			end
		end`)
		held := d.call("run", object{"code": "a\nb"})
		d.eventually(`pick ~= nil`)
		want := `claude-code (client_1) wants to call run {"code":"a\nb"}|claudecode-permission|Allow once|` +
			`Allow until this client leaves|Always allow|Deny`
		if got := eval[string](d, `table.concat(shown, "|")`); got != want {
			t.Errorf("shown %q", got)
		}
		d.Lua(nil, `pick(1)`)
		held.says("did run")

		leaving := stage.Connect(t, d.lock)
		d.Lua(nil, `pick = nil`)
		call(t, leaving, "run", nil)
		d.eventually(`pick ~= nil`)
		_ = leaving.Close()
		d.eventually(`not vim.api.nvim_win_is_valid(float)`)

		d.Lua(nil, `vim.ui.select = function() error("it broke", 0) end`)
		d.call("run", nil).says("the user denied run")
		if got := d.ran(); got != `[["run",{"code":"a\nb"}]]` {
			t.Errorf("ran %s", got)
		}
	})
}
