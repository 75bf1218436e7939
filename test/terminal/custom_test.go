// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// A terminal of the user's own provider is Claude's as any other.
func TestCustom_TerminalIsTakenCareOf(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, customOpen)
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.Command("startinsert")
		d.sees("claude* f.txt t")
		d.types("a<C-z>b")
		d.typed(one, "ab")
		d.Command("ClaudeCodeClose")
		d.gone(one)
		d.Command("stopinsert | silent! only")
		// That end was wanted, the next two are not.
		d.Command("ClaudeCode --exit 7")
		d.says("Claude exited with code 7")
		d.Command("ClaudeCode")
		d.ready(3)
		d.Lua(nil, `require("claudecode.terminal").send_to_terminal("\5", { submit = false })`)
		d.says("Claude exited with code 3")
		if n := strings.Count(d.Messages(), "exited with code"); n != 2 {
			d.t.Errorf("told %d times:\n%s", n, d.Messages())
		}
	})
}

// The provider may have gone elsewhere before it returns.
func TestCustom_KeysOfTheUserStay(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, customOpen+`
			function provider.simple_toggle(...)
				open(...)
				vim.cmd.wincmd("p")
			end
		`)
		d.Command("autocmd TermOpen * tnoremap <buffer> <C-z> undo")
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.Command("wincmd p | startinsert")
		d.sees("claude* f.txt t")
		d.types("<C-z>")
		d.typed(one, "undo")
	})
}

func TestSetup_TellsOnceOfAProviderThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		terminal map[string]any
		says     string
	}{
		"snacks":   {map[string]any{"provider": "snacks"}, `the provider "snacks" needs snacks.nvim; native is used`},
		"external": {map[string]any{"provider": "external"}, `the provider "external" needs a command, external_terminal_cmd; native is used`},
		"custom":   {map[string]any{"provider": map[string]any{"x": 1}}, "the provider lacks the function setup; native is used"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, map[string]any{"terminal": row.terminal})
				d.says(row.says)
				for range 2 {
					d.Command("ClaudeCode")
					d.sees("f.txt claude* t")
					d.Command("ClaudeCodeClose")
					d.sees("f.txt* n")
				}
				recent := value[string](d, `table.concat(require("claudecode.log").recent(), "\n")`)
				if n := strings.Count(recent, row.says); n != 1 {
					t.Errorf("told %d times", n)
				}
			})
		})
	}
}

// What a provider needs may be loaded after setup().
func TestSetup_WaitsForWhatAProviderNeeds(t *testing.T) {
	t.Parallel()
	for name, later := range map[string]string{"there": "{ terminal = { open = print } }", "absent": "nil"} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				v := nvimtest.Start(t, nvimtest.Options{Nvim: nvim, Args: []string{
					"--cmd", `lua require("claudecode").setup({ auto_start = false, terminal = { provider = "snacks" } })`,
					"-c", "lua package.loaded.snacks = " + later,
				}})
				told := func() (told bool) {
					// What was scheduled before runs first.
					if err := v.ExecLua(`
						assert(vim.wait(10000, function() return vim.v.vim_did_enter == 1 end))
						local over
						vim.schedule(function() vim.schedule(function() over = true end) end)
						assert(vim.wait(10000, function() return over end))
						return #require("claudecode.log").recent() > 0
					`, &told); err != nil {
						t.Fatal(err)
					}
					return told
				}
				if got, want := told(), later == "nil"; got != want {
					t.Errorf("told: %v, not %v", got, want)
				}
			})
		})
	}
}
