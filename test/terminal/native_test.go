// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func each(t *testing.T, setup map[string]any, f func(d *desk)) {
	t.Helper()
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) { f(open(t, nvim, setup)) })
}

func TestToggle_ShowsAndHidesOneClaude(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode")
		d.sees("f.txt claude* t")
		first := d.ready(1)
		d.Command("ClaudeCode")
		d.sees("f.txt* n")
		d.Command("ClaudeCode")
		d.sees("f.txt claude* t")
		d.Command("stopinsert | wincmd p")
		d.Command("ClaudeCode")
		d.sees("f.txt* n")
		if !stage.Running(first.PID) || len(d.born()) != 1 {
			d.t.Error("it is not one Claude that goes on")
		}
		d.silent()
	})
}

func TestFocus_GoesThereThenHides(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCodeFocus")
		d.sees("f.txt claude* t")
		d.Command("stopinsert | wincmd p")
		d.sees("f.txt* claude n")
		d.Command("ClaudeCodeFocus")
		d.sees("f.txt claude* t")
		d.Command("ClaudeCodeFocus")
		d.sees("f.txt* n")
		d.Command("ClaudeCodeFocus")
		d.sees("f.txt claude* t")
	})
}

func TestOpen_NeverHides(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"split_side": "left", "auto_insert": false}}, func(d *desk) {
		for range 2 {
			d.Command("ClaudeCodeOpen")
			d.sees("claude* f.txt n")
		}
		d.Lua(nil, `require("claudecode.terminal").simple_toggle() require("claudecode.terminal").toggle_open_no_focus()`)
		d.sees("claude f.txt* n")
	})
}

// Users have an autocommand that starts Terminal mode in every terminal.
func TestOpen_WithoutFocusLeavesTheMode(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("autocmd TermOpen * startinsert")
		d.Lua(nil, `require("claudecode.terminal").toggle_open_no_focus()`)
		d.ready(1)
		d.types("x")
		expect(d, `vim.api.nvim_get_current_line()`, "ne")
		d.sees("f.txt* claude n")
	})
}

func TestCommands_LeaveVisualMode(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("xnoremap a <Cmd>ClaudeCode<CR>")
		d.types("Va")
		d.sees("f.txt claude* t")
	})
}

func TestTerminal_HasItsShareOfTheEditor(t *testing.T) {
	each(t, map[string]any{"terminal": map[string]any{"split_width_percentage": 0.4}}, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.ready(1)
		if got := d.sizes(one)[0]; got != "22x32" {
			d.t.Error("it starts in", got)
		}
		d.Command("ClaudeCode")
		d.sees("f.txt* n")
		if err := d.TryResizeUI(120, 30); err != nil {
			d.t.Fatal(err)
		}
		d.Command("ClaudeCode")
		nvimtest.Eventually(d.t, "it learns the new size", func() bool {
			sizes := d.sizes(one)
			return sizes[len(sizes)-1] == "28x48"
		})
	})
}

func TestTerminal_LeavesTheOtherWindowsAsTheyWere(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("vsplit | split | wincmd l | vertical resize 20 | wincmd h | resize 5")
		before := value[string](d, "vim.fn.winrestcmd()")
		current := value[int](d, "vim.api.nvim_get_current_win()")
		for range 3 {
			d.Command("ClaudeCode")
			d.eventually(`vim.bo.buftype == "terminal"`)
			d.Command("ClaudeCode")
		}
		if after := value[string](d, "vim.fn.winrestcmd()"); after != before {
			d.t.Errorf("%s\nwas %s", after, before)
		}
		if value[int](d, "vim.api.nvim_get_current_win()") != current {
			d.t.Error("the cursor is elsewhere")
		}
		d.Command("ClaudeCode")
		d.Command("ClaudeCodeClose")
		if after := value[string](d, "vim.fn.winrestcmd()"); after != before {
			d.t.Errorf("after :ClaudeCodeClose %s\nwas %s", after, before)
		}
		d.silent()
	})
}

func TestTerminal_KeepsItsShareBesideOtherWindows(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, `require("claudecode.terminal").toggle_open_no_focus()`)
		one := d.ready(1)
		d.Command("vsplit | vsplit | quit | wincmd =")
		expect(d, `vim.api.nvim_win_get_width(require("claudecode.terminal").window())`, 24)
		if sizes := d.sizes(one); len(sizes) != 1 {
			d.t.Error("Claude saw the sizes", sizes)
		}
	})
}

// What the user resized meanwhile stays.
func TestTerminal_KeepsSizesThatTheUserGave(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("set noequalalways | split | ClaudeCodeOpen")
		d.Command("stopinsert | wincmd t | resize 4 | ClaudeCode")
		expect(d, "vim.fn.winheight(1)", 4)
	})
}

func TestTerminal_DoesNotLookLikeTheEditor(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("set number signcolumn=yes | setlocal winfixbuf scrollbind | ClaudeCode")
		d.sees("f.txt claude* t")
		if got := value[string](d, `vim.inspect({ vim.wo.number, vim.wo.signcolumn, vim.wo.winfixbuf, vim.wo.scrollbind })`); got != `{ false, "no", false, false }` {
			d.t.Error(got)
		}
		d.Command("stopinsert | wincmd p")
		if !value[bool](d, "vim.wo.number and vim.wo.winfixbuf") {
			d.t.Error("the other window lost its options")
		}
	})
}

