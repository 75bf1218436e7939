// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"claudecoded/test/nvimtest"
)

//go:embed snacks_stub.lua
var snacksStub string

// withSnacks starts an editor that has the stub of snacks.nvim, and options for its window.
func withSnacks(t *testing.T, nvim, provider string, window map[string]any) *desk {
	t.Helper()
	env := prepare(t)
	data := nvimtest.Dir(t)
	dir := filepath.Join(data, "nvim", "site", "lua", "snacks")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "init.lua"), []byte(snacksStub), 0o600); err != nil {
		t.Fatal(err)
	}
	terminal := map[string]any{"provider": provider}
	if window != nil {
		terminal["snacks_win_opts"] = window
	}
	return openIn(t, nvim, append(env, "XDG_DATA_DIRS="+data), map[string]any{"terminal": terminal})
}

func TestSnacks_TogglesASplitAtItsSize(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := withSnacks(t, nvim, "auto", nil)
		d.Command("ClaudeCode --resume")
		d.sees("f.txt claude* t")
		one := d.ready(1)
		if !slices.Equal(one.Args, []string{"--resume"}) {
			t.Errorf("%q", one.Args)
		}
		if value[bool](d, "vim.g.snacks_opened == nil") {
			t.Fatal("snacks.nvim was not asked")
		}
		for range 3 {
			d.Command("ClaudeCode")
			d.sees("f.txt* n")
			d.Command("ClaudeCode")
			d.sees("f.txt claude* t")
			if got := value[int](d, "vim.fn.winwidth(0)"); got != 24 {
				t.Error("width", got)
			}
			if got := value[string](d, "vim.wo.winbar"); got != "snacks" {
				t.Error("its options were forgotten")
			}
		}
		for _, size := range d.sizes(one)[1:] {
			if size != d.sizes(one)[0] {
				t.Error("Claude saw the sizes", d.sizes(one))
				break
			}
		}
		d.types(`<C-\><C-n><C-w>p<C-w>p`) // who comes back by oneself reads on
		d.sees("f.txt claude* n")
		d.types("q") // the user's own key, from a style of theirs
		d.sees("f.txt* n")
		d.Command("ClaudeCodeFocus")
		d.sees("f.txt claude* t")
		d.Command("ClaudeCodeClose")
		d.gone(one)
		d.sees("f.txt* n")
		expect(d, buffers, 0)
		d.silent()
	})
}

func TestSnacks_KeepsAFloatThatItHides(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := withSnacks(t, nvim, "snacks", map[string]any{"position": "float", "width": 0.5, "height": 10})
		d.Command("ClaudeCode")
		d.sees("f.txt claude* t")
		win := value[int](d, "vim.api.nvim_get_current_win()")
		one := d.ready(1)
		d.Command("ClaudeCode")
		d.sees("f.txt* n")
		d.Lua(nil, `require("claudecode.terminal").ensure_visible()`)
		d.sees("f.txt* claude n")
		d.Command("ClaudeCodeFocus")
		d.sees("f.txt claude* t")
		d.types("<C-t>")
		d.sees("f.txt* n")
		d.Command("ClaudeCode")
		if value[int](d, "vim.api.nvim_get_current_win()") != win || value[int](d, "vim.g.snacks_shown") != 1 {
			t.Error("the window was made again")
		}
		d.Command("stopinsert | quit") // the user closes it
		d.sees("f.txt* n")
		d.Command("ClaudeCode")
		d.sees("f.txt claude* t")
		d.Lua(nil, `require("claudecode.terminal").send_to_terminal("\5", { submit = false })`)
		d.gone(one)
		d.says("Claude exited with code 3")
		d.sees("f.txt* n")
		d.Command("ClaudeCode")
		d.ready(2)
	})
}

func TestSnacks_HasAKeyForANewLine(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := withSnacks(t, nvim, "snacks", nil)
		d.Command("ClaudeCode")
		d.sees("f.txt claude* t")
		one := d.ready(1)
		d.types("a<S-CR>")
		d.typed(one, "a\\\r")
	})
}

func TestProvider_IsNativeWhereItCannotBeAnother(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		terminal map[string]any
		says     string
	}{
		"snacks":   {map[string]any{"provider": "snacks"}, `the provider "snacks" needs snacks.nvim; native is used`},
		"external": {map[string]any{"provider": "external"}, `the provider "external" needs a command, external_terminal_cmd; native is used`},
		"custom":   {map[string]any{"provider": map[string]any{"x": 1}}, `the provider lacks the function setup; native is used`},
		"auto":     {map[string]any{"provider": "auto"}, ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, map[string]any{"terminal": row.terminal})
				d.Command("set columns=200")
				d.Command("ClaudeCode")
				d.sees("f.txt claude* t")
				if row.says == "" {
					d.silent("WARN")
				} else {
					d.says(row.says)
				}
			})
		})
	}
}