func TestTerminal_ComesBackWhereItWasScrolledTo(t *testing.T) {
	each(t, map[string]any{"terminal_cmd": "claude --lines 200", "terminal": map[string]any{"auto_insert": false}}, func(d *desk) {
		d.Command("ClaudeCode")
		d.ready(1)
		d.eventually(`vim.fn.line("$") > 200`)
		d.Command("normal! 50Gzt")
		for _, hide := range []string{"ClaudeCode", "quit"} {
			d.Command(hide)
			d.sees("f.txt* n")
			d.Command("ClaudeCode")
			d.sees("f.txt claude* n")
			if got := value[string](d, `vim.fn.line("w0") .. " " .. vim.fn.line(".")`); got != "50 50" {
				d.t.Error(hide, "comes back at", got)
			}
		}
		// Who saw the end sees it again.
		d.Command("normal! G")
		d.Command("ClaudeCode")
		d.Lua(nil, `require("claudecode.terminal").toggle_open_no_focus()`)
		d.eventually(`(function()
			local win = require("claudecode.terminal").window()
			return vim.fn.line("w$", win) == vim.fn.line("$", win)
		end)()`)
	})
}

func TestTerminal_StaysWhereItIsWhenTheCursorComesAndGoes(t *testing.T) {
	each(t, map[string]any{"terminal_cmd": "claude --lines 200"}, func(d *desk) {
		d.Command("ClaudeCode")
		d.ready(1)
		d.eventually(`vim.fn.line("$") > 200`)
		d.types(`<C-\><C-n>50Gzt<C-w>p<C-w>p`)
		d.sees("f.txt claude* n")
		expect(d, `vim.fn.line("w0")`, 50)
	})
}

func TestTerminal_InTheOnlyWindowGivesItBack(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode")
		d.ready(1)
		d.Command("only")
		d.Command("ClaudeCode")
		d.sees("f.txt* n")
		d.Command("ClaudeCode")
		d.Command("only")
		d.Command("ClaudeCodeClose")
		d.sees("f.txt* n")
		expect(d, `vim.wo.winfixwidth or vim.wo.winfixheight`, false)
		d.silent()
	})
}

func TestTip_IsGivenOnceUnlessUnwanted(t *testing.T) {
	for _, wanted := range []bool{true, false} {
		t.Run(fmt.Sprint(wanted), func(t *testing.T) {
			each(t, map[string]any{"terminal": map[string]any{"show_native_term_exit_tip": wanted}}, func(d *desk) {
				for n := 1; n <= 2; n++ {
					d.Command("ClaudeCode")
					d.ready(n)
					d.sees("f.txt claude* t")
					d.Command("ClaudeCodeClose")
					d.sees("f.txt* n")
				}
				told := strings.Count(d.Messages(), "leaves Terminal mode")
				if wanted && told != 1 || !wanted && told != 0 {
					d.t.Errorf("told %d times", told)
				}
			})
		})
	}
}

func TestToggle_HidesTheTerminalOfAnyTabPage(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCodeOpen")
		d.ready(1)
		d.Command("stopinsert | tabnew")
		d.Command("ClaudeCode")
		d.Command("tabprevious")
		d.sees("f.txt* n")
		d.Command("tabnext")
		for range 2 { // what is pending of the first has no effect after the second
			d.Command("ClaudeCode")
		}
		d.sees("* n")
		d.silent()
	})
}

func TestToggle_LeavesNoTerminalModeBehind(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Lua(nil, `
			local terminal = require("claudecode.terminal")
			terminal.open()
			terminal.simple_toggle()
		`)
		d.ready(1)
		d.types("x") // deletes, and is not typed
		expect(d, `vim.api.nvim_get_current_line()`, "ne")
		d.sees("f.txt* n")
	})
}

// Terminal mode ends only after both, and must not take the second one's along.
func TestToggle_HidesAndShowsInOneGo(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("ClaudeCode")
		one := d.ready(1)
		d.sees("f.txt claude* t")
		for range 3 {
			d.Lua(nil, `
				require("claudecode.terminal").simple_toggle()
				require("claudecode.terminal").simple_toggle()
			`)
			d.sees("f.txt claude* t")
		}
		d.types("a")
		d.typed(one, "a")
		// What was wanted then is not wanted for ever.
		d.types(`<C-\><C-n>`)
		d.sees("f.txt claude* n")
		d.Command("startinsert")
		d.sees("f.txt claude* t")
		d.Lua(nil, `
			require("claudecode.terminal").simple_toggle()
			require("claudecode.terminal").simple_toggle()
			require("claudecode.terminal").simple_toggle()
		`)
		d.sees("f.txt* n")
	})
}

func TestToggle_AdoptsAClaudeThatIsShown(t *testing.T) {
	each(t, nil, func(d *desk) {
		d.Command("vsplit | terminal claude")
		d.ready(1)
		d.Command("ClaudeCode")
		d.sees("f.txt* n")
		d.silent()
		if len(d.born()) != 1 {
			d.t.Error("another Claude was started")
		}
	})
}
